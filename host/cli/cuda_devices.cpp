#include "host/cli/cuda_devices.hpp"

#ifdef STICTION_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace stiction {

#ifdef STICTION_HAS_CUDA
CudaDevices find_cuda_devices() {
  CudaDevices devices;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    devices.why_none = cudaGetErrorString(error);
    return devices;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) == cudaSuccess) devices.names.push_back(properties.name);
  }
  if (devices.names.empty()) devices.why_none = "the driver lists no device";
  return devices;
}
#else
CudaDevices find_cuda_devices() { return {{}, "built without CUDA (STICTION_CUDA)"}; }
#endif

}  // namespace stiction
