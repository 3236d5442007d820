// The check of where the answers take the bodies, and the narrow phase where bodies meet within the step, for one
// precision; instantiated by cuda_look_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide) look_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [](StepSite<Real>& site) { look_stage(WarpTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide) meet_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [](StepSite<Real>& site) { meet_stage(WarpTeam{}, site); });
}

template <class Real>
void enqueue_look(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, look_kernel<Real>, batch);
}

template <class Real>
void enqueue_meet(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, meet_kernel<Real>, batch);
}

}  // namespace stiction
