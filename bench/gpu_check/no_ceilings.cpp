// A build without CUDA has no GPU to measure.
#include <stdexcept>

#include "bench/gpu_check/ceilings.hpp"

namespace stiction::gpu_check {

Ceilings measure_ceilings(int) { throw std::logic_error("built without CUDA"); }
GpuFacts read_gpu_facts(int) { throw std::logic_error("built without CUDA"); }

}  // namespace stiction::gpu_check
