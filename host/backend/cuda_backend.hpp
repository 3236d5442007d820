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
  int solve_threads = 0;  // threads that share a solve: 8, 32 or 64; 0: chosen by the model's size
  FactorMemory factor_memory = FactorMemory::kAuto;
  std::optional<std::uintptr_t> stream;  // the caller's cudaStream_t, which must live longer; none: a new stream
};

/// `batch` environments on a GPU, in float or double. Throws InputError if the GPU can not be used with these options,
/// and OutOfMemory if its memory does not hold the batch.
std::unique_ptr<Backend> make_cuda_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           const CudaOptions& options);

/// Copies GPU memory to the host, after all work that was enqueued on the GPU before.
void copy_from_cuda(int device, const void* from, std::size_t bytes, void* to);

/// Copies to the memory of a GPU, after all work that was enqueued on it before; work enqueued later sees the copy.
void copy_to_cuda(int device, void* to, std::size_t bytes, const void* from);

}  // namespace stiction
