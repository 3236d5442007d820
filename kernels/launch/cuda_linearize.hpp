// The derivatives of a batch's steps on a GPU.
#pragma once

#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/linearize_phases.hpp"

namespace stiction {

/// A linearization in device memory, besides the batch it belongs to.
template <class Real>
struct CudaLinearize {
  BatchLinearization out;
  double smoothing;
  LinearizeProgress<Real>* progress;  // (count)
  char* scratch;                      // (count, stride)
  std::size_t stride;                 // bytes of scratch of one environment, a multiple of 64
};

/// Enqueues the derivatives of all environments.
template <class Real>
void enqueue_linearize(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, cudaStream_t stream);

/// Enqueues the smoothed problems of all wanted tasks; `first`: in the first round.
template <class Real>
void enqueue_center(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, bool first, cudaStream_t stream);

/// Enqueues the responses of all environments to a change of the state on one side of a column.
template <class Real>
void enqueue_respond(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, int column, int sign,
                     cudaStream_t stream);

}  // namespace stiction
