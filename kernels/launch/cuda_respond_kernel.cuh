// The response to one side of a column for one precision of the state; instantiated by cuda_respond_float*.cu.
#pragma once

#include "kernels/launch/cuda_linearize.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kRespond)
    respond_kernel(const CudaBatch<Real> b, const CudaLinearize<Real> own, int column, int sign) {
  at_site(b, [&](StepSite<Real>& site, int i) {
    respond_stage(StepTeam{}, site, i, column, sign, own.out, own.progress[i]);
  });
}

template <class Real>
void enqueue_respond(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, int column, int sign,
                     cudaStream_t stream) {
  launch(batch_size(batch), stream, respond_kernel<Real>, batch, own, column, sign);
}

}  // namespace stiction
