#include "host/backend/cuda_devices.hpp"

#ifdef STICTION_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include "host/model/error.hpp"

namespace stiction {

#ifdef STICTION_HAS_CUDA
namespace {

constexpr int kOldestMajor = 8;  // compute capability of the PTX in every build (STICTION_CUDA_ARCHITECTURES)

/// Writes the name of device i, or why it can not be used; false in the latter case.
bool describe_device(int i, std::string& text) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, i);
  if (error != cudaSuccess) {
    text = cudaGetErrorString(error);
    return false;
  }
  text = properties.name;
  if (properties.major >= kOldestMajor) return true;
  text += " has compute capability " + std::to_string(properties.major) + "." + std::to_string(properties.minor) +
          ", 8.0 is needed";
  return false;
}

/// Why CUDA counts no devices, in words of what to do where it has none of its own.
std::string describe_error(cudaError_t error) {
  const std::string number = " (CUDA error " + std::to_string(error) + ")";
  if (error == cudaErrorInsufficientDriver) return "there is no NVIDIA driver, or one that is too old" + number;
  if (error == cudaErrorNoDevice) return "the driver lists no device" + number;
  return cudaGetErrorString(error) + number;
}

}  // namespace

CudaDevices find_cuda_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return {{}, describe_error(error)};
  CudaDevices devices;
  for (int i = 0; i < count; ++i) {
    std::string text;
    if (!describe_device(i, text)) return {{}, "cuda:" + std::to_string(i) + ": " + text};
    devices.names.push_back(text);
  }
  if (devices.names.empty()) devices.why_none = "the driver lists no device";
  return devices;
}
#elif defined STICTION_WHEEL
CudaDevices find_cuda_devices() {
  return {{}, "this package was built without CUDA (one with it: pip install . in a checkout, with nvcc on PATH)"};
}
#else
CudaDevices find_cuda_devices() { return {{}, "built without CUDA (STICTION_CUDA)"}; }
#endif

void refuse_gpu(int index, const CudaDevices& found) {
  throw InputError("device: cuda:" + std::to_string(index) + ": no usable GPU: " + found.why_none +
                   "; the devices cpu and auto need none");
}

}  // namespace stiction
