// A step on the GPU: its stages (kernels/step/stages.inc) recorded as one graph, or launched one by one with a clock.
// The first round is recorded outside of the loop, because it is nearly always the only one. Further rounds are a loop
// in the graph, which ends when the stage `judge` asks for no other round.
#pragma once

#include "kernels/launch/cuda_graph_loop.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_step_clock.hpp"

namespace stiction {

/// Records a step of `batch`; `first`: the step begins a call of several steps.
template <class Real>
CudaGraph record_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, bool first, const CudaStream& recorder) {
  const auto in = [&](cudaStream_t stream) {
    return [&, stream](auto stage) { enqueue_stage(decltype(stage)::kValue, batch, launch, first, stream); };
  };
  return CudaGraph(recorder, [&] {
    walk_part<StepPart::kStart>(in(recorder.get()));
    walk_part<StepPart::kRound>(in(recorder.get()));
    record_while(recorder.get(), batch.again, [&](cudaStream_t inside) { walk_part<StepPart::kRound>(in(inside)); });
    walk_part<StepPart::kEnd>(in(recorder.get()));
  });
}

/// Tells the host, which waits for it, whether an environment wants another round; clears the flag as the graph does.
inline bool read_and_clear(int* again, cudaStream_t stream) {
  int wanted = 0;
  check_cuda(cudaMemcpyAsync(&wanted, again, sizeof(int), cudaMemcpyDeviceToHost, stream), "reading the GPU");
  check_cuda(cudaMemsetAsync(again, 0, sizeof(int), stream), "clearing GPU memory");
  check_cuda(cudaStreamSynchronize(stream), "timing a step");
  return wanted != 0;
}

/// Runs a step, as the first of a call, while `clock` times it; the host decides about further rounds in place of the
/// graph.
template <class Real>
void run_timed_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream, StepClock& clock) {
  bool again = false;
  const auto run = [&](auto stage) {
    enqueue_stage(decltype(stage)::kValue, batch, launch, true, stream);
    clock.mark(decltype(stage)::kValue, stream);
  };
  clock.start(stream);
  walk_part<StepPart::kStart>(run);
  do {
    walk_part<StepPart::kRound>(run);
    again = read_and_clear(batch.again, stream);
    clock.start(stream);
  } while (again);
  walk_part<StepPart::kEnd>(run);
}

}  // namespace stiction
