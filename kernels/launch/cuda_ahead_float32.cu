// The stages of bodies that move before the velocities of their step are solved, with the state in single precision.
#include "kernels/launch/cuda_ahead_kernels.cuh"

namespace stiction {

template void enqueue_gaps(const CudaBatch<float>&, cudaStream_t);
template void enqueue_go(const CudaBatch<float>&, cudaStream_t);
template void enqueue_stop(const CudaBatch<float>&, cudaStream_t);

}  // namespace stiction
