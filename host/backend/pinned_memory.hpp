// Host memory that a GPU copies from and to by itself.
#pragma once

#include "host/model/out_of_memory.hpp"
#include "kernels/launch/cuda_check.hpp"

namespace stiction {

/// Memory that the system keeps in its place, so that a copy neither waits for the host nor is copied once more there.
/// Throws OutOfMemory if the system does not give it: with other memory every copy would be slower, and nobody would
/// be told.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes) {
    const cudaError_t given = cudaMallocHost(&data_, bytes);
    if (given == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clears the error, which is handled here
      throw OutOfMemory("out of memory: the host has no " + std::to_string(bytes >> 10) +
                        " KiB of page-locked memory, which copies to and from a GPU need");
    }
    check_cuda(given, "allocating page-locked memory");
  }
  ~PinnedMemory() { cudaFreeHost(data_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  char* data() const { return static_cast<char*>(data_); }

 private:
  void* data_ = nullptr;
};

}  // namespace stiction
