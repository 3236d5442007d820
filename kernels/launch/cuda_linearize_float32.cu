// The derivatives of a step, with the state in single precision.
#include "kernels/launch/cuda_linearize_kernels.cuh"

namespace stiction {

template void enqueue_linearize(const CudaBatch<float>&, const CudaLinearize<float>&, cudaStream_t);

}  // namespace stiction
