// The solver with a block an environment, for large problems.
#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {
namespace {

using Team = BlockTeam<kThreadsPerBlock>;

__global__ void __launch_bounds__(kThreadsPerBlock) solve_kernel(const SolverConfig config, SolveTask* task) {
  __shared__ alignas(16) char partials[Team::kSharedBytes];
  const Team team{static_cast<int>(threadIdx.x), partials};
  solve_phase(team, config, task[blockIdx.x]);
}

}  // namespace

template <>
void enqueue_solve<SolveWidth::kBlock>(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  solve_kernel<<<count, kThreadsPerBlock, 0, stream>>>(config, task);
}

}  // namespace stiction
