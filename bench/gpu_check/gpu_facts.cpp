#include "bench/gpu_check/gpu_facts.hpp"

#include <algorithm>
#include <cstdio>

#include "kernels/launch/cuda_check.hpp"

namespace stiction::gpu_check {

GpuFacts read_gpu_facts(int index) {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, index), "reading the GPU's properties");
  GpuFacts facts;
  facts.name = properties.name;
  char bus[16];
  std::snprintf(bus, sizeof bus, "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  facts.bus = bus;
  facts.processors = properties.multiProcessorCount;
  facts.memory_bytes = static_cast<double>(properties.totalGlobalMem);
  facts.shared_bytes_a_processor = static_cast<double>(properties.sharedMemPerMultiprocessor);
  check_cuda(cudaDriverGetVersion(&facts.driver), "reading the driver's version");
  check_cuda(cudaRuntimeGetVersion(&facts.runtime), "reading the runtime's version");
  return facts;
}

std::size_t free_gpu_bytes(int index) {
  check_cuda(cudaSetDevice(index), "selecting a GPU");
  std::size_t free_bytes = 0, total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "reading the GPU's free memory");
  return free_bytes;
}

void fill_gpu_memory(int index, void* memory, const void* from, std::size_t bytes, std::size_t total) {
  const char* what = "filling GPU memory";
  check_cuda(cudaSetDevice(index), "selecting a GPU");
  check_cuda(cudaDeviceSynchronize(), what);
  char* begin = static_cast<char*>(memory);
  check_cuda(cudaMemcpy(begin, from, bytes, cudaMemcpyHostToDevice), what);
  for (std::size_t done = bytes; done < total; done *= 2)
    check_cuda(cudaMemcpy(begin + done, begin, std::min(done, total - done), cudaMemcpyDeviceToDevice), what);
  check_cuda(cudaDeviceSynchronize(), what);  // other streams would not wait for the copies
}

}  // namespace stiction::gpu_check
