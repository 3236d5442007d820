// The order of a step's kernels: recorded as one graph, or launched one by one with a clock.
//
//   prepare
//   attempt                                            nearly always the only one
//   while an environment wants another   attempt       at most kMaxAttempts in all, since judge then wants none
//   finish
#pragma once

#include "kernels/launch/cuda_graph_loop.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_step_clock.hpp"

namespace stiction {

/// A step of `batch`; `first` starts a call of several steps.
template <class Real>
CudaGraph record_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, bool first, const CudaStream& recorder) {
  return CudaGraph(recorder, [&] {
    enqueue_prepare(batch, first, recorder.get());
    enqueue_attempt(batch, launch, recorder.get());
    record_while(recorder.get(), batch.again, [&](cudaStream_t inside) { enqueue_attempt(batch, launch, inside); });
    enqueue_finish(batch, recorder.get());
  });
}

/// Whether an environment wants another attempt, for the host, which waits; cleared as the graph clears it.
inline bool take_again(int* again, cudaStream_t stream) {
  int wanted = 0;
  check_cuda(cudaMemcpyAsync(&wanted, again, sizeof(int), cudaMemcpyDeviceToHost, stream), "reading the GPU");
  check_cuda(cudaMemsetAsync(again, 0, sizeof(int), stream), "clearing GPU memory");
  check_cuda(cudaStreamSynchronize(stream), "timing a step");
  return wanted != 0;
}

/// Runs a step, the first of a call, that `clock` times; the host decides where the graph would.
template <class Real>
void run_timed_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream, StepClock& clock) {
  clock.start(stream);
  enqueue_prepare(batch, true, stream);
  clock.mark(StepKernel::kPrepare, stream);
  bool again = true;
  while (again) {
    enqueue_attempt(batch, launch, stream, &clock);
    again = take_again(batch.again, stream);
    clock.start(stream);
  }
  enqueue_finish(batch, stream, &clock);
}

}  // namespace stiction
