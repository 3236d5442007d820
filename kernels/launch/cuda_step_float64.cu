// The step around the solver, with the state in double precision.
#include "kernels/launch/cuda_step_kernels.cuh"

namespace stiction {

template void enqueue_stage(Stage, const CudaBatch<double>&, const SolveLaunch&, Entry, cudaStream_t);
template std::vector<KernelFacts> ask_about_stages(const CudaBatch<double>&, const SolveLaunch&);
template void enqueue_forward(const CudaBatch<double>&, cudaStream_t);
template void enqueue_place(const CudaBatch<double>&, const EnvironmentList&, cudaStream_t);
template void enqueue_start(const CudaBatch<double>&, Entry, cudaStream_t);
template void enqueue_task(const CudaBatch<double>&, cudaStream_t);
template void enqueue_judge(const CudaBatch<double>&, cudaStream_t);
template void enqueue_energy(const CudaBatch<double>&, cudaStream_t);
template NearBytes cuda_factor_bytes(const ModelView<double>&, const Capacity&, const StepConfig<double>&);

}  // namespace stiction
