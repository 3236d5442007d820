// The step around the solver, with the state in single precision.
#include "kernels/launch/cuda_step_kernels.cuh"

namespace stiction {

template void enqueue_stage(Stage, const CudaBatch<float>&, const SolveLaunch&, Entry, cudaStream_t);
template std::vector<KernelFacts> ask_about_stages(const CudaBatch<float>&, const SolveLaunch&);
template void enqueue_forward(const CudaBatch<float>&, cudaStream_t);
template void enqueue_place(const CudaBatch<float>&, const EnvironmentList&, cudaStream_t);
template void enqueue_start(const CudaBatch<float>&, Entry, cudaStream_t);
template void enqueue_task(const CudaBatch<float>&, cudaStream_t);
template void enqueue_judge(const CudaBatch<float>&, cudaStream_t);
template void enqueue_energy(const CudaBatch<float>&, cudaStream_t);
template NearBytes cuda_factor_bytes(const ModelView<float>&, const Capacity&, const StepConfig<float>&);

}  // namespace stiction
