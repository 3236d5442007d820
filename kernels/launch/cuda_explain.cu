// Finds out why a problem has no solution.
#include "kernels/launch/cuda_solve_kernels.cuh"

namespace stiction {

void enqueue_explain(SolveWidth width, const SolveBatch& solves, cudaStream_t stream) {
  enqueue_tasks<ExplainPhase>(width, solves, 0, stream);
}

}  // namespace stiction
