// The smoothed problem for one precision of the state; instantiated by cuda_center_float*.cu.
#pragma once

#include "kernels/launch/cuda_linearize.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCenter)
    center_kernel(const CudaBatch<Real> b, const CudaLinearize<Real> own, bool first) {
  at_site(b, [&](StepSite<Real>& site, int i) {
    center_stage(StepTeam{}, own.smoothing, first, Arena(own.scratch + i * own.stride), site, own.progress[i]);
  });
}

template <class Real>
void enqueue_center(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, bool first, cudaStream_t stream) {
  launch(batch_size(batch), stream, center_kernel<Real>, batch, own, first);
}

}  // namespace stiction
