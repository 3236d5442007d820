// The step around the solver, state in float.
#include "kernels/launch/cuda_step_kernels.cuh"

namespace stiction {

template void enqueue_step(const CudaBatch<float>&, SolveWidth, bool, cudaStream_t, StepClock*);
template std::size_t cuda_scratch_bytes(const ModelView<float>&, const Capacity&, const StepConfig<float>&);

}  // namespace stiction
