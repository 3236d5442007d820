// What the runtime says about the device and about errors.
#include <algorithm>
#include <cstring>

#include "tests/emulated_gpu/memory.hpp"
#include "tests/emulated_gpu/work.hpp"

using namespace emulated_gpu;  // NOLINT: what follows is the runtime's own interface

namespace {
constexpr std::size_t kSharedOfAll = 228 * 1024, kSharedReserved = 1024;  // of a multiprocessor; of a block
}

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorNotSupported:
      return "cudaErrorNotSupported";
    default:
      return "cudaError";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "unspecified launch failure" : "an error of the emulated GPU";
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "emulated GPU");
  properties->major = 9;
  properties->totalGlobalMem = kTotalBytes;
  properties->multiProcessorCount = 1;
  properties->sharedMemPerMultiprocessor = kSharedOfAll;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(kLaunchedBytes);
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(kSharedOfAll);
      return cudaSuccess;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = static_cast<int>(kSharedReserved);
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = 1;
      return cudaSuccess;
    case cudaDevAttrL2CacheSize:
      *value = 64 * 1024;
      return cudaSuccess;
    default:
      return fail(cudaErrorInvalidValue);
  }
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};  // kernels have no registers here, and their shared memory is that of the launch
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads, size_t shared_bytes) {
  const int warps = (threads + 31) / 32;
  const auto by_shared = static_cast<int>(kSharedOfAll / (shared_bytes + kSharedReserved));
  *blocks = std::min({32, 64 / warps, by_shared});  // as many as an H100 holds if registers do not matter
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? broken_by() : fail(cudaErrorInvalidDevice); }

}  // extern "C"
