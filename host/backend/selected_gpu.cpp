#include "host/backend/selected_gpu.hpp"

#include "host/backend/cuda_devices.hpp"
#include "host/model/error.hpp"
#include "kernels/launch/cuda_check.hpp"

namespace stiction {

std::string select_gpu(int device) {
  const CudaDevices found = find_cuda_devices();
  const std::string name = "cuda:" + std::to_string(device);
  if (found.names.empty()) refuse_gpu(device, found);
  if (device >= static_cast<int>(found.names.size()))
    throw InputError("device: " + name +
                     " does not exist; this machine has cuda:0 to cuda:" + std::to_string(found.names.size() - 1));
  check_cuda(cudaSetDevice(device), "selecting " + name);
  return name + " (" + found.names[static_cast<std::size_t>(device)] + ")";
}

std::size_t usable_gpu_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "reading the GPU's free memory");
  const std::size_t kept_free = total_bytes / 50;  // for the driver, stacks and fragmentation
  return free_bytes > kept_free ? free_bytes - kept_free : 0;
}

SharedMemory gpu_shared_memory(int device) {
  const auto bytes = [&](cudaDeviceAttr attribute) {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "reading the GPU's shared memory");
    return static_cast<std::size_t>(value);
  };
  return {bytes(cudaDevAttrMaxSharedMemoryPerBlockOptin), bytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          bytes(cudaDevAttrReservedSharedMemoryPerBlock)};
}

std::size_t cache_bytes(int device) {
  int bytes = 0;
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "reading the GPU's cache");
  return static_cast<std::size_t>(bytes);
}

int count_processors(int device) {
  int count = 0;
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "reading the GPU's size");
  return count;
}

}  // namespace stiction
