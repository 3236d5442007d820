// The response to a change of the state, in single precision.
#include "kernels/launch/cuda_respond_kernel.cuh"

namespace stiction {

template void enqueue_respond(const CudaBatch<float>&, const CudaLinearize<float>&, int, int, cudaStream_t);

}  // namespace stiction
