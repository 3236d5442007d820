// The motion of bodies that move before the velocities of their step are solved, with the state in double precision.
#include "kernels/launch/cuda_advance_kernel.cuh"

namespace stiction {

template void enqueue_advance(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
