// The stage that decides which points of touching pieces are contacts, for one precision; instantiated by
// cuda_merge_float*.cu. Batches without such pieces do not launch it.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide) merge_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [](StepSite<Real>& site) { merge_stage(WarpTeam{}, site); });
}

template <class Real>
void enqueue_merge(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, merge_kernel<Real>, batch);
}

}  // namespace stiction
