// Steps that seek their end, with the state in single precision.
#include "kernels/launch/cuda_end_kernels.cuh"

namespace stiction {

template void enqueue_arrive(const CudaBatch<float>&, cudaStream_t);
template void enqueue_end_task(const CudaBatch<float>&, cudaStream_t);
template void enqueue_confirm(const CudaBatch<float>&, cudaStream_t);

}  // namespace stiction
