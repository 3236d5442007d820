// The check of where the answers take the bodies, with the state in double precision.
#include "kernels/launch/cuda_look_kernel.cuh"

namespace stiction {

template void enqueue_look(const CudaBatch<double>&, cudaStream_t);
template void enqueue_meet(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
