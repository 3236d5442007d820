// Contact problems and LCPs on the GPU, as the host hands them over: tasks in device memory, one team a task.
//
// The kernels of a solver are compiled for every solver apart (cuda_solve.cu.in), that of LCPs in cuda_solve_lcp.cu.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/launch/factor_memory.hpp"
#include "kernels/step/stages.hpp"

namespace stiction {

/// Scratch for as many solves as a GPU holds at once. A team takes one task after the other.
struct SolvePool {
  char* scratch;       // (slots, stride)
  std::size_t stride;  // bytes of a solve's scratch, a multiple of 64
  int slots;           // solves at once
  int* taken;          // tasks taken beyond the first of every slot, by solve and by explain (2)
};

/// Solves at once: all that the GPU holds, in whole blocks, but no more than there are tasks.
constexpr int choose_solve_slots(SolveWidth width, int tasks, int processors) {
  const int block = environments_a_block(width), most = processors * resident_blocks(width) * block;
  const int wanted = (tasks + block - 1) / block * block;
  return wanted < most ? wanted : most;
}

/// One LCP to solve, and where its answer goes.
struct LcpTask {
  LcpProblem<double> problem;
  Array<double> z;       // (size)
  Array<double> farkas;  // (size) keeps y, as the arena goes to another task
  Arena arena;
  LcpReport<double> report;
};

/// Tasks, and what is the same for all of them.
template <class Task, class Config>
struct TaskBatch {
  Config config;
  Task* task;  // (count)
  int count;
  SolvePool pool;
  int* taken;  // of the pool, by this kernel
};

using SolveBatch = TaskBatch<SolveTask, SolverConfig>;  // to solve or to explain
using LcpBatch = TaskBatch<LcpTask, LcpOptions>;

/// Enqueues the solve of all wanted tasks, with `near_bytes` of shared memory each.
template <SolverName kName, class Factor>
void enqueue_solve(SolveWidth width, const SolveBatch& solves, std::size_t near_bytes, cudaStream_t stream);

/// Allows blocks of this solver's kernel to use `bytes` of shared memory.
template <SolverName kName, class Factor>
void allow_solve_memory(std::size_t bytes);

/// Enqueues the explanation of all wanted tasks that the solver did not solve, `width` threads per task.
void enqueue_explain(SolveWidth width, const SolveBatch& solves, cudaStream_t stream);

/// Enqueues the solve of LCPs, `width` threads per LCP.
void enqueue_lcps(SolveWidth width, const LcpBatch& lcps, cudaStream_t stream);

namespace solve_launch_detail {

/// Calls run(solver, factor) with a SolverOf and a value of the type of factor that the configuration names.
template <class Run>
void with_solver(const SolverConfig& config, Run run) {
  const auto with_factor = [&](auto solver) {
    if constexpr (decltype(solver)::kFactors)
      if (config.factor == Dtype::kFloat32) return run(solver, float());
    run(solver, double());
  };
  switch (config.name) {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) \
  case SolverName::enumerator:                               \
    return with_factor(SolverOf<SolverName::enumerator>{});
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
}

}  // namespace solve_launch_detail

/// Enqueues the solve of all wanted tasks by the solver of their configuration.
inline void enqueue_solver(const SolveLaunch& launch, const SolveBatch& solves, cudaStream_t stream) {
  solve_launch_detail::with_solver(solves.config, [&](auto solver, auto factor) {
    enqueue_solve<decltype(solver)::kName, decltype(factor)>(launch.width, solves, launch.near_bytes, stream);
  });
}

/// As enqueue_explain, for tasks that were solved with `width` threads: a warp explains a problem that a quarter of one
/// solves, because few do not get a solution, and those take long.
inline void enqueue_explanation(SolveWidth width, const SolveBatch& solves, cudaStream_t stream) {
  enqueue_explain(width == SolveWidth::kQuarter ? SolveWidth::kWarp : width, solves, stream);
}

/// Allows the kernel of the solver to use `bytes` of shared memory per block, static and dynamic together.
inline void allow_shared_memory(const SolverConfig& config, std::size_t bytes) {
  solve_launch_detail::with_solver(
      config, [&](auto solver, auto factor) { allow_solve_memory<decltype(solver)::kName, decltype(factor)>(bytes); });
}

}  // namespace stiction
