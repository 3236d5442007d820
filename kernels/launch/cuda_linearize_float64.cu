// The derivatives of a step, state in double precision.
#include "kernels/launch/cuda_linearize_kernel.cuh"

namespace stiction {

template void enqueue_linearize(const CudaBatch<double>&, double, const BatchLinearization&, char*, std::size_t, int,
                                cudaStream_t);
template std::size_t cuda_linearize_bytes(const ModelView<double>&, const Capacity&, const StepConfig<double>&);

}  // namespace stiction
