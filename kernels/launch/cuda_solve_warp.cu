// The solver with a warp an environment, for small problems.
#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_step.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {
namespace {

using Team = WarpTeam<32>;

__global__ void __launch_bounds__(kThreadsPerBlock)
    solve_kernel(const SolverConfig config, SolveTask* task, int count) {
  const int i = team_index<Team>();
  if (i < count) solve_phase(Team::here(), config, task[i]);
}

}  // namespace

template <>
void enqueue_solve<SolveWidth::kWarp>(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  solve_kernel<<<blocks_for<Team>(count), kThreadsPerBlock, 0, stream>>>(config, task, count);
}

}  // namespace stiction
