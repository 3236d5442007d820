// Upper limits of what a machine can do, measured by two small loops: copying memory, and multiply-adds in registers.
#pragma once

namespace stiction {

struct Ceilings {
  double copy_bytes;     // bytes read plus bytes written by a copy of memory [B/s]
  double multiply_adds;  // fused multiply-adds in double [1/s]
};

/// Measures GPU `index`; throws if there is none.
Ceilings measure_cuda_ceilings(int index);

}  // namespace stiction
