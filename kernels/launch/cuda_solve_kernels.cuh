// A kernel that runs `Phase` on every task; instantiated by cuda_solve.cu.in and cuda_explain.cu.
#pragma once

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

static_assert(RowTeam::kReducedBytes <= kTeamShared);

/// Every environment of a block has a row of its threads: as many threads as the width of the launch has.
template <class Phase>
__global__ void __launch_bounds__(kThreadsPerBlock, 2)
    solve_kernel(const SolverConfig config, SolveTask* task, int count, std::size_t near_bytes) {
  const int i = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  const NearMemory near = {launched_memory() + threadIdx.y * near_bytes, near_bytes};
  if (i < count) Phase::run(RowTeam{}, config, near, task[i]);
}

template <class Phase>
void enqueue_tasks(SolveWidth width, const SolverConfig& config, SolveTask* task, int count, std::size_t near_bytes,
                   cudaStream_t stream) {
  const int a_block = environments_a_block(width);
  const LaunchSize size = {.blocks = (count + a_block - 1) / a_block,
                           .threads = threads_of(width),
                           .shared_bytes = dynamic_shared_bytes({width, near_bytes}),
                           .rows = a_block};
  launch(size, stream, solve_kernel<Phase>, config, task, count, near_bytes);
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
