// Which points of touching pieces are contacts, in float.
#include "kernels/launch/cuda_merge_kernel.cuh"

namespace stiction {

template void enqueue_merge(const CudaBatch<float>&, cudaStream_t);

}  // namespace stiction
