// A kernel that runs `Phase` on every task; instantiated by cuda_solve.cu.in, cuda_warm.cu.in, cuda_solve_lcp.cu and
// cuda_explain.cu.
#pragma once

#include <algorithm>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_solve.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <SolverName kName, class Factor>
struct SolvePhase {
  using Batch = SolveBatch;
  using Team = RowTeam;
  static constexpr TaskKernel kKernel = TaskKernel::kSolve;

  __device__ static void run(Team team, const SolverConfig& config, SolveTask& task) {
    solve_stage<kName, Factor>(team, config, task);
  }
};

template <class Factor, class ItsTeam>
struct WarmPhase {
  using Batch = SolveBatch;
  using Team = ItsTeam;
  static constexpr TaskKernel kKernel = TaskKernel::kWarm;

  __device__ static void run(Team team, const SolverConfig& config, SolveTask& task) {
    solve_warm_stage<Factor>(team, config, task);
  }
};

struct ExplainPhase {
  using Batch = SolveBatch;
  using Team = RowTeam;
  static constexpr TaskKernel kKernel = TaskKernel::kExplain;

  __device__ static void run(Team team, const SolverConfig& config, SolveTask& task) {
    explain_stage(team, config, task);
  }
};

constexpr int kMostRows = 4;  // of a block, in any width
static_assert(RowTeam::kReducedBytes + kMostRows * sizeof(int) <= kTeamShared);
static_assert(WarpTeam::kMeetingBytes + kMostRows * sizeof(int) <= kTeamShared);
static_assert(WarpTeam::kMostTeams >= kMostRows);

__device__ inline bool is_wanted(const SolveTask& task) {
  return task.wanted && task.report.status != status::kConverged;
}
__device__ inline bool is_wanted(const LcpTask&) { return true; }

/// Number of the k-th task to be taken; -1: all are taken.
template <class Batch>
__device__ int find_task(const Batch& solves, int k) {
  const int count = solves.order ? *solves.ordered : solves.count;
  return k >= count ? -1 : solves.order ? solves.order[k] : k;
}

/// The next wanted task for the calling team, with the scratch and the near memory of the team; null if none is left.
/// It is a call, so that nothing of it is kept in registers during a solve.
template <class Team, class Batch>
__device__ __noinline__ auto take_task(Team team, const Batch& solves, std::size_t near_bytes)
    -> decltype(solves.task) {
  __shared__ int turn[kMostRows];
  team.meet_all();
  const int row = static_cast<int>(threadIdx.y), slot = static_cast<int>(blockIdx.x * blockDim.y) + row;
  team.once([&] {
    int i = find_task(solves, atomicAdd(solves.taken, 1));
    while (i >= 0 && !is_wanted(solves.task[i])) i = find_task(solves, atomicAdd(solves.taken, 1));
    turn[row] = i;
    if (i < 0) return;
    const NearMemory near = {launched_memory() + static_cast<std::size_t>(row) * near_bytes, near_bytes};
    solves.task[i].arena = Arena(solves.pool.scratch + slot * solves.pool.stride).beside(near);
  });
  return turn[row] < 0 ? nullptr : solves.task + turn[row];
}

/// The threads of a block, and the blocks of a multiprocessor, for which registers are chosen: one text serves a
/// quarter of a warp and a block of 64 threads.
template <class Phase>
struct Bounds {
  static constexpr bool kIsWarp = std::is_same_v<typename Phase::Team, WarpTeam>;
  static constexpr SolveBlocks kBlocks = solve_blocks(kIsWarp ? SolveWidth::kWarp : SolveWidth::kBlock, Phase::kKernel);
  static constexpr int kThreads = kBlocks.environments * (kIsWarp ? WarpTeam::kLanes : RowTeam::kLanes);
};

/// Every row of a block's threads is a team with scratch of its own: as many threads as the width of the launch has. It
/// takes one task after the other, whichever is next, so that scratch does not grow with the batch. Where teams meet,
/// those of a block take tasks together; else no team waits for another.
template <class Phase>
__global__ void __launch_bounds__(Bounds<Phase>::kThreads, Bounds<Phase>::kBlocks.resident)
    solve_kernel(const __grid_constant__ typename Phase::Batch solves, std::size_t near_bytes) {
  const typename Phase::Team team;
  team.start_meetings();
#pragma unroll 1
  while (auto task = take_task(team, solves, near_bytes)) Phase::run(team, solves.config, *task);
}

/// The teams of a launch: as many as the GPU holds and there is scratch for.
template <class Phase>
void enqueue_tasks(SolveWidth width, const typename Phase::Batch& solves, std::size_t near_bytes, cudaStream_t stream) {
  const SolveBlocks blocks = solve_blocks(width, Phase::kKernel);
  const int held = choose_solve_slots(blocks, solves.count, solves.pool.processors);
  const int slots = std::min(solves.pool.slots, held);
  const int rows = rows_of_a_block(width, blocks, std::min(slots, solves.count), solves.pool.processors);
  typename Phase::Batch launched = solves;
  launched.pool.slots = slots / rows * rows;
  launched.taken += static_cast<int>(Phase::kKernel);
  const LaunchSize size = {.blocks = launched.pool.slots / rows,
                           .threads = threads_of(width),
                           .shared_bytes = static_cast<std::size_t>(rows) * near_bytes,
                           .rows = rows};
  launch(size, stream, solve_kernel<Phase>, launched, near_bytes);
}

/// Allows blocks of this kernel to use `bytes` of shared memory, static memory included.
template <class Phase>
void allow_shared(std::size_t bytes) {
  const auto kernel = solve_kernel<Phase>;
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes - kTeamShared)),
      "asking for shared memory");
}

}  // namespace stiction
