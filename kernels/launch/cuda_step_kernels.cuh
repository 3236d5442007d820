// The kernels around the solver, for one precision of the state; instantiated by cuda_step_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_step_clock.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kPrepare)
    prepare_kernel(const CudaBatch<Real> b, bool first) {
  const int i = team_index<StepTeam>();
  if (i >= b.count) return;
  prepare_phase(StepTeam{}, b.view, i, b.config, Arena(b.scratch + i * b.scratch_stride), first, b.progress[i],
                b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kTask) task_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) task_phase(StepTeam{}, b.view, i, b.config, b.progress[i], b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kJudge) judge_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i >= b.count) return;
  judge_phase(StepTeam{}, b.view, i, b.config, b.progress[i], b.task[i]);
  if (b.task[i].wanted) StepTeam{}.once([&] { atomicExch(b.again, 1); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance)
    advance_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) advance_phase(StepTeam{}, b.view, i, b.config, b.progress[i], b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) report_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) report_phase(StepTeam{}, b.view, i, b.config, b.progress[i], b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance) show_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) show_phase(StepTeam{}, b.view, i, b.config, b.progress[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance) place_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) place_phase(StepTeam{}, b.view, i, Arena(b.scratch + i * b.scratch_stride));
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kPrepare) energy_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) energy_phase(StepTeam{}, b.view, i, Arena(b.scratch + i * b.scratch_stride));
}

/// With the factor's type that is asked for.
template <SolverName kName, SolveWidth kWidth>
void enqueue_solve(const SolverConfig& config, SolveTask* task, int count, std::size_t near_bytes,
                   cudaStream_t stream) {
  if constexpr (SolverOf<kName>::kFactors)
    if (config.factor == Dtype::kFloat32)
      return enqueue_solve<kName, kWidth, float>(config, task, count, near_bytes, stream);
  enqueue_solve<kName, kWidth, double>(config, task, count, near_bytes, stream);
}

