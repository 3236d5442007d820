// Tasks for the GPU, in memory that has a copy on the host.
#pragma once

#include <span>
#include <vector>

#include "host/backend/gpu_solver.hpp"
#include "host/backend/mirrored_memory.hpp"
#include "kernels/launch/cuda_solve.hpp"

namespace stiction {

/// What the kernels change, and what they only read.
struct TaskMemory {
  MirroredMemory changed, read;
};

/// The answer of a run. `kept` is its certificate: d (nv) or y (impulses), of LCPs y (size).
struct MirroredAnswer {
  Mirrored<double> v, lambda, row_lambda, kept;
};

/// Tasks for runs of solvers, in their order. The arrays of answers start with what the runs have there.
class SolveTasks {
 public:
  /// `launches`: number of launches that share the tasks among them.
  SolveTasks(std::span<SolverRun* const> runs, std::size_t launches, TaskMemory& memory);

  SolveTask* task(std::size_t run) const { return task_.there + run; }
  /// Counters of a launch (SolveBatch::taken), 0.
  int* taken(std::size_t launch) const { return taken_.there + kTaskKernels * launch; }

  /// Copies answers and reports to the runs, once the host's memory has what the kernels wrote.
  void collect(std::span<SolverRun* const> runs) const;

 private:
  Mirrored<SolveTask> task_;
  Mirrored<int> taken_;
  std::vector<MirroredAnswer> answers_;
};

/// The same for LCPs, of a single launch.
class LcpTasks {
 public:
  LcpTasks(std::span<LcpRun* const> runs, TaskMemory& memory);

  LcpTask* task() const { return task_.there; }
  int* taken() const { return taken_.there; }

  void collect(std::span<LcpRun* const> runs) const;

 private:
  Mirrored<LcpTask> task_;
  Mirrored<int> taken_;
  std::vector<MirroredAnswer> answers_;
};

}  // namespace stiction
