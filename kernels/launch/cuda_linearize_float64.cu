// The derivatives of a step, with the state in double precision.
#include "kernels/launch/cuda_linearize_kernels.cuh"

namespace stiction {

template void enqueue_linearize(const CudaBatch<double>&, const CudaLinearize<double>&, cudaStream_t);

}  // namespace stiction
