// Sensors, with the state in single precision.
#include "kernels/launch/cuda_sense_kernel.cuh"

namespace stiction {

template void enqueue_sensors(const CudaBatch<float>&, cudaStream_t);

}  // namespace stiction
