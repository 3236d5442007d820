// The kernels of rays, for one precision; instantiated by cuda_rays_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_rays.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

/// The poses of every environment.
template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kPrepare) pose_kernel(const CudaBatch<Real> b) {
  at_site(b, [&](StepSite<Real>& site, int i) {
    pose_stage(StepTeam{}, site.model, Arena(b.scratch + i * b.scratch_stride), *site.env);
  });
}

/// Every thread traces a ray of its own, whose environment has its poses.
template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) ray_kernel(const CudaBatch<Real> b, const RayBatch<Real> rays) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kThreadsPerBlock + threadIdx.x;
  const int env = static_cast<int>(thread / rays.count), i = static_cast<int>(thread % rays.count);
  if (env >= b.count) return;
  ray_stage(b.view.env_shapes(env), Arena(b.scratch + env * b.scratch_stride), rays, env, i);
}

template <class Real>
void enqueue_rays(const CudaBatch<Real>& batch, const RayBatch<Real>& rays, cudaStream_t stream) {
  launch(batch_size(batch), stream, pose_kernel<Real>, batch);
  const std::int64_t threads = static_cast<std::int64_t>(batch.count) * rays.count;
  const auto blocks = static_cast<int>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock);
  launch(LaunchSize{blocks, kThreadsPerBlock}, stream, ray_kernel<Real>, batch, rays);
}

}  // namespace stiction
