// What the machine can do at most, measured by two small kernels.
#pragma once

#include <string>

namespace stiction::gpu_check {

struct Ceilings {
  double copy_bytes;     // read and written in a copy of device memory [B/s]
  double multiply_adds;  // fused, in double [1/s]
};

/// Of GPU `index`; throws where there is none.
Ceilings measure_ceilings(int index);

/// Facts about GPU `index`; throws where there is none.
struct GpuFacts {
  std::string name;
  double processors, memory_bytes, shared_bytes_a_processor;  // "processor": streaming multiprocessor
  int driver, runtime;                                        // CUDA versions, as in 13000
};
GpuFacts read_gpu_facts(int index);

}  // namespace stiction::gpu_check
