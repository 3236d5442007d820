// Rays of a batch on a GPU.
#pragma once

#include <cstdint>

#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/run_rays.hpp"

namespace stiction {

/// Enqueues the rays of all environments, at least one of each, at their present states.
template <class Real>
void enqueue_rays(const CudaBatch<Real>& batch, const RayBatch<Real>& rays, cudaStream_t stream);

}  // namespace stiction
