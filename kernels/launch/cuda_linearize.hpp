// The derivatives of a batch's steps on a GPU.
#pragma once

#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/linearize_phases.hpp"

namespace stiction {

/// A linearization in device memory, beside its batch.
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

/// Enqueues the smoothed problems of all wanted tasks; `first`: of the first attempt.
template <class Real>
void enqueue_center(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, bool first, cudaStream_t stream);

/// Enqueues what answers to one side of a column.
template <class Real>
void enqueue_respond(const CudaBatch<Real>& batch, const CudaLinearize<Real>& own, int column, int sign,
                     cudaStream_t stream);

}  // namespace stiction
