// The derivatives of a step, state in single precision.
#include "kernels/launch/cuda_linearize_kernel.cuh"

namespace stiction {

template void enqueue_linearize(const CudaBatch<float>&, double, const BatchLinearization&, char*, std::size_t, int,
                                cudaStream_t);
template std::size_t cuda_linearize_bytes(const ModelView<float>&, const Capacity&, const StepConfig<float>&);

}  // namespace stiction
