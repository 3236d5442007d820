// The kernels of steps that seek their end (kernels/step/end_rounds.hpp), for one precision of the state; instantiated
// by cuda_end_float*.cu. Other steps do not launch them.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kCollide) arrive_kernel(const CudaBatch<Real> b) {
  at_sites_in_turn(b, [](StepSite<Real>& site) { arrive_stage(WarpTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kEnd) end_task_kernel(const CudaBatch<Real> b) {
  reset_taken(b);
  at_site(b, [](StepSite<Real>& site, int) { task_stage<true>(StepTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kEnd) confirm_kernel(const CudaBatch<Real> b) {
  at_site(b, [](StepSite<Real>& site, int) { confirm_stage(StepTeam{}, site); });
}

template <class Real>
void enqueue_arrive(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(narrow_size(batch), stream, arrive_kernel<Real>, batch);
}

template <class Real>
void enqueue_end_task(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(batch_size(batch), stream, end_task_kernel<Real>, batch);
}

template <class Real>
void enqueue_confirm(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(batch_size(batch), stream, confirm_kernel<Real>, batch);
}

}  // namespace stiction
