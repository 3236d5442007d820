// A batch on one GPU.
#pragma once

#include "host/backend/backend.hpp"
#include "kernels/launch/factor_memory.hpp"

namespace stiction {

/// `batch` environments on GPU `device`, in float or double; `solve_threads` (8, 32, 64, or 0: by the model) share
/// a solve, whose factor lies in `factor_memory`. Throws InputError if that GPU cannot be used so, OutOfMemory if its
/// memory does not hold them.
std::unique_ptr<Backend> make_cuda_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           int device, int solve_threads, FactorMemory factor_memory);

}  // namespace stiction
