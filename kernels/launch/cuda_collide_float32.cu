// The narrow phase in float.
#include "kernels/launch/cuda_collide_kernel.cuh"

namespace stiction {

template void enqueue_collide(const CudaBatch<float>&, cudaStream_t);

}  // namespace stiction
