#include "bench/gpu_check/cusolver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "host/cli/bench_case.hpp"
#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_stream.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kRuns = 5;   // after one that is not timed
constexpr int kLower = 0;  // CUBLAS_FILL_MODE_LOWER

// cuSOLVER's C interface, as cusolverDn.h has it
using Handle = void*;
using Create = int (*)(Handle*);
using Destroy = int (*)(Handle);
using SetStream = int (*)(Handle, cudaStream_t);
template <class Real>
using Factor = int (*)(Handle, int uplo, int n, Real** a, int lda, int* info, int batch);
template <class Real>
using Solve = int (*)(Handle, int uplo, int n, int sides, Real** a, int lda, Real** b, int ldb, int* info, int batch);

/// Opens `file`, or the first of the usual places of this CUDA version's.
void* open_library(const std::string& file) {
  const std::string usual = "libcusolver.so." + std::to_string(CUDART_VERSION / 1000 - 1);  // numbered one below CUDA
  std::vector<std::string> places = {file};
  if (file.empty()) places = {usual, "/usr/local/cuda/lib64/" + usual};
  std::string why;
  for (const std::string& place : places) {
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    why += (why.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw NoCusolver("no cuSOLVER: " + why);
}

template <class Function>
Function find(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) throw NoCusolver("no cuSOLVER: " + std::string(dlerror()));
  return reinterpret_cast<Function>(found);
}

void check(int status, const char* function) {
  if (status != 0) throw NoCusolver(std::string(function) + ": cuSOLVER's status " + std::to_string(status));
}

/// Moments of a stream.
class Moment {
 public:
  Moment() { check_cuda(cudaEventCreate(&event_), "making an event"); }
  ~Moment() { cudaEventDestroy(event_); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  void record(const CudaStream& stream) { check_cuda(cudaEventRecord(event_, stream.get()), "recording an event"); }
  /// Seconds from `earlier` to here; the stream has passed both.
  double since(const Moment& earlier) const {
    float milliseconds = 0.0f;
    check_cuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "timing cuSOLVER");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// One system on the host, and `batch` of it on the GPU, which solving overwrites.
template <class Real>
class Systems {
 public:
  Systems(int dofs, int batch) : n_(static_cast<std::size_t>(dofs)) {
    for (int i = 0; i < dofs; ++i)
      for (int j = 0; j < dofs; ++j) one_.push_back(static_cast<Real>(std::ldexp(1.0, -std::abs(i - j))));
    for (std::size_t i = 0; i < n_; ++i) one_.push_back(std::accumulate(row(i), row(i) + n_, Real(0)));
    const auto count = static_cast<std::size_t>(batch);
    std::size_t available = 0, total = 0;
    check_cuda(cudaMemGetInfo(&available, &total), "reading the GPU's memory");
    if ((count + 1) * one_.size() * sizeof(Real) > available)
      throw OutOfMemory(std::to_string(batch) + " dense matrices do not fit into the GPU's memory");
    fresh_ = DeviceArray<Real>(one_);
    all_ = DeviceArray<Real>(count * one_.size());
    matrices_ = DeviceArray<Real*>(addresses(0));
    sides_ = DeviceArray<Real*>(addresses(n_ * n_));
    info_ = DeviceArray<int>(count);
    check_cuda(cudaDeviceSynchronize(), "copying to the GPU");
  }

  /// Enqueues every system as it was.
  void restore(const CudaStream& stream) const {
    for (std::size_t at = 0; at < all_.size(); at += one_.size())
      check_cuda(cudaMemcpyAsync(all_.data() + at, fresh_.data(), one_.size() * sizeof(Real), cudaMemcpyDeviceToDevice,
                                 stream.get()),
                 "copying on the GPU");
  }

  /// |A x - b| / |b| of the first and the last system, solved.
  double error(const CudaStream& stream) const {
    const std::size_t last = all_.size() - one_.size();
    return std::max(error_at(0, stream), error_at(last, stream));
  }

  Real** matrices() const { return matrices_.data(); }
  Real** sides() const { return sides_.data(); }
  int* info() const { return info_.data(); }

 private:
  const Real* row(std::size_t i) const { return one_.data() + i * n_; }
  const Real* side() const { return one_.data() + n_ * n_; }

  std::vector<Real*> addresses(std::size_t offset) const {
    std::vector<Real*> each;
    for (std::size_t at = offset; at < all_.size(); at += one_.size()) each.push_back(all_.data() + at);
    return each;
  }

  /// Infinite where x is not finite.
  double error_at(std::size_t at, const CudaStream& stream) const {
    std::vector<Real> x(n_);
    check_cuda(
        cudaMemcpyAsync(x.data(), all_.data() + at + n_ * n_, n_ * sizeof(Real), cudaMemcpyDeviceToHost, stream.get()),
        "copying from the GPU");
    stream.wait("solving by cuSOLVER");
    double worst = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double left = std::inner_product(x.begin(), x.end(), row(i), -static_cast<double>(side()[i]));
      if (!std::isfinite(left)) return std::numeric_limits<double>::infinity();
      worst = std::max(worst, std::fabs(left));
    }
    return worst / static_cast<double>(*std::max_element(side(), side() + n_));
  }

  std::size_t n_;
  std::vector<Real> one_;          // A (n, n), b (n)
  DeviceArray<Real> fresh_, all_;  // one of them; (batch) of them
  DeviceArray<Real*> matrices_, sides_;
  DeviceArray<int> info_;
};

}  // namespace

struct Cusolver::Library {
  explicit Library(const std::string& file)
      : opened(open_library(file)),
        create(find<Create>(opened, "cusolverDnCreate")),
        destroy(find<Destroy>(opened, "cusolverDnDestroy")),
        set_stream(find<SetStream>(opened, "cusolverDnSetStream")),
        factor_double(find<Factor<double>>(opened, "cusolverDnDpotrfBatched")),
        factor_float(find<Factor<float>>(opened, "cusolverDnSpotrfBatched")),
        solve_double(find<Solve<double>>(opened, "cusolverDnDpotrsBatched")),
        solve_float(find<Solve<float>>(opened, "cusolverDnSpotrsBatched")) {
    check(create(&handle), "cusolverDnCreate");
    check(set_stream(handle, stream.get()), "cusolverDnSetStream");
  }
  ~Library() { destroy(handle); }  // the library itself stays loaded: CUDA's do not like to go

  template <class Real>
  auto functions() const {
    if constexpr (std::is_same_v<Real, double>)
      return std::pair(factor_double, solve_double);
    else
      return std::pair(factor_float, solve_float);
  }

  CudaStream stream;
  void* opened;
  Create create;
  Destroy destroy;
  SetStream set_stream;
  Factor<double> factor_double;
  Factor<float> factor_float;
  Solve<double> solve_double;
  Solve<float> solve_float;
  Handle handle = nullptr;
};

Cusolver::Cusolver(const std::string& file, int gpu) {
  check_cuda(cudaSetDevice(gpu), "choosing the GPU");
  library_ = std::make_unique<Library>(file);
}

Cusolver::~Cusolver() = default;

template <class Real>
DenseFactor Cusolver::measure(int n, int batch) const {
  const auto [factor, solve] = library_->functions<Real>();
  const CudaStream& stream = library_->stream;
  const Systems<Real> all(n, batch);
  Moment begin, factored, solved;
  std::vector<double> factor_seconds, solve_seconds;
  for (int run = 0; run <= kRuns; ++run) {
    all.restore(stream);
    begin.record(stream);
    check(factor(library_->handle, kLower, n, all.matrices(), n, all.info(), batch), "potrfBatched");
    factored.record(stream);
    check(solve(library_->handle, kLower, n, 1, all.matrices(), n, all.sides(), n, all.info(), batch), "potrsBatched");
    solved.record(stream);
    stream.wait("factoring by cuSOLVER");
    if (run == 0) continue;
    factor_seconds.push_back(factored.since(begin));
    solve_seconds.push_back(solved.since(factored));
  }
  return {quantile(factor_seconds, 0.5), quantile(solve_seconds, 0.5), all.error(stream)};
}

template DenseFactor Cusolver::measure<double>(int, int) const;
template DenseFactor Cusolver::measure<float>(int, int) const;

}  // namespace stiction::gpu_check
