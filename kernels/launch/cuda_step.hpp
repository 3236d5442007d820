// Steps of a whole batch on the GPU, as the host calls them.
//
// Every stage is one kernel, in blocks of 128 threads; solve_width.hpp says how many of them an environment has. The
// stream orders the kernels of a step (cuda_step_graph.hpp). In the kernels of a further
// round, an environment that does not need this round returns at once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/launch/cuda_rows.hpp"
#include "kernels/launch/cuda_solve.hpp"
#include "kernels/launch/kernel_facts.hpp"
#include "kernels/launch/run_steps.hpp"

namespace stiction {

/// A batch in device memory.
template <class Real>
struct CudaBatch {
  BatchView<Real> view;
  StepConfig<Real> config;
  int count;                       // environments
  int lanes;                       // threads of an environment in the stages around the solve and the narrow phase
  StepProgress<Real>* progress;    // (count)
  SolveTask* task;                 // (count)
  char* scratch;                   // (count, scratch_stride)
  std::size_t scratch_stride;      // bytes of scratch of one environment, a multiple of 64
  int* again;                      // not 0: an environment wants another round; its reader clears it (1)
  CollisionScratch<Real>* narrow;  // of the teams of a narrow phase                 (narrow_teams, lanes of a team)
  int narrow_teams;                // environments that are in the narrow phase at once
  SolvePool solves;
  int* taken;    // as SolveBatch has them
  int* order;    // (count)
  int* ordered;  // (1)
};

/// Teams of a narrow phase: all that the GPU holds at once, in whole blocks, but no more than there are environments.
constexpr int kNarrowBlock = 4, kNarrowOfAProcessor = 8, kNarrowLanes = 32;  // teams of a block; of a multiprocessor
constexpr int choose_narrow_teams(int environments, int processors) {
  const int wanted = (environments + kNarrowBlock - 1) / kNarrowBlock * kNarrowBlock;
  return wanted < processors * kNarrowOfAProcessor ? wanted : processors * kNarrowOfAProcessor;
}

/// Bytes of shared memory that are of use to one environment's solve.
template <class Real>
NearBytes cuda_factor_bytes(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config);

/// True if the steps of the batch have the stage: only those that seek their end have arrive and confirm, and only
/// those of touching pieces have merge, and those whose bodies move first gaps, go and stop.
template <class Real>
bool has_stage(const CudaBatch<Real>& batch, Stage stage) {
  if (stage == Stage::kMerge) return batch.config.merges_regions;
  if (stage == Stage::kGaps || stage == Stage::kGo || stage == Stage::kStop) return moves_first(batch.config);
  return seeks_end(batch.config) || (stage != Stage::kArrive && stage != Stage::kConfirm);
}

/// Enqueues a stage of a step.
template <class Real>
void enqueue_stage(Stage stage, const CudaBatch<Real>& batch, const SolveLaunch& launch, Entry entry,
                   cudaStream_t stream);

/// What the runtime says about the kernel of every stage, as this batch launches it.
template <class Real>
std::vector<KernelFacts> ask_about_stages(const CudaBatch<Real>& batch, const SolveLaunch& launch);

/// Enqueues the search for contacts at the present state of all environments, which does not change.
template <class Real>
void enqueue_forward(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the poses of all bodies of a list of environments.
template <class Real>
void enqueue_place(const CudaBatch<Real>& batch, const EnvironmentList& list, cudaStream_t stream);

/// Enqueues the stages of a step before the narrow phase.
template <class Real>
void enqueue_start(const CudaBatch<Real>& batch, Entry entry, cudaStream_t stream);

/// Enqueues the stage that makes tasks from manifolds, and the order in which they are solved.
template <class Real>
void enqueue_task(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the stage that judges the answers.
template <class Real>
void enqueue_judge(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the energy of all environments.
template <class Real>
void enqueue_energy(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the sensors of all environments.
template <class Real>
void enqueue_sensors(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the narrow phase of all environments that want it.
template <class Real>
void enqueue_collide(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the narrow phase of the pairs that meet within the step.
template <class Real>
void enqueue_meet(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues, for steps of touching pieces, the choice of the points that are contacts.
template <class Real>
void enqueue_merge(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues, for steps that seek their end: the narrow phase where the last answers end, the stage that makes tasks
/// from manifolds, and the stage that confirms answers.
template <class Real>
void enqueue_arrive(const CudaBatch<Real>& batch, cudaStream_t stream);
template <class Real>
void enqueue_end_task(const CudaBatch<Real>& batch, cudaStream_t stream);
template <class Real>
void enqueue_confirm(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues, for bodies that move before the velocities of their step are solved: the gaps where their motion begins,
/// where it leads, and where it stops.
template <class Real>
void enqueue_gaps(const CudaBatch<Real>& batch, cudaStream_t stream);
template <class Real>
void enqueue_go(const CudaBatch<Real>& batch, cudaStream_t stream);
template <class Real>
void enqueue_stop(const CudaBatch<Real>& batch, cudaStream_t stream);

/// Enqueues the check of where the answers take the bodies.
template <class Real>
void enqueue_look(const CudaBatch<Real>& batch, cudaStream_t stream);

}  // namespace stiction
