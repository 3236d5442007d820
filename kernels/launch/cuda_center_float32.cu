// The smoothed problem of a step, with the state in single precision.
#include "kernels/launch/cuda_center_kernel.cuh"

namespace stiction {

template void enqueue_center(const CudaBatch<float>&, const CudaLinearize<float>&, bool, cudaStream_t);

}  // namespace stiction
