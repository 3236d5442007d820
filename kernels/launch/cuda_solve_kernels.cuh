// A kernel that runs `Phase` on every task; instantiated by cuda_solve.cu.in and cuda_explain_*.cu.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <SolverName kName>
struct SolvePhase {
  template <class Team>
  __device__ static void run(Team team, const SolverConfig& config, SolveTask& task) {
    solve_phase<kName>(team, config, task);
  }
};

struct ExplainPhase {
  template <class Team>
  __device__ static void run(Team team, const SolverConfig& config, SolveTask& task) {
    explain_phase(team, config, task);
  }
};

/// Blocks on a multiprocessor at least. Warps may use all 255 registers of a thread and leave 8 environments; of blocks
/// 4 environments are wanted, which is 128 registers.
constexpr int kWarpBlocks = 2, kBlockBlocks = 4;

template <class Phase>
__global__ void __launch_bounds__(kThreadsPerBlock, kWarpBlocks)
    warp_task_kernel(const SolverConfig config, SolveTask* task, int count) {
  using Team = WarpTeam<32>;
  const int i = team_index<Team>();
  if (i < count) Phase::run(Team{}, config, task[i]);
}

template <class Phase>
void enqueue_warp_tasks(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  const int blocks = blocks_for<WarpTeam<32>>(count);
  warp_task_kernel<Phase><<<blocks, kThreadsPerBlock, 0, stream>>>(config, task, count);
}

template <class Phase>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlockBlocks)
    block_task_kernel(const SolverConfig config, SolveTask* task) {
  Phase::run(BlockTeam<kThreadsPerBlock>{}, config, task[blockIdx.x]);
}

template <class Phase>
void enqueue_block_tasks(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  block_task_kernel<Phase><<<count, kThreadsPerBlock, 0, stream>>>(config, task);
}

}  // namespace stiction
