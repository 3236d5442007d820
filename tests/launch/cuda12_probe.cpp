// A loop of a graph, recorded with the runtime that is linked; names that runtime, and what the driver made of the
// loop.
#include <cstdio>

#include "kernels/launch/cuda_graph_loop.hpp"

int main() {
  using namespace stiction;
  int version = 0;
  check_cuda(cudaRuntimeGetVersion(&version), "reading the runtime's version");
  std::printf("headers %d, runtime %d\n", CUDART_VERSION, version);
  try {
    const CudaStream stream;
    int* again = nullptr;
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&again), sizeof(int)), "allocating GPU memory");
    check_cuda(cudaMemset(again, 0, sizeof(int)), "clearing GPU memory");
    check_cuda(cudaDeviceSynchronize(), "clearing GPU memory");
    const CudaGraph graph(stream, [&] { record_while(stream.get(), again, [](cudaStream_t) {}); });
    graph.launch(stream);
    stream.wait("running a loop");
    std::printf("a loop ran\n");
  } catch (const CudaError& error) {
    std::printf("%s\n", error.what());
  }
}
