// Finds out why a problem has no solution, with one warp per environment, for small problems.
#include "kernels/launch/cuda_solve_kernels.cuh"

namespace stiction {

template <>
void enqueue_explain<SolveWidth::kWarp>(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  enqueue_tasks<ExplainPhase, SolveWidth::kWarp>(config, task, count, 0, stream);
}

}  // namespace stiction
