// The kernel of sensors, for one precision; instantiated by cuda_sense_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"
#include "kernels/launch/run_sensors.hpp"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kSense) sense_kernel(const CudaBatch<Real> b) {
  at_site(b, [&](StepSite<Real>& site, int i) {
    sense_stage(StepTeam{}, site.model, site.capacity, site.config, Arena(b.scratch + i * b.scratch_stride), *site.env);
  });
}

template <class Real>
void enqueue_sensors(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(batch_size(batch), stream, sense_kernel<Real>, batch);
}

}  // namespace stiction
