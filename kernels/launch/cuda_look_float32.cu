// The check of where the answers take the bodies, with the state in single precision.
#include "kernels/launch/cuda_look_kernel.cuh"

namespace stiction {

template void enqueue_look(const CudaBatch<float>&, cudaStream_t);
template void enqueue_meet(const CudaBatch<float>&, cudaStream_t);

}  // namespace stiction
