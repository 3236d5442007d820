#include "bench/gpu_check/gpu_facts.hpp"

#include "kernels/launch/cuda_check.hpp"

namespace stiction::gpu_check {

GpuFacts read_gpu_facts(int index) {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, index), "reading the GPU's properties");
  GpuFacts facts;
  facts.name = properties.name;
  facts.processors = properties.multiProcessorCount;
  facts.memory_bytes = static_cast<double>(properties.totalGlobalMem);
  facts.shared_bytes_a_processor = static_cast<double>(properties.sharedMemPerMultiprocessor);
  check_cuda(cudaDriverGetVersion(&facts.driver), "reading the driver's version");
  check_cuda(cudaRuntimeGetVersion(&facts.runtime), "reading the runtime's version");
  return facts;
}

}  // namespace stiction::gpu_check
