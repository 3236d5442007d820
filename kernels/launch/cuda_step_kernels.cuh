// The kernels around the solver, for one precision of the state; instantiated by cuda_step_float*.cu.
#pragma once

#include <type_traits>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_kernel_facts.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

/// Calls prepare_stage. It is no lambda, because nvcc would not inline one of this size and would write the model's
/// view to memory for the call.
template <class Real>
struct PrepareSite {
  const CudaBatch<Real>& b;
  Entry entry;
  __device__ __forceinline__ void operator()(StepSite<Real>& site, int i) const {
    prepare_stage(StepTeam{}, Arena(b.scratch + i * b.scratch_stride), entry, site);
    StepTeam{}.once([&] { site.progress->scratch.slots.scratch = b.narrow + i % b.narrow_teams * kNarrowLanes; });
  }
};

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kPrepare)
    prepare_kernel(const CudaBatch<Real> b, Entry entry) {
  at_site(b, PrepareSite<Real>{b, entry});
}

struct DriftSite {
  template <class Real>
  __device__ __forceinline__ void operator()(StepSite<Real>& site, int) const {
    drift_stage(StepTeam{}, site);
  }
};

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kDrift) drift_kernel(const CudaBatch<Real> b) {
  at_site(b, DriftSite{});
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kTask) task_kernel(const CudaBatch<Real> b) {
  reset_taken(b);
  at_site(b, [](StepSite<Real>& site, int) { task_stage<false>(StepTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance) move_kernel(const CudaBatch<Real> b) {
  at_site(b, [](StepSite<Real>& site, int) { move_stage(StepTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kJudge) judge_kernel(const CudaBatch<Real> b) {
  at_site(b, [&](StepSite<Real>& site, int) {
    judge_stage(StepTeam{}, site);
    if (site.task->wanted) StepTeam{}.once([&] { atomicExch(b.again, 1); });
  });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance) finish_kernel(const CudaBatch<Real> b) {
  at_site(b, [&](StepSite<Real>& site, int) {
    finish_stage(StepTeam{}, site);
    if (site.progress->parts.left > 0.0) StepTeam{}.once([&] { atomicExch(b.again, 1); });
  });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance) show_kernel(const CudaBatch<Real> b) {
  at_site(b, [](StepSite<Real>& site, int) { show_stage(StepTeam{}, site); });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kAdvance)
    place_kernel(const CudaBatch<Real> b, const EnvironmentList list) {
  at_listed_site(b, list, [&](StepSite<Real>& site, int i) {
    place_stage(StepTeam{}, site.model, Arena(b.scratch + i * b.scratch_stride), *site.env);
  });
}

template <class Real>
__global__ void __launch_bounds__(kThreadsPerBlock, StepBlocks<Real>::kPrepare) energy_kernel(const CudaBatch<Real> b) {
  at_site(b, [&](StepSite<Real>& site, int i) {
    energy_stage(StepTeam{}, site.model, Arena(b.scratch + i * b.scratch_stride), *site.env);
  });
}

/// True if the tasks are more than are solved at once, so that their order matters.
template <class Real>
bool has_order(const CudaBatch<Real>& batch) {
  return batch.count > batch.solves.slots;
}

template <class Real>
SolveBatch solve_batch(const CudaBatch<Real>& batch) {
  SolveBatch solves = {batch.config.solver, batch.task, batch.count, batch.solves, batch.taken};
  if (has_order(batch)) solves.order = batch.order, solves.ordered = batch.ordered;
  return solves;
}

template <class Real>
void enqueue_start(const CudaBatch<Real>& batch, Entry entry, cudaStream_t stream) {
  launch(batch_size(batch), stream, prepare_kernel<Real>, batch, entry);
  launch(batch_size(batch), stream, drift_kernel<Real>, batch);
}

template <class Real>
void enqueue_task(const CudaBatch<Real>& batch, cudaStream_t stream) {
  if (seeks_end(batch.config))
    enqueue_end_task(batch, stream);
  else
    launch(batch_size(batch), stream, task_kernel<Real>, batch);
  if (has_order(batch)) enqueue_order(batch.task, batch.count, batch.order, batch.ordered, stream);
}

template <class Real>
void enqueue_judge(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(batch_size(batch), stream, judge_kernel<Real>, batch);
}

template <class Real>
void enqueue_stage(Stage stage, const CudaBatch<Real>& batch, const SolveLaunch& solver, Entry entry,
                   cudaStream_t stream) {
  const LaunchSize size = batch_size(batch);
  switch (stage) {
    case Stage::kPrepare:
      return launch(size, stream, prepare_kernel<Real>, batch, entry);
    case Stage::kDrift:
      return launch(size, stream, drift_kernel<Real>, batch);
    case Stage::kGaps:
      return enqueue_gaps(batch, stream);
    case Stage::kGo:
      return enqueue_go(batch, stream);
    case Stage::kStop:
      return enqueue_stop(batch, stream);
    case Stage::kCollide:
      return enqueue_collide(batch, stream);
    case Stage::kMeet:
      return enqueue_meet(batch, stream);
    case Stage::kArrive:
      return enqueue_arrive(batch, stream);
    case Stage::kMerge:
      return enqueue_merge(batch, stream);
    case Stage::kTask:
      return enqueue_task(batch, stream);
    case Stage::kConfirm:
      return enqueue_confirm(batch, stream);
    case Stage::kWarm:
      return enqueue_warm(solver, solve_batch(batch), stream);
    case Stage::kSolve:
      return enqueue_solver(solver, solve_batch(batch), stream);
    case Stage::kExplain:
      return enqueue_explanation(solver.width, solve_batch(batch), stream);
    case Stage::kMove:
      return launch(size, stream, move_kernel<Real>, batch);
    case Stage::kLook:
      return enqueue_look(batch, stream);
    case Stage::kJudge:
      return enqueue_judge(batch, stream);
    case Stage::kFinish:
      return launch(size, stream, finish_kernel<Real>, batch);
  }
}

/// True if the kernel of a stage is launched with the teams of the narrow phase.
constexpr bool is_narrow(Stage stage) {
  return stage == Stage::kGaps || stage == Stage::kStop || stage == Stage::kCollide || stage == Stage::kMeet ||
         stage == Stage::kArrive || stage == Stage::kMerge || stage == Stage::kLook;
}

template <class Real>
std::vector<KernelFacts> ask_about_stages(const CudaBatch<Real>& batch, const SolveLaunch& solver) {
  std::vector<KernelFacts> facts;
  for (int s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    if (!has_stage(batch, stage)) continue;
    const bool narrow = is_narrow(stage);
    const LaunchNotes notes;
    enqueue_stage(stage, batch, solver, Entry::kCall, nullptr);
    for (const NotedLaunch& launch : notes.launches())
      facts.push_back(ask_about_kernel(kStageNames[s], narrow ? kNarrowBlock : launch.rows, launch));
  }
  return facts;
}

template <class Real>
void enqueue_forward(const CudaBatch<Real>& batch, cudaStream_t stream) {
  enqueue_start(batch, Entry::kCall, stream);
  enqueue_collide(batch, stream);
  if (has_stage(batch, Stage::kMerge)) enqueue_merge(batch, stream);
  enqueue_task(batch, stream);
  launch(batch_size(batch), stream, show_kernel<Real>, batch);
}

template <class Real>
void enqueue_place(const CudaBatch<Real>& batch, const EnvironmentList& list, cudaStream_t stream) {
  launch(launch_size(batch.lanes, list.count), stream, place_kernel<Real>, batch, list);
}

template <class Real>
void enqueue_energy(const CudaBatch<Real>& batch, cudaStream_t stream) {
  launch(batch_size(batch), stream, energy_kernel<Real>, batch);
}

template <class Real>
NearBytes cuda_factor_bytes(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config) {
  return solver_near_bytes<double>(config.solver, solver_capacity(model, capacity, config));
}

}  // namespace stiction
