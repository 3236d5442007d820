// In the place of kernels/launch/cuda_launch.cuh: kernels run on the processor.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_launch_notes.hpp"
#include "tests/emulated_gpu/lanes.hpp"
#include "tests/emulated_gpu/memory.hpp"
#include "tests/emulated_gpu/work.hpp"

namespace stiction {

/// How many threads run a kernel, and the bytes of dynamic shared memory of each block.
struct LaunchSize {
  int blocks, threads;  // blocks, and threads of a row of a block
  std::size_t shared_bytes = 0;
  int rows = 1;  // of a block
};

template <class... Parameters, class... Arguments>
void launch(const LaunchSize& size, cudaStream_t stream, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (LaunchNotes::take({reinterpret_cast<const void*>(kernel), size.threads, size.rows, size.shared_bytes})) return;
  const std::tuple<Parameters...> kept(arguments...);
  const emulated_gpu::Kernel described{
      reinterpret_cast<const void*>(kernel), size.blocks, size.threads, size.rows, size.shared_bytes, [kernel, kept] {
        const auto run = kernel;
        std::tuple<Parameters...> own = kept;  // parameters lie in constant memory
        emulated_gpu::enter_kernel();
        std::apply(run, std::move(own));
      }};
  check_cuda(emulated_gpu::enqueue(stream, described), "launching a kernel");
}

inline char* launched_memory() { return emulated_gpu::launched_memory().begin; }

}  // namespace stiction
