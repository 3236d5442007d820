// A kernel that runs `Phase` on every task; instantiated by cuda_solve.cu.in and cuda_explain_*.cu.
#pragma once

#include <type_traits>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

template <SolverName kName, class Factor>
struct SolvePhase {
  template <class Team>
  __device__ static void run(Team team, const SolverConfig& config, NearMemory near, SolveTask& task) {
    solve_stage<kName, Factor>(team, config, near, task);
  }
};

struct ExplainPhase {
  template <class Team>
  __device__ static void run(Team team, const SolverConfig& config, NearMemory, SolveTask& task) {
    explain_stage(team, config, task);
  }
};

/// The team of a width, and the threads of its blocks.
template <SolveWidth kWidth>
struct SolveGrid {
  static constexpr int kLanes = threads_of(kWidth), kThreads = kLanes * environments_a_block(kWidth);
  using Team = std::conditional_t<kWidth == SolveWidth::kBlock, BlockTeam<64>, WarpTeam<kLanes <= 32 ? kLanes : 32>>;
  static_assert(Team::kLanes == kLanes);
};
static_assert(BlockTeam<64>::kReducedBytes <= kTeamShared);

/// The part of the block's shared memory that belongs to the environment of the calling thread.
template <class Grid>
__device__ NearMemory near_memory(std::size_t bytes) {
  return {launched_memory() + threadIdx.x / Grid::kLanes * bytes, bytes};
}

template <class Phase, SolveWidth kWidth>
__global__ void __launch_bounds__(SolveGrid<kWidth>::kThreads, resident_blocks(kWidth))
    solve_kernel(const SolverConfig config, SolveTask* task, int count, std::size_t near_bytes) {
  using Grid = SolveGrid<kWidth>;
  const int i = static_cast<int>(blockIdx.x * Grid::kThreads + threadIdx.x) / Grid::kLanes;
  if (i < count) Phase::run(typename Grid::Team{}, config, near_memory<Grid>(near_bytes), task[i]);
}

template <class Phase, SolveWidth kWidth>
void enqueue_tasks(const SolverConfig& config, SolveTask* task, int count, std::size_t near_bytes,
                   cudaStream_t stream) {
  constexpr int a_block = environments_a_block(kWidth);
  const LaunchSize size = {(count + a_block - 1) / a_block, SolveGrid<kWidth>::kThreads,
                           dynamic_shared_bytes({kWidth, near_bytes})};
  launch(size, stream, solve_kernel<Phase, kWidth>, config, task, count, near_bytes);
}

/// Allows blocks of this kernel to use `bytes` of shared memory, static memory included.
template <class Phase, SolveWidth kWidth>
void allow_shared(std::size_t bytes) {
  const auto kernel = solve_kernel<Phase, kWidth>;
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes - kTeamShared)),
      "asking for shared memory");
}

}  // namespace stiction
