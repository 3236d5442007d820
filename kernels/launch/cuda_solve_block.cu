// The solver with a block an environment, for large problems.
#include "kernels/launch/cuda_solve_kernels.cuh"

namespace stiction {

template <>
void enqueue_solve<SolveWidth::kBlock>(const SolverConfig& config, SolveTask* task, int count, cudaStream_t stream) {
  enqueue_block_tasks<SolvePhase>(config, task, count, stream);
}

}  // namespace stiction
