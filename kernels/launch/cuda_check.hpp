// The one checked wrapper of CUDA calls, and what its errors say.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace stiction {

/// Whether the environment variable CUDA_LAUNCH_BLOCKING asks for every kernel to be waited for.
inline bool waits_for_every_kernel() {
  const char* set = std::getenv("CUDA_LAUNCH_BLOCKING");
  return set && *set && std::string(set) != "0";
}

/// Whether an error lasts: the GPU's context is lost, and every later call of the process fails.
inline bool loses_context(cudaError_t code) {
  constexpr int kContained = 226;  // cudaErrorContained, which headers before CUDA 12.9 do not have
  switch (static_cast<int>(code)) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case kContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

/// What a user can do about an error; empty if that is not known.
inline std::string cuda_advice(cudaError_t code) {
  if (code >= cudaErrorStreamCaptureUnsupported && code <= cudaErrorStreamCaptureWrongThread)
    return "; a stream is being captured into a CUDA graph: use the simulator before or after the capture";
  if (!loses_context(code)) return "";
  std::string lost = "; the GPU's context is lost: no call of this process can use the GPU again, start it anew";
  if (waits_for_every_kernel()) return lost;
  return lost +
         " (the cause may be any kernel before this call; with CUDA_LAUNCH_BLOCKING=1 the stage of the step is named)";
}

/// A CUDA call failed: because of a broken device or driver, or of a mistake in this program.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& what)
      : std::runtime_error(what + ": " + cudaGetErrorName(code) + " (" + std::to_string(static_cast<int>(code)) +
                           "): " + cudaGetErrorString(code) + cuda_advice(code)),
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
