// The stages of bodies that move before the velocities of their step are solved, with the state in double precision.
#include "kernels/launch/cuda_ahead_kernels.cuh"

namespace stiction {

template void enqueue_gaps(const CudaBatch<double>&, cudaStream_t);
template void enqueue_go(const CudaBatch<double>&, cudaStream_t);
template void enqueue_stop(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
