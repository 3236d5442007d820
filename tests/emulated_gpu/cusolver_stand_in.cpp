// A library with cuSOLVER's names for the emulated GPU: Cholesky factors of a batch of dense matrices and solves with
// them, enqueued as cuSOLVER's are. Column-major; the lower half is read and overwritten.
#include <cmath>

#include "tests/emulated_gpu/work.hpp"

namespace {

constexpr int kSuccess = 0, kNotSupported = 9, kLower = 0;

struct Handle {
  cudaStream_t stream = nullptr;
};

template <class Real>
int factor(Real* a, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      Real sum = a[i + j * n];
      for (int k = 0; k < j; ++k) sum -= a[i + k * n] * a[j + k * n];
      if (i == j && !(sum > Real(0))) return j + 1;
      a[i + j * n] = i == j ? std::sqrt(sum) : sum / a[j + j * n];
    }
  return 0;
}

template <class Real>
void solve(const Real* l, int n, Real* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= l[i + k * n] * x[k];
    x[i] /= l[i + i * n];
  }
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; ++k) x[i] -= l[k + i * n] * x[k];
    x[i] /= l[i + i * n];
  }
}

/// `work` of one thread, when the stream comes to it.
int enqueue(void* handle, const void* function, std::function<void()> work) {
  return emulated_gpu::enqueue(static_cast<Handle*>(handle)->stream, {function, 1, 1, 1, 0, std::move(work)});
}

template <class Real>
int factor_batch(void* handle, const void* function, int uplo, int n, Real** a, int lda, int* info, int batch) {
  if (uplo != kLower || lda != n) return kNotSupported;
  return enqueue(handle, function, [=] {
    for (int b = 0; b < batch; ++b) info[b] = factor(a[b], n);
  });
}

template <class Real>
int solve_batch(void* handle, const void* function, int uplo, int n, int sides, Real** a, int lda, Real** x, int ldx,
                int batch) {
  if (uplo != kLower || sides != 1 || lda != n || ldx != n) return kNotSupported;
  return enqueue(handle, function, [=] {
    for (int b = 0; b < batch; ++b) solve(a[b], n, x[b]);
  });
}

}  // namespace

extern "C" {

int cusolverDnCreate(void** handle) {
  *handle = new Handle;
  return kSuccess;
}
int cusolverDnDestroy(void* handle) {
  delete static_cast<Handle*>(handle);
  return kSuccess;
}
int cusolverDnSetStream(void* handle, cudaStream_t stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return kSuccess;
}
int cusolverDnDpotrfBatched(void* handle, int uplo, int n, double** a, int lda, int* info, int batch) {
  return factor_batch(handle, reinterpret_cast<void*>(&cusolverDnDpotrfBatched), uplo, n, a, lda, info, batch);
}
int cusolverDnSpotrfBatched(void* handle, int uplo, int n, float** a, int lda, int* info, int batch) {
  return factor_batch(handle, reinterpret_cast<void*>(&cusolverDnSpotrfBatched), uplo, n, a, lda, info, batch);
}
int cusolverDnDpotrsBatched(void* handle, int uplo, int n, int sides, double** a, int lda, double** x, int ldx, int*,
                            int batch) {
  return solve_batch(handle, reinterpret_cast<void*>(&cusolverDnDpotrsBatched), uplo, n, sides, a, lda, x, ldx, batch);
}
int cusolverDnSpotrsBatched(void* handle, int uplo, int n, int sides, float** a, int lda, float** x, int ldx, int*,
                            int batch) {
  return solve_batch(handle, reinterpret_cast<void*>(&cusolverDnSpotrsBatched), uplo, n, sides, a, lda, x, ldx, batch);
}
}
