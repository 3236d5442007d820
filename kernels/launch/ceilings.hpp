// What a machine can do at most, measured by two small loops: copying memory, and multiply-adds in registers.
#pragma once

namespace stiction {

struct Ceilings {
  double copy_bytes;     // read and written in a copy of memory [B/s]
  double multiply_adds;  // fused, in double [1/s]
};

/// Of GPU `index`; throws where there is none.
Ceilings measure_cuda_ceilings(int index);

}  // namespace stiction
