// A build without CUDA has no GPU to describe, and no cuSOLVER.
#include <stdexcept>

#include "bench/gpu_check/calibration.hpp"
#include "bench/gpu_check/cusolver.hpp"
#include "bench/gpu_check/gpu_facts.hpp"

namespace stiction::gpu_check {

GpuFacts read_gpu_facts(int) { throw std::logic_error("built without CUDA"); }
std::size_t free_gpu_bytes(int) { throw std::logic_error("built without CUDA"); }
std::vector<Constant> measure_constants(int, bool) { throw std::logic_error("built without CUDA"); }
void fill_gpu_memory(int, void*, const void*, std::size_t, std::size_t) {
  throw std::logic_error("built without CUDA");
}

struct Cusolver::Library {};
Cusolver::Cusolver(const std::string&, int) { throw NoCusolver("built without CUDA"); }
Cusolver::~Cusolver() = default;
template <class Real>
DenseFactor Cusolver::measure(int, int) const {
  throw std::logic_error("built without CUDA");
}
template DenseFactor Cusolver::measure<double>(int, int) const;
template DenseFactor Cusolver::measure<float>(int, int) const;

}  // namespace stiction::gpu_check
