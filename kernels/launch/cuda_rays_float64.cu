// Rays, with the state in double precision.
#include "kernels/launch/cuda_rays_kernels.cuh"

namespace stiction {

template void enqueue_rays(const CudaBatch<double>&, const RayBatch<double>&, cudaStream_t);

}  // namespace stiction
