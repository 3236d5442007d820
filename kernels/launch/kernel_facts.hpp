// What is asked of a GPU about the kernels of a step, for measurements.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stiction {

/// A kernel on a GPU, in the blocks in which a batch launches it.
struct KernelFacts {
  std::string name;          // of its stage
  int threads;               // of a block
  int environments;          // of a block
  int registers;             // of a thread; 0 on an emulated GPU, which has none
  std::size_t local_bytes;   // of a thread: its stack, spills included
  std::size_t shared_bytes;  // of a block: the kernel's own, and what comes with the launch
  int blocks;                // that a multiprocessor holds at once
};

/// Seconds of the solves of a batch, all of them in one launch.
struct SolveSeconds {
  std::vector<double> cold;   // right after something else took the place of everything in the GPU's L2 cache
  std::vector<double> again;  // of the same problems, right after a cold one
  double iterations = 0.0;    // mean over the environments
  int most_iterations = 0;    // of an environment
};

}  // namespace stiction
