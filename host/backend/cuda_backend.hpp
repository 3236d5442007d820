// A batch on one GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "host/backend/backend.hpp"
#include "kernels/launch/factor_memory.hpp"

namespace stiction {

/// How a batch uses a GPU.
struct CudaOptions {
  int device = 0;
  int solve_threads = 0;  // that share a solve: 8, 32, 64, or 0: by the model's size
  FactorMemory factor_memory = FactorMemory::kAuto;
  std::optional<std::uintptr_t> stream;  // cudaStream_t of the caller, which lives longer; none: one of its own
};

/// `batch` environments on a GPU, in float or double. Throws InputError if that GPU cannot be used so, OutOfMemory if
/// its memory does not hold them.
std::unique_ptr<Backend> make_cuda_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           const CudaOptions& options);

/// Copies GPU memory to the host once what was enqueued before is done.
void copy_from_cuda(int device, const void* from, std::size_t bytes, void* to);

/// Copies to the memory of a GPU once everything that it was given is done; what it is given next sees the copy.
void copy_to_cuda(int device, void* to, std::size_t bytes, const void* from);

}  // namespace stiction