template <SolveWidth kWidth>
void enqueue_solver(const SolverConfig& config, SolveTask* task, int count, std::size_t near_bytes,
                    cudaStream_t stream) {
  switch (config.name) {
#define ST_SOLVER(enumerator, name, solve, scratch, factors)                                \
  case SolverName::enumerator:                                                              \
    enqueue_solve<SolverName::enumerator, kWidth>(config, task, count, near_bytes, stream); \
    break;
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
}

/// The solve and, where it fails, why; `mark` is told after each.
template <SolveWidth kWidth, class Mark>
void enqueue_answer(const SolverConfig& config, SolveTask* task, int count, std::size_t near_bytes, cudaStream_t stream,
                    Mark mark) {
  enqueue_solver<kWidth>(config, task, count, near_bytes, stream);
  mark(StepKernel::kSolve);
  constexpr bool narrow = kWidth == SolveWidth::kQuarter;
  enqueue_explain<narrow ? SolveWidth::kWarp : kWidth>(config, task, count, stream);
  mark(StepKernel::kExplain);
}

template <class Mark>
void enqueue_answer(const SolveLaunch& launch, const SolverConfig& config, SolveTask* task, int count,
                    cudaStream_t stream, Mark mark) {
  switch (launch.width) {
    case SolveWidth::kQuarter:
      return enqueue_answer<SolveWidth::kQuarter>(config, task, count, launch.near_bytes, stream, mark);
    case SolveWidth::kWarp:
      return enqueue_answer<SolveWidth::kWarp>(config, task, count, launch.near_bytes, stream, mark);
    case SolveWidth::kBlock:
      return enqueue_answer<SolveWidth::kBlock>(config, task, count, launch.near_bytes, stream, mark);
  }
}

template <class Real>
void enqueue_prepare(const CudaBatch<Real>& b, bool first, cudaStream_t stream) {
  launch(launch_size<StepTeam>(b.count), stream, prepare_kernel<Real>, b, first);
}

template <class Real>
void enqueue_task(const CudaBatch<Real>& b, cudaStream_t stream) {
  launch(launch_size<StepTeam>(b.count), stream, task_kernel<Real>, b);
}

template <class Real>
void enqueue_judge(const CudaBatch<Real>& b, cudaStream_t stream) {
  launch(launch_size<StepTeam>(b.count), stream, judge_kernel<Real>, b);
}

template <class Real>
void enqueue_attempt(const CudaBatch<Real>& b, const SolveLaunch& launch, cudaStream_t stream, StepClock* clock) {
  const auto mark = [&](StepKernel kernel) {
    if (clock) clock->mark(kernel, stream);
  };
  enqueue_collide(b, stream);
  mark(StepKernel::kCollide);
  enqueue_task(b, stream);
  mark(StepKernel::kTask);
  enqueue_answer(launch, b.config.solver, b.task, b.count, stream, mark);
  enqueue_judge(b, stream);
  mark(StepKernel::kJudge);
}

template <class Real>
void enqueue_finish(const CudaBatch<Real>& b, cudaStream_t stream, StepClock* clock) {
  const LaunchSize size = launch_size<StepTeam>(b.count);
  const auto mark = [&](StepKernel kernel) {
    if (clock) clock->mark(kernel, stream);
  };
  launch(size, stream, advance_kernel<Real>, b);
  mark(StepKernel::kAdvance);
  enqueue_collide(b, stream);
  mark(StepKernel::kCollide);
  launch(size, stream, report_kernel<Real>, b);
  mark(StepKernel::kReport);
}

template <class Real>
void enqueue_forward(const CudaBatch<Real>& b, cudaStream_t stream) {
  enqueue_prepare(b, true, stream);
  enqueue_collide(b, stream);
  enqueue_task(b, stream);
  launch(launch_size<StepTeam>(b.count), stream, show_kernel<Real>, b);
}

template <class Real>
void enqueue_place(const CudaBatch<Real>& b, cudaStream_t stream) {
  launch(launch_size<StepTeam>(b.count), stream, place_kernel<Real>, b);
}

template <class Real>
void enqueue_energy(const CudaBatch<Real>& b, cudaStream_t stream) {
  launch(launch_size<StepTeam>(b.count), stream, energy_kernel<Real>, b);
}

template <SolverName kName, SolveWidth kWidth>
void allow_solve_memory(Dtype factor, std::size_t bytes) {
  if constexpr (SolverOf<kName>::kFactors)
    if (factor == Dtype::kFloat32) return allow_solve_memory<kName, kWidth, float>(bytes);
  allow_solve_memory<kName, kWidth, double>(bytes);
}

template <SolveWidth kWidth>
void allow_solver_memory(const SolverConfig& config, std::size_t bytes) {
  switch (config.name) {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) \
  case SolverName::enumerator:                               \
    return allow_solve_memory<SolverName::enumerator, kWidth>(config.factor, bytes);
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
}

template <class Real>
void allow_shared_memory(const StepConfig<Real>& config, SolveWidth width, std::size_t bytes) {
  switch (width) {
    case SolveWidth::kQuarter:
      return allow_solver_memory<SolveWidth::kQuarter>(config.solver, bytes);
    case SolveWidth::kWarp:
      return allow_solver_memory<SolveWidth::kWarp>(config.solver, bytes);
    case SolveWidth::kBlock:
      return allow_solver_memory<SolveWidth::kBlock>(config.solver, bytes);
  }
}

template <class Real>
NearBytes cuda_factor_bytes(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config) {
  return solver_near_bytes<double>(config.solver, solver_capacity(model, capacity, config));
}

template <class Real>
std::size_t cuda_scratch_bytes(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config) {
  const std::size_t bytes = step_scratch_bytes<StepTeam, Real, double>(StepTeam{}, model, capacity, config);
  return (bytes + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
}

}  // namespace stiction
