// What crosses the bus between host and GPU, counted for tests, and the host memory that is pinned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace emulated_gpu {

/// Bytes of copies that were made.
struct Bus {
  std::size_t to_gpu = 0, to_host = 0;
  std::size_t pageable = 0;  // of both, with host memory that is not pinned
};

/// What was copied since this was last asked.
Bus take_bus();

/// To be called for every copy.
void count_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

/// From now on the host has, or has no, memory to pin.
enum class Pinning { kWorks, kFails };
void set_pinning(Pinning pinning);

}  // namespace emulated_gpu
