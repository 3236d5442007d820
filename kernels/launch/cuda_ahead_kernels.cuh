// The stages of bodies that move before the velocities of their step are solved, for one precision; instantiated by
// cuda_ahead_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide) gaps_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [](StepSite<Real>& site) { gaps_stage(WarpTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance) go_kernel(const CudaBatch<Real> b) {
  at_site(b, [](StepSite<Real>& site, int) { go_stage(StepTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide) stop_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [&](StepSite<Real>& site) {
    stop_stage(WarpTeam{}, site);
    if (site.progress->parts.seeks) WarpTeam{}.once([&] { atomicExch(b.again, 1); });
  });
}

template <class Real>
void enqueue_gaps(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, gaps_kernel<Real>, batch);
}

template <class Real>
void enqueue_go(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(batch_size(batch), stream, go_kernel<Real>, batch);
}

template <class Real>
void enqueue_stop(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, stop_kernel<Real>, batch);
}

}  // namespace stiction
