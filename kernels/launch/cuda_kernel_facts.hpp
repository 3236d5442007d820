// What the runtime says about the kernel of a launch on the selected GPU.
#pragma once

#include "kernels/launch/cuda_check.hpp"
#include "kernels/launch/cuda_launch_notes.hpp"
#include "kernels/launch/kernel_facts.hpp"

namespace stiction {

/// `environments`: of a block.
inline KernelFacts ask_about_kernel(const std::string& name, int environments, const NotedLaunch& launch) {
  const std::string what = "asking about the kernel " + name;
  cudaFuncAttributes attributes;
  check_cuda(cudaFuncGetAttributes(&attributes, launch.kernel), what);
  KernelFacts facts{name,
                    launch.threads * launch.rows,
                    environments,
                    attributes.numRegs,
                    attributes.localSizeBytes,
                    attributes.sharedSizeBytes + launch.shared_bytes,
                    0};
  check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts.blocks, launch.kernel, facts.threads, launch.shared_bytes),
      what);
  return facts;
}

}  // namespace stiction
