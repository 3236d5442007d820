// The response to a change of the state, in double precision.
#include "kernels/launch/cuda_respond_kernel.cuh"

namespace stiction {

template void enqueue_respond(const CudaBatch<double>&, const CudaLinearize<double>&, int, int, cudaStream_t);

}  // namespace stiction
