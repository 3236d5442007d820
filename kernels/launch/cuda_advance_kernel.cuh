// The motion of bodies that move before the velocities of their step are solved, for one precision; instantiated by
// cuda_advance_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide)
    advance_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [](StepSite<Real>& site) { advance_stage(WarpTeam{}, site); });
}

template <class Real>
void enqueue_advance(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, advance_kernel<Real>, batch);
}

}  // namespace stiction
