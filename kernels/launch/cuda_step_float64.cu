// The step around the solver, state in double.
#include "kernels/launch/cuda_step_kernels.cuh"

namespace stiction {

template void enqueue_step(const CudaBatch<double>&, SolveWidth, bool, cudaStream_t, StepClock*);
template std::size_t cuda_scratch_bytes(const ModelView<double>&, const Capacity&, const StepConfig<double>&);

}  // namespace stiction
