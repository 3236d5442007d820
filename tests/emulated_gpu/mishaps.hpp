// Mishaps that a test asks for, by environment variables that name one each as NAME:CODE:
//
//   EMULATED_GPU_REFUSES   a call of the runtime that the driver refuses, such as cudaGraphInstantiate:801
//   EMULATED_GPU_BREAKS    a part of the name of a kernel that breaks the device, such as judge_kernel:700; its error
//                          stays until take_faults()
#pragma once

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <string>

namespace emulated_gpu {

/// The error that `variable` asks for where it names a part of `name`; success otherwise.
inline cudaError_t mishap(const char* variable, const std::string& name) {
  const char* set = std::getenv(variable);
  const std::string asked = set ? set : "";
  const std::size_t colon = asked.rfind(':');
  if (colon == std::string::npos || name.find(asked.substr(0, colon)) == std::string::npos) return cudaSuccess;
  return static_cast<cudaError_t>(std::atoi(asked.c_str() + colon + 1));
}

}  // namespace emulated_gpu
