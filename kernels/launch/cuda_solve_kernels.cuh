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

/// The team of a width and its blocks: of kThreads, at least kBlocks of them on a multiprocessor, which leaves a thread
/// all 255 registers.
template <SolveWidth kWidth>
struct SolveGrid {
  static constexpr int kLanes = threads_of(kWidth), kThreads = kThreadsPerBlock, kBlocks = 2;
  using Team = WarpTeam<kLanes>;
};
template <>
struct SolveGrid<SolveWidth::kBlock> {
  static constexpr int kLanes = threads_of(SolveWidth::kBlock), kThreads = kLanes, kBlocks = 4;
  using Team = BlockTeam<kLanes>;
};

template <class Phase, SolveWidth kWidth>
__global__ void __launch_bounds__(SolveGrid<kWidth>::kThreads, SolveGrid<kWidth>::kBlocks)
    solve_kernel(const SolverConfig config, SolveTask* task, int count) {
  using Grid = SolveGrid<kWidth>;
  const int i = static_cast<int>(blockIdx.x * Grid::kThreads + threadIdx.x) / Grid::kLanes;
  if (i < count) Phase::run(typename Grid::Team{}, config, task[i]);
}

template <class Phase, SolveWidth kWidth>
void enqueue_tasks(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  using Grid = SolveGrid<kWidth>;
  constexpr int a_block = Grid::kThreads / Grid::kLanes;
  solve_kernel<Phase, kWidth><<<(count + a_block - 1) / a_block, Grid::kThreads, 0, stream>>>(config, task, count);
}

}  // namespace stiction
