// A build without CUDA has no GPU to describe.
#include <stdexcept>

#include "bench/gpu_check/gpu_facts.hpp"

namespace stiction::gpu_check {

GpuFacts read_gpu_facts(int) { throw std::logic_error("built without CUDA"); }

}  // namespace stiction::gpu_check
