// The order of the kernels of a linearization, and the small kernels among them, for one precision of the state;
// instantiated by cuda_linearize_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_linearize.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kJudge)
    begin_kernel(const CudaBatch<Real> b, const CudaLinearize<Real> own) {
  at_site(b, [&](StepSite<Real>& site, int i) { begin_stage(StepTeam{}, site, i, own.out, own.progress[i]); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kDrift)
    displace_kernel(const CudaBatch<Real> b, const CudaLinearize<Real> own, int column, int sign) {
  at_site(b, [&](StepSite<Real>& site, int i) { displace_stage(StepTeam{}, column, sign, site, own.progress[i]); });
}

template <class Real>
void enqueue_linearize(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, cudaStream_t stream) {
  CudaBatch<Real> b = batch;
  b.config = without_parting(batch.config);
  const LaunchSize size = batch_size(b);
  enqueue_start(b, Entry::kCall, stream);
  for (int round = 0; round <= round_limit(RoundReason::kReach).most; ++round) {
    enqueue_collide(b, stream);
    if (has_stage(b, Stage::kMerge)) enqueue_merge(b, stream);
    enqueue_task(b, stream);
    enqueue_center(b, own, round == 0, stream);
    enqueue_judge(b, stream);
  }
  check_cuda(cudaMemsetAsync(b.again, 0, sizeof(int), stream), "linearizing");  // the loop of a step must not see it
  launch(size, stream, begin_kernel<Real>, b, own);
  for (int column = 0; column < b.view.model.nv + b.view.model.nu; ++column)
    for (const int sign : kSides) {
      launch(size, stream, displace_kernel<Real>, b, own, column, sign);
      enqueue_collide(b, stream);
      enqueue_respond(b, own, column, sign, stream);
    }
}

}  // namespace stiction
