// Seconds of the kernel that solves first, alone, on the problems of a batch's next step: that for warm starts if the
// solver has one.
//
//   prepare ... meet -> [ task -> overwrite the L2 cache -> solve -> task -> the same solve ] as often as asked
//
// All of a pair is enqueued before the host waits, so that the GPU never waits for the host between the events.
#pragma once

#include <algorithm>

#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_step_graph.hpp"
#include "kernels/launch/kernel_facts.hpp"

namespace stiction {

/// Enqueues the stages of a step's first round that come before the tasks.
template <class Real>
void enqueue_before_tasks(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream) {
  const auto enqueue = [&](auto stage) {
    if (decltype(stage)::kValue < Stage::kTask)
      enqueue_named(decltype(stage)::kValue, batch, launch, Entry::kCall, stream);
  };
  walk_part<StepPart::kStart>(enqueue);
  walk_part<StepPart::kRound>(enqueue);
}

/// Enqueues a solve of all tasks, made anew, while `clock` times its stages; between() is called after the tasks.
template <class Real, class Between>
void enqueue_timed_solve(const CudaBatch<Real>& batch, const SolveLaunch& launch, cudaStream_t stream, Between between,
                         StepClock& clock) {
  enqueue_named(Stage::kTask, batch, launch, Entry::kCall, stream);
  between();
  clock.start(stream);
  for (const Stage stage : {Stage::kWarm, Stage::kSolve}) {
    enqueue_named(stage, batch, launch, Entry::kCall, stream);
    clock.mark(stage, stream);
  }
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
  const Stage first = has_warm_kernel(batch.config.solver.name) ? Stage::kWarm : Stage::kSolve;
  const auto seconds_of = [&](const StepClock& clock) { return clock.sums()[static_cast<std::size_t>(first)].seconds; };
  SolveSeconds seconds;
  enqueue_before_tasks(batch, launch, stream);
  for (int t = 0; t < times; ++t) {
    StepClock cold, again;
    const auto overwrite = [&] {
      check_cuda(cudaMemsetAsync(cache.data(), t, cache.size(), stream), "overwriting the cache");
    };
    enqueue_timed_solve(batch, launch, stream, overwrite, cold);
    enqueue_timed_solve(
        batch, launch, stream, [] {}, again);
    seconds.cold.push_back(seconds_of(cold));
    seconds.again.push_back(seconds_of(again));
  }
  read_iterations(batch.task, batch.count, stream, seconds);
  return seconds;
}

}  // namespace stiction
