// Finds out why a problem has no solution, with one block per environment, for large problems.
#include "kernels/launch/cuda_solve_kernels.cuh"

namespace stiction {

template <>
void enqueue_explain<SolveWidth::kBlock>(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  enqueue_tasks<ExplainPhase, SolveWidth::kBlock>(config, task, count, 0, stream);
}

}  // namespace stiction
