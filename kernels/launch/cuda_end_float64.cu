// Steps that seek their end, with the state in double precision.
#include "kernels/launch/cuda_end_kernels.cuh"

namespace stiction {

template void enqueue_arrive(const CudaBatch<double>&, cudaStream_t);
template void enqueue_end_task(const CudaBatch<double>&, cudaStream_t);
template void enqueue_confirm(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
