// Rays, with the state in single precision.
#include "kernels/launch/cuda_rays_kernels.cuh"

namespace stiction {

template void enqueue_rays(const CudaBatch<float>&, const RayBatch<float>&, cudaStream_t);

}  // namespace stiction
