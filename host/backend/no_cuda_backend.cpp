// A build without CUDA has no GPU to run on or to measure.
#include "host/backend/ceilings.hpp"
#include "host/backend/cuda_backend.hpp"
#include "host/backend/cuda_devices.hpp"
#include "host/backend/gpu_solver.hpp"
#include "host/model/error.hpp"

namespace stiction {
namespace {

[[noreturn]] void refuse(int device) { refuse_gpu(device, find_cuda_devices()); }

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const Scene&, const Capacity&, int, bool, const CudaOptions& options) {
  refuse(options.device);
}

void copy_from_cuda(int device, const void*, std::size_t, void*) { refuse(device); }

void copy_to_cuda(int device, void*, std::size_t, const void*) { refuse(device); }

std::unique_ptr<GpuSolver> make_gpu_solver(int device, int) { refuse(device); }

Ceilings measure_cuda_ceilings(int index) { refuse(index); }

}  // namespace stiction
