// The GPUs that this program can use.
#pragma once

#include <string>
#include <vector>

namespace stiction {

struct CudaDevices {
  std::vector<std::string> names;  // by index
  std::string why_none;            // set if there are none
};

/// Finds the usable GPUs. Without a GPU, without a driver (CUDA's errors 35 and 100), or with a GPU older than compute
/// capability 8.0 there are none.
CudaDevices find_cuda_devices();

/// Throws InputError that says why there is no GPU to be used as cuda:<index>.
[[noreturn]] void refuse_gpu(int index, const CudaDevices& found);

}  // namespace stiction
