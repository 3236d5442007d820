// What a GPU is, and copies in its memory.
#pragma once

#include <cstddef>
#include <string>

namespace stiction::gpu_check {

/// Facts about GPU `index`; throws where there is none.
struct GpuFacts {
  std::string name, bus;                                      // "bus": its PCI address
  double processors, memory_bytes, shared_bytes_a_processor;  // "processor": streaming multiprocessor
  int driver, runtime;                                        // CUDA versions, as in 13000
};
GpuFacts read_gpu_facts(int index);

/// Bytes of the GPU's memory that nothing uses.
std::size_t free_gpu_bytes(int index);

/// Copies `bytes` > 0 from the host to `memory` of GPU `index`, and repeats them there up to `total` bytes. Work that
/// is enqueued later sees the copies.
void fill_gpu_memory(int index, void* memory, const void* from, std::size_t bytes, std::size_t total);

}  // namespace stiction::gpu_check
