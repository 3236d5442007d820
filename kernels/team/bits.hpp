// Sets of small integers as masks of 64 bits.
#pragma once

#include <cstddef>

#include "kernels/team/array.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

/// Index of the lowest set bit; mask != 0.
ST_FN int lowest_bit(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(mask)) - 1;
#else
  return __builtin_ctzll(mask);
#endif
}

ST_FN int count_bits(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return __popcll(mask);
#else
  return __builtin_popcountll(mask);
#endif
}

ST_FN std::uint64_t bit(int i) { return std::uint64_t(1) << i; }

/// Number of masks for a set of integers in [0, n).
ST_FN int words_for(int n) { return (n + 63) / 64; }

/// Sets of integers in [0, 64 · words), one set per row.
struct SetRows {
  Array<std::uint64_t> mask;  // (rows, words)
  int words;

  ST_FN std::uint64_t* row(int i) { return mask + static_cast<std::ptrdiff_t>(i) * words; }
  ST_FN const std::uint64_t* row(int i) const { return mask + static_cast<std::ptrdiff_t>(i) * words; }
  ST_FN void insert(int i, int member) { row(i)[member / 64] |= bit(member % 64); }
  ST_FN void remove(int i, int member) { row(i)[member / 64] &= ~bit(member % 64); }
  ST_FN void clear(int i) {
    ST_ROLLED
    for (int w = 0; w < words; ++w) row(i)[w] = 0;
  }
  ST_FN int size(int i) const {
    int count = 0;
    ST_ROLLED
    for (int w = 0; w < words; ++w) count += count_bits(row(i)[w]);
    return count;
  }

  /// Calls f(member) for the members of row i, in increasing order.
  template <class F>
  ST_FN void each(int i, F f) const {
    ST_ROLLED
    for (int w = 0; w < words; ++w)
      for (std::uint64_t m = row(i)[w]; m; m &= m - 1) f(64 * w + lowest_bit(m));
  }

  /// Calls f(member) for the members that rows i and j have in common, in increasing order.
  template <class F>
  ST_FN void each_common(int i, int j, F f) const {
    ST_ROLLED
    for (int w = 0; w < words; ++w)
      for (std::uint64_t m = row(i)[w] & row(j)[w]; m; m &= m - 1) f(64 * w + lowest_bit(m));
  }
};

}  // namespace stiction
