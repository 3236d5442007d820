// The kernels around the solver, for one precision of the state; instantiated by cuda_step_float*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) prepare_kernel(const CudaBatch<Real> b, bool first) {
  const int i = team_index<StepTeam>();
  if (i >= b.count) return;
  prepare_phase(StepTeam::here(), b.view, i, b.config, Arena(b.scratch + i * b.scratch_stride), first, b.progress[i],
                b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) task_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) task_phase(StepTeam::here(), b.view, i, b.config, b.progress[i], b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) judge_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) judge_phase(StepTeam::here(), b.view, i, b.config, b.progress[i], b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) advance_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) advance_phase(StepTeam::here(), b.view, i, b.config, b.progress[i], b.task[i]);
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock) report_kernel(const CudaBatch<Real> b) {
  const int i = team_index<StepTeam>();
  if (i < b.count) report_phase(StepTeam::here(), b.view, i, b.config, b.progress[i], b.task[i]);
}

template <SolveWidth kWidth>
void enqueue_answer(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  switch (config.name) {
#define ST_SOLVER(enumerator, name, solve, scratch)                             \
  case SolverName::enumerator:                                                  \
    enqueue_solve<SolverName::enumerator, kWidth>(config, task, count, stream); \
    break;
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
  enqueue_explain<kWidth>(config, task, count, stream);
}

template <class Real>
void enqueue_step(const CudaBatch<Real>& b, SolveWidth width, bool first, cudaStream_t stream) {
  const int blocks = blocks_for<StepTeam>(b.count);
  prepare_kernel<Real><<<blocks, kThreadsPerBlock, 0, stream>>>(b, first);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    enqueue_collide(b, stream);
    task_kernel<Real><<<blocks, kThreadsPerBlock, 0, stream>>>(b);
    if (width == SolveWidth::kWarp)
      enqueue_answer<SolveWidth::kWarp>(b.config.solver, b.task, b.count, stream);
    else
      enqueue_answer<SolveWidth::kBlock>(b.config.solver, b.task, b.count, stream);
    judge_kernel<Real><<<blocks, kThreadsPerBlock, 0, stream>>>(b);
  }
  advance_kernel<Real><<<blocks, kThreadsPerBlock, 0, stream>>>(b);
  enqueue_collide(b, stream);
  report_kernel<Real><<<blocks, kThreadsPerBlock, 0, stream>>>(b);
  check_cuda(cudaGetLastError(), "launching a step");
}

template <class Real>
std::size_t cuda_scratch_bytes(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config) {
  const std::size_t bytes = step_scratch_bytes<StepTeam, Real, double>(StepTeam{0, 0}, model, capacity, config);
  return (bytes + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
}

}  // namespace stiction
