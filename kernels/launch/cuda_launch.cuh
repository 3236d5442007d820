// Code that only a CUDA compiler reads: the launch of a kernel, and the shared memory that comes with it.
#pragma once

#include <cstddef>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_launch_notes.hpp"

namespace stiction {

/// How many threads run a kernel, and the bytes of dynamic shared memory of each block.
struct LaunchSize {
  int blocks, threads;  // blocks, and threads of a row of a block
  std::size_t shared_bytes = 0;
  int rows = 1;  // of a block
};

/// Enqueues kernel(arguments...) in `stream`, or notes the launch where notes are taken.
template <class... Parameters, class... Arguments>
void launch(const LaunchSize& size, cudaStream_t stream, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (LaunchNotes::take({reinterpret_cast<const void*>(kernel), size.threads, size.rows, size.shared_bytes})) return;
  const dim3 block(static_cast<unsigned>(size.threads), static_cast<unsigned>(size.rows));
  kernel<<<size.blocks, block, size.shared_bytes, stream>>>(arguments...);
  check_cuda(cudaGetLastError(), "launching a kernel");
}

/// The dynamic shared memory of the calling thread's block.
__device__ inline char* launched_memory() {
  extern __shared__ __align__(16) char shared[];
  return shared;
}

}  // namespace stiction
