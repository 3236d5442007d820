// Contact problems and LCPs on the GPU, as the host hands them over: tasks in device memory, one team a task.
//
//   order     the tasks that are wanted, those first that took long in the last step        cuda_order.cu
//   warm      the default solver's attempts from the warm start: most tasks are then solved  cuda_warm.cu.in
//   solve     all that is not solved                                                         cuda_solve.cu.in
//   explain   why what is still not solved has no solution                                   cuda_explain.cu
//
// The kernels of a solver are compiled for every solver apart, that of LCPs in cuda_solve_lcp.cu.
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
  int slots;           // solves at once, of the kernel that holds the most
  int processors;      // multiprocessors of the GPU
};

/// Solves at once: all that the GPU holds of a kernel with such blocks, in whole blocks, but no more than there are
/// tasks.
constexpr int choose_solve_slots(const SolveBlocks& blocks, int tasks, int processors) {
  const int most = processors * blocks.resident * blocks.environments;
  const int wanted = (tasks + blocks.environments - 1) / blocks.environments * blocks.environments;
  return wanted < most ? wanted : most;
}

/// The same of the kernel that holds the most.
constexpr int most_solve_slots(SolveWidth width, int tasks, int processors) {
  return choose_solve_slots(solve_blocks(width, TaskKernel::kWarm), tasks, processors);
}

/// Environments of a block where `at_once` of them are solved at once: of whole warps no more than give every
/// multiprocessor a block.
constexpr int rows_of_a_block(SolveWidth width, const SolveBlocks& blocks, int at_once, int processors) {
  const int each = (at_once + processors - 1) / processors;
  return width == SolveWidth::kQuarter || each > blocks.environments ? blocks.environments : each;
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
  int* taken;                  // tasks that each kernel has taken (kTaskKernels)
  const int* order = nullptr;  // (*ordered) the tasks, in the order in which they are taken; null: all, by their number
  const int* ordered = nullptr;  // (1)
};

using SolveBatch = TaskBatch<SolveTask, SolverConfig>;  // to solve or to explain
using LcpBatch = TaskBatch<LcpTask, LcpOptions>;

/// Enqueues the solve of all wanted tasks, with `near_bytes` of shared memory each.
template <SolverName kName, class Factor>
void enqueue_solve(SolveWidth width, const SolveBatch& solves, std::size_t near_bytes, cudaStream_t stream);

/// Allows blocks of this solver's kernel to use `bytes` of shared memory.
template <SolverName kName, class Factor>
void allow_solve_memory(std::size_t bytes);

/// The same for the kernel of the default solver's attempts from the warm start.
template <class Factor>
void enqueue_warm_solve(SolveWidth width, const SolveBatch& solves, std::size_t near_bytes, cudaStream_t stream);
template <class Factor>
void allow_warm_memory(std::size_t bytes);

/// Enqueues the order of tasks: `order` (count) gets the numbers of the tasks that are wanted, `ordered` their number.
/// First those whose last step took at least 32 iterations, then 16, 8, 4, 2 and fewer, each group by number.
void enqueue_order(const SolveTask* task, int count, int* order, int* ordered, cudaStream_t stream);

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

/// Enqueues the attempts from warm starts, of a solver that has a kernel for them.
inline void enqueue_warm(const SolveLaunch& launch, const SolveBatch& solves, cudaStream_t stream) {
  solve_launch_detail::with_solver(solves.config, [&](auto solver, auto factor) {
    if constexpr (has_warm_kernel(decltype(solver)::kName))
      enqueue_warm_solve<decltype(factor)>(launch.width, solves, launch.warm_near_bytes, stream);
  });
}

/// Enqueues the solve of all tasks that are left, by the solver of their configuration.
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

/// Allows the kernels of the solver to use `bytes` of shared memory per block, static and dynamic together.
inline void allow_shared_memory(const SolverConfig& config, std::size_t bytes) {
  solve_launch_detail::with_solver(config, [&](auto solver, auto factor) {
    allow_solve_memory<decltype(solver)::kName, decltype(factor)>(bytes);
    if constexpr (has_warm_kernel(decltype(solver)::kName)) allow_warm_memory<decltype(factor)>(bytes);
  });
}

}  // namespace stiction
