// Which environment a team of threads works on. Blocks have 128 threads, in one or more teams. Teams of the narrow
// phase are warps; in the other stages every row of a block is a team, with as many lanes as the launch has.
#pragma once

#include "kernels/launch/cuda_launch.cuh"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/team/team.hpp"

namespace stiction {

constexpr int kThreadsPerBlock = 128;

/// The team of all kernels but those of the solver and of the narrow phase.
using StepTeam = ShortRowTeam;

/// The number of blocks of 128 threads that a multiprocessor shall hold at least: as many as leave every kernel enough
/// registers to spill nothing. Without a bound ptxas may spill registers in order to fit more blocks.
template <class Real>
struct StepBlocks {
  static constexpr bool kSingle = sizeof(Real) == 4;
  static constexpr int kPrepare = kSingle ? 4 : 3, kDrift = 2, kTask = kSingle ? 8 : 7, kJudge = kSingle ? 4 : 3,
                       kAdvance = kSingle ? 5 : 4, kCenter = 2, kCollide = 2, kRespond = 4, kEnd = 2, kSense = 2;
};

/// The index in the grid of the row of the calling thread.
__device__ inline int row_index() { return static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y); }

/// Calls f(site, i) for environment i.
template <class Real, class F>
__device__ __forceinline__ void at_environment(const CudaBatch<Real>& batch, int i, F f) {
  const ModelView<Real> model = batch.view.env_model(i);
  EnvView<Real> env = batch.view.env(i);
  StepSite<Real> site{model, &env, batch.view.capacity, batch.config, batch.progress + i, batch.task + i};
  f(site, i);
}

/// Calls f(site, index) for the environment of the calling thread's row, if there is one.
template <class Real, class F>
__device__ __forceinline__ void at_site(const CudaBatch<Real>& batch, F f) {
  const int i = row_index();
  if (i < batch.count) at_environment(batch, i, f);
}

/// The same for an environment of a list.
template <class Real, class F>
__device__ __forceinline__ void at_listed_site(const CudaBatch<Real>& batch, const EnvironmentList& list, F f) {
  const int i = row_index();
  if (i < list.count) at_environment(batch, list.id[i], f);
}

/// Calls f(site) for the environments of the calling team in the narrow phase, one after the other. As many teams are
/// launched as a GPU holds, so that their scratch does not grow with the batch; the team of environment i is
/// i % narrow_teams.
template <class Real, class F>
__device__ __forceinline__ void at_sites_in_turn(const CudaBatch<Real>& batch, F f) {
  __shared__ int turn[kNarrowBlock];  // the environment of each team; a register of it would spill
  const int warp = static_cast<int>(threadIdx.x) / kNarrowLanes;
  int& i = turn[warp];
  const WarpTeam lanes;
#pragma unroll 1
  for (lanes.once([&] { i = static_cast<int>(blockIdx.x) * kNarrowBlock + warp; }); i < batch.count;
       lanes.once([&] { i += batch.narrow_teams; })) {
    const ModelView<Real> model = batch.view.env_shapes(i);
    EnvView<Real> env = batch.view.env(i);
    StepSite<Real> site{model, &env, batch.view.capacity, batch.config, batch.progress + i, batch.task + i};
    f(site);
  }
}

/// Starts the count of taken tasks anew, before the solves of a round.
template <class Real>
__device__ inline void reset_taken(const CudaBatch<Real>& batch) {
  if (row_index() == 0 && threadIdx.x < kTaskKernels) batch.taken[threadIdx.x] = 0;
}

/// The launch size with enough blocks for `count` rows of `lanes` threads.
inline LaunchSize launch_size(int lanes, int count) {
  const int rows = kThreadsPerBlock / lanes;
  return {.blocks = (count + rows - 1) / rows, .threads = lanes, .rows = rows};
}

/// The launch size of a kernel that works on every environment.
template <class Real>
LaunchSize batch_size(const CudaBatch<Real>& batch) {
  return launch_size(batch.lanes, batch.count);
}

static_assert(kNarrowBlock == kThreadsPerBlock / WarpTeam::kLanes && kNarrowLanes == WarpTeam::kLanes);
static_assert(kNarrowOfAProcessor == StepBlocks<double>::kCollide * kNarrowBlock);

/// The launch size of a narrow phase; narrow_teams are whole blocks.
template <class Real>
LaunchSize narrow_size(const CudaBatch<Real>& batch) {
  return {batch.narrow_teams / kNarrowBlock, kThreadsPerBlock};
}

}  // namespace stiction
