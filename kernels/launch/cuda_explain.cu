// Finds out why a problem has no solution.
#include "kernels/launch/cuda_solve_kernels.cuh"

namespace stiction {

void enqueue_explain(SolveWidth width, const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  enqueue_tasks<ExplainPhase>(width, config, task, count, 0, stream);
}

}  // namespace stiction
