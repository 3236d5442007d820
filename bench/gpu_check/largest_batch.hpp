// The most environments of a scene that a machine has room for.
#pragma once

#include <string>

#include "bench/gpu_check/plan.hpp"

namespace stiction::gpu_check {

struct LargestBatch {
  int environments;
  std::string bound;  // what allows no more
};

/// By the memory of the GPU.
LargestBatch find_largest_batch(const Scene& scene, Dtype dtype, const Options& options);

}  // namespace stiction::gpu_check
