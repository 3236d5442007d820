// Which points of touching pieces are contacts, in double.
#include "kernels/launch/cuda_merge_kernel.cuh"

namespace stiction {

template void enqueue_merge(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
