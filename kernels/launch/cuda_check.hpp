// The one checked wrapper of CUDA calls.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace stiction {

/// A CUDA call failed: because of a broken device or driver, or of a mistake in this program.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& what)
      : std::runtime_error(what + ": " + cudaGetErrorName(code) + " (" + std::to_string(static_cast<int>(code)) +
                           "): " + cudaGetErrorString(code)),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Throws CudaError unless `code` is success; `what` says what the call was for.
inline void check_cuda(cudaError_t code, const std::string& what) {
  if (code != cudaSuccess) throw CudaError(code, what);
}

}  // namespace stiction
