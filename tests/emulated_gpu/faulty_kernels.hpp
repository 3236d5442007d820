// Kernels with one mistake each, and their mended selves.
#pragma once

namespace emulated_gpu {

/// Runs the kernel `name`, then waits. False if there is none of that name.
bool run_kernel_named(const char* name);

}  // namespace emulated_gpu
