// The narrow phase in double.
#include "kernels/launch/cuda_collide_kernel.cuh"

namespace stiction {

template void enqueue_collide(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
