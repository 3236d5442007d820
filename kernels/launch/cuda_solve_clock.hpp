// Seconds of the solve kernel alone, on the problems of a batch's next step.
//
//   prepare ... task -> [ overwrite the L2 cache -> solve -> the same solve ] as often as asked
//
// All of a pair is enqueued before the host waits, so that the GPU never waits for the host between the events.
#pragma once

#include <algorithm>

#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_step_graph.hpp"
#include "kernels/launch/kernel_facts.hpp"

namespace stiction {

/// Enqueues the stages of a step's first round that come before the solve.
template <class Real>
void enqueue_before_solve(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream) {
  const auto enqueue = [&](auto stage) {
    if (decltype(stage)::kValue < Stage::kSolve) enqueue_named(decltype(stage)::kValue, batch, launch, true, stream);
  };
  walk_part<StepPart::kStart>(enqueue);
  walk_part<StepPart::kRound>(enqueue);
}

/// Enqueues a solve of all tasks while `clock` times it.
template <class Real>
void enqueue_timed_solve(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream,
                         StepClock& clock) {
  check_cuda(cudaMemsetAsync(batch.solves.taken, 0, sizeof(int), stream), "clearing GPU memory");
  clock.start(stream);
  enqueue_named(Stage::kSolve, batch, launch, true, stream);
  clock.mark(Stage::kSolve, stream);
}

/// Adds the iterations of the solves that were wanted.
inline void read_iterations(const SolveTask* tasks, int count, cudaStream_t stream, SolveSeconds& seconds) {
  std::vector<SolveTask> seen(static_cast<std::size_t>(count));
  check_cuda(cudaMemcpyAsync(seen.data(), tasks, seen.size() * sizeof(SolveTask), cudaMemcpyDeviceToHost, stream),
             "reading the GPU");
  check_cuda(cudaStreamSynchronize(stream), "timing solves");
  double sum = 0.0, wanted = 0.0;
  for (const SolveTask& task : seen)
    if (task.wanted) {
      sum += task.report.iterations, wanted += 1.0;
      seconds.most_iterations = std::max(seconds.most_iterations, task.report.iterations);
    }
  seconds.iterations = wanted > 0.0 ? sum / wanted : 0.0;
}

/// Times `times` pairs of solves. `cache` is memory of at least the size of the L2 cache. The state does not change.
template <class Real>
SolveSeconds run_timed_solves(const CudaBatch<Real>& batch, const SolveLaunch& launch, int times,
                              const DeviceArray<char>& cache, cudaStream_t stream) {
  constexpr auto kSolve = static_cast<std::size_t>(Stage::kSolve);
  SolveSeconds seconds;
  enqueue_before_solve(batch, launch, stream);
  for (int t = 0; t < times; ++t) {
    StepClock cold, again;
    check_cuda(cudaMemsetAsync(cache.data(), t, cache.size(), stream), "overwriting the cache");
    enqueue_timed_solve(batch, launch, stream, cold);
    enqueue_timed_solve(batch, launch, stream, again);
    seconds.cold.push_back(cold.sums()[kSolve].seconds);
    seconds.again.push_back(again.sums()[kSolve].seconds);
  }
  read_iterations(batch.task, batch.count, stream, seconds);
  return seconds;
}

}  // namespace stiction
