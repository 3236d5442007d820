// What a GPU is.
#pragma once

#include <string>

namespace stiction::gpu_check {

/// Facts about GPU `index`; throws where there is none.
struct GpuFacts {
  std::string name;
  double processors, memory_bytes, shared_bytes_a_processor;  // "processor": streaming multiprocessor
  int driver, runtime;                                        // CUDA versions, as in 13000
};
GpuFacts read_gpu_facts(int index);

}  // namespace stiction::gpu_check
