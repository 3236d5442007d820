// Dense Cholesky factors of a batch by cuSOLVER, loaded where a machine has it: nothing links it, no bundle holds it.
//
//   A = L Lᵀ     potrfBatched
//   A x = b      potrsBatched, one right side a matrix
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "host/api/simulator.hpp"

namespace stiction::gpu_check {

/// No cuSOLVER could be loaded; says why.
class NoCusolver : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Of a whole batch: seconds, and the largest |A x - b| / |b| of its first and its last system (max norms).
struct DenseFactor {
  double factor_seconds, solve_seconds, error;
};

class Cusolver {
 public:
  /// The library in `file`, or if empty that of this CUDA version where the loader or /usr/local/cuda has it, on GPU
  /// `gpu`. Throws NoCusolver.
  Cusolver(const std::string& file, int gpu);
  ~Cusolver();

  /// `batch` matrices A_ij = 2^-|i-j| of n × n with b = A 1; medians of a few runs. Throws OutOfMemory, and
  /// std::runtime_error with the function and its status where cuSOLVER fails.
  template <class Real>
  DenseFactor measure(int n, int batch) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace stiction::gpu_check
