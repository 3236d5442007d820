// The GPUs that this program can use.
#pragma once

#include <string>
#include <vector>

namespace stiction {

struct CudaDevices {
  std::vector<std::string> names;  // by index
  std::string why_none;            // set if there are none
};

CudaDevices find_cuda_devices();

}  // namespace stiction
