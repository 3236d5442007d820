// A step on the GPU: its stages (kernels/step/stages.inc) recorded as one graph, or launched one by one.
// In the graph, the first round is outside of the loop, because it is nearly always the only one. Further rounds are a
// loop, which ends when the stage `judge` asks for no other round. Launched one by one, the host waits for every round
// and decides in place of the loop.
#pragma once

#include "kernels/launch/cuda_graph_loop.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_step_clock.hpp"

namespace stiction {

inline std::string stage_text(Stage stage) {
  return std::string("the stage ") + kStageNames[static_cast<int>(stage)] + " of a step";
}

/// Enqueues a stage; errors name it.
template <class Real>
void enqueue_named(Stage stage, const CudaBatch<Real>& batch, const SolveLaunch& launch, Entry entry,
                   cudaStream_t stream) {
  try {
    enqueue_stage(stage, batch, launch, entry, stream);
  } catch (const CudaError& error) {
    throw CudaError(error.code(), stage_text(stage));
  }
}

/// Records a step of `batch` that has one part.
template <class Real>
CudaGraph record_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, Entry entry,
                      const CudaStream& recorder) {
  const auto in = [&](cudaStream_t stream) {
    return [&, stream](auto stage) {
      if (has_stage(batch, decltype(stage)::kValue))
        enqueue_named(decltype(stage)::kValue, batch, launch, entry, stream);
    };
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
  check_cuda(cudaStreamSynchronize(stream), "a round of a step");
  return wanted != 0;
}

/// Runs a step stage by stage; `started()` is called where the host kept the next kernel waiting, `enqueued(stage)`
/// after every stage. The host waits for every part of a step, too.
template <class Real, class Started, class Enqueued>
void walk_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, Entry first, cudaStream_t stream,
               Started started, Enqueued enqueued) {
  const auto run = [&](Entry entry) {
    return [&, entry](auto stage) {
      if (!has_stage(batch, decltype(stage)::kValue)) return;
      enqueue_named(decltype(stage)::kValue, batch, launch, entry, stream);
      enqueued(decltype(stage)::kValue);
    };
  };
  const auto part = [&](Entry entry) {
    bool again = false;
    walk_part<StepPart::kStart>(run(entry));
    do {
      walk_part<StepPart::kRound>(run(entry));
      again = read_and_clear(batch.again, stream);
      started();
    } while (again);
    walk_part<StepPart::kEnd>(run(entry));
  };
  const auto ahead = [&](Entry entry) {
    walk_part<StepPart::kStart>(run(entry));
    walk_part<StepPart::kAhead>(run(entry));
    do walk_part<StepPart::kTry>(run(entry));
    while (read_and_clear(batch.again, stream));
  };
  started();
  walk_parts(batch.config, first, part, ahead, [&] { return read_and_clear(batch.again, stream); });
}

/// Runs a step, as the first of a call, while `clock` times it.
template <class Real>
void run_timed_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream, StepClock& clock) {
  walk_step(
      batch, launch, Entry::kCall, stream, [&] { clock.start(stream); },
      [&](Stage stage) { clock.mark(stage, stream); });
}

/// Runs a step without a graph. Where every kernel is waited for, an error of a kernel names its stage.
template <class Real>
void run_plain_step(const CudaBatch<Real>& batch, const SolveLaunch& launch, Entry entry, cudaStream_t stream) {
  walk_step(
      batch, launch, entry, stream, [] {},
      [waits = waits_for_every_kernel(), stream](Stage stage) {
        if (waits) check_cuda(cudaStreamSynchronize(stream), stage_text(stage));
      });
}

}  // namespace stiction
