// A kernel that runs `Phase` on every task; instantiated by cuda_solve.cu.in, cuda_solve_lcp.cu and cuda_explain.cu.
#pragma once

#include <algorithm>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_solve.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <SolverName kName, class Factor>
struct SolvePhase {
  using Batch = SolveBatch;

  template <class Team>
  __device__ static void run(Team team, const SolverConfig& config, NearMemory near, SolveTask& task) {
    solve_stage<kName, Factor>(team, config, near, task);
  }
};

struct ExplainPhase {
  using Batch = SolveBatch;

  template <class Team>
  __device__ static void run(Team team, const SolverConfig& config, NearMemory, SolveTask& task) {
    explain_stage(team, config, task);
  }
};

constexpr int kMostRows = 4;  // of a block, in any width
static_assert(RowTeam::kReducedBytes + kMostRows * sizeof(int) <= kTeamShared);

/// Every row of a block's threads is a team with scratch of its own: as many threads as the width of the launch has. It
/// takes one task after the other, whichever is next, so that scratch does not grow with the batch and no team waits
/// for another.
template <class Phase>
__global__ void __launch_bounds__(kThreadsPerBlock, 2)
    solve_kernel(const typename Phase::Batch solves, std::size_t near_bytes) {
  __shared__ int turn[kMostRows];  // the task of each row; a register of it would spill
  int& i = turn[threadIdx.y];
  const RowTeam team;
  const NearMemory near = {launched_memory() + threadIdx.y * near_bytes, near_bytes};
  const auto slot = [] { return static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y); };
#pragma unroll 1
  for (team.once([&] { i = slot(); }); i < solves.count;
       team.once([&] { i = solves.pool.slots + atomicAdd(solves.taken, 1); })) {
    auto& task = solves.task[i];
    team.once([&] { task.arena = Arena(solves.pool.scratch + slot() * solves.pool.stride); });
    Phase::run(team, solves.config, near, task);
  }
}

/// The teams of a launch: at most as many as there is scratch for.
template <class Phase>
void enqueue_tasks(SolveWidth width, const typename Phase::Batch& solves, std::size_t near_bytes, cudaStream_t stream) {
  const int rows = environments_a_block(width);
  typename Phase::Batch launched = solves;
  launched.pool.slots = std::min(solves.pool.slots, (solves.count + rows - 1) / rows * rows) / rows * rows;
  const LaunchSize size = {.blocks = launched.pool.slots / rows,
                           .threads = threads_of(width),
                           .shared_bytes = dynamic_shared_bytes({width, near_bytes}),
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
