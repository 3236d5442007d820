// The derivatives of a step for one precision of the state; instantiated by cuda_linearize_float*.cu.
#pragma once

#include <algorithm>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_linearize.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

/// Environments from `first` on, `count` of them.
template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock)
    linearize_kernel(const CudaBatch<Real> b, const BatchLinearization out, double smoothing, int first, int count,
                     char* scratch, std::size_t stride) {
  const int k = team_index<StepTeam>();
  if (k < count)
    linearize_phase(StepTeam{}, b.view, first + k, b.config, smoothing, out,
                    Arena(scratch + static_cast<std::size_t>(k) * stride));
}

template <class Real>
void enqueue_linearize(const CudaBatch<Real>& b, double smoothing, const BatchLinearization& out, char* scratch,
                       std::size_t stride, int at_once, cudaStream_t stream) {
  for (int first = 0; first < b.count; first += at_once) {
    const int count = std::min(at_once, b.count - first);
    linearize_kernel<Real><<<blocks_for<StepTeam>(count), kThreadsPerBlock, 0, stream>>>(b, out, smoothing, first,
                                                                                         count, scratch, stride);
  }
  check_cuda(cudaGetLastError(), "linearizing");
}

template <class Real>
std::size_t cuda_linearize_bytes(const ModelView<Real>& model, const Capacity& capacity,
                                 const StepConfig<Real>& config) {
  return linearize_scratch_bytes(StepTeam{}, model, capacity, config);
}

}  // namespace stiction
