// The smoothed problem of a step, with the state in double precision.
#include "kernels/launch/cuda_center_kernel.cuh"

namespace stiction {

template void enqueue_center(const CudaBatch<double>&, const CudaLinearize<double>&, bool, cudaStream_t);

}  // namespace stiction
