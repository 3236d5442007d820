// A batch on one GPU.
#pragma once

#include "host/backend/backend.hpp"

namespace stiction {

/// `batch` environments on GPU `device`, in float or double; `solve_threads` (8, 32, 64, or 0: by the model) share
/// a solve. Throws InputError if that GPU cannot be used, OutOfMemory if its memory does not hold them.
std::unique_ptr<Backend> make_cuda_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           int device, int solve_threads);

}  // namespace stiction
