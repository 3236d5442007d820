// The narrow phase for one precision; instantiated by cuda_collide_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) collide_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) collide_phase(StepTeam{}, b.view, i, b.progress[i]);
}

template <class Real>
void enqueue_collide(const CudaBatch<Real>& b, cudaStream_t stream) {
  launch(launch_size<StepTeam>(b.count), stream, collide_kernel<Real>, b);
}

}  // namespace stiction
