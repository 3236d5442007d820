// What a stream does: kernels, copies and loops, in order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace emulated_gpu {

struct Kernel {
  const void* function;
  int blocks, threads, rows;  // blocks, threads of a row of a block, and its rows
  std::size_t shared_bytes;
  std::function<void()> body;  // of one thread
};

/// Enqueues a kernel, or records it where the stream records.
cudaError_t enqueue(cudaStream_t stream, const Kernel& kernel);

/// Remembers an error for cudaGetLastError, and returns it.
cudaError_t fail(cudaError_t error);

/// The error of a kernel that broke the device, which every call returns from then on; success while none has.
cudaError_t broken_by();

}  // namespace emulated_gpu
