// Sensors, with the state in double precision.
#include "kernels/launch/cuda_sense_kernel.cuh"

namespace stiction {

template void enqueue_sensors(const CudaBatch<double>&, cudaStream_t);

}  // namespace stiction
