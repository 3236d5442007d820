// C += Aᵀ B and C −= Aᵀ B for small dense blocks, row-major, in tiles that stay in registers.
//
//   A (depth, m), B (depth, n), C (m, n)
//
// Every entry of C sums over the depth in order, so that the bits do not depend on the tiles.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

enum class TileSign { kAdd, kSubtract };

template <TileSign kSign, int M, int N, class A, class C>
ST_FN void update_tile(const A* a, int lda, const C* b, int ldb, C* c, int ldc, int depth) {
  C sum[M][N];
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) sum[i][j] = c[i * ldc + j];
  for (int k = 0; k < depth; ++k) {
    C row[N];
    for (int j = 0; j < N; ++j) row[j] = b[k * ldb + j];
    for (int i = 0; i < M; ++i) {
      const C s = static_cast<C>(kSign == TileSign::kAdd ? a[k * lda + i] : -a[k * lda + i]);
      for (int j = 0; j < N; ++j) sum[i][j] += s * row[j];
    }
  }
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) c[i * ldc + j] = sum[i][j];
}

/// Updates M rows of C, from column `first` to column n.
template <TileSign kSign, int M, class A, class C>
ST_FN void update_rows(const A* a, int lda, const C* b, int ldb, C* c, int ldc, int first, int n, int depth) {
  int j = first;
  if constexpr (M == 1)
    for (; j + 6 <= n; j += 6) update_tile<kSign, M, 6>(a, lda, b + j, ldb, c + j, ldc, depth);
  for (; j + 4 <= n; j += 4) update_tile<kSign, M, 4>(a, lda, b + j, ldb, c + j, ldc, depth);
  for (; j + 2 <= n; j += 2) update_tile<kSign, M, 2>(a, lda, b + j, ldb, c + j, ldc, depth);
  for (; j < n; ++j) update_tile<kSign, M, 1>(a, lda, b + j, ldb, c + j, ldc, depth);
}

/// C ± Aᵀ B. In a diagonal block (`upper`) only the tiles that reach the upper triangle are computed.
template <TileSign kSign, class A, class C>
ST_PHASE void update_block(const A* a, int lda, const C* b, int ldb, C* c, int ldc, int m, int n, int depth,
                           bool upper) {
  int i = 0;
  for (; i + 3 <= m; i += 3)
    update_rows<kSign, 3>(a + i, lda, b, ldb, c + i * ldc, ldc, upper ? i / 2 * 2 : 0, n, depth);
  for (; i < m; ++i) update_rows<kSign, 1>(a + i, lda, b, ldb, c + i * ldc, ldc, upper ? i / 2 * 2 : 0, n, depth);
}

}  // namespace stiction
