// The GPUs that this program can use.
#pragma once

#include <string>
#include <vector>

namespace stiction {

struct CudaDevices {
  std::vector<std::string> names;  // by index
  std::string why_none;            // set if there are none
};

/// No GPU, no driver (CUDA's errors 35 and 100) and a GPU older than compute capability 8.0 all mean: not usable.
CudaDevices find_cuda_devices();

}  // namespace stiction
