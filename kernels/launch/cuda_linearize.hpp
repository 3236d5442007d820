// The derivatives of a batch's steps on a GPU.
#pragma once

#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/linearize_phase.hpp"

namespace stiction {

/// Bytes of scratch that one environment needs, a multiple of 64; the pointers of `model` are on the host.
template <class Real>
std::size_t cuda_linearize_bytes(const ModelView<Real>& model, const Capacity& capacity,
                                 const StepConfig<Real>& config);

/// Enqueues the derivatives of all environments, `at_once` of them at a time in scratch (at_once, stride).
template <class Real>
void enqueue_linearize(const CudaBatch<Real>& batch, double smoothing, const BatchLinearization& out, char* scratch,
                       std::size_t stride, int at_once, cudaStream_t stream);

}  // namespace stiction
