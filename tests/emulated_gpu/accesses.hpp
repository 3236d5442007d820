// The kernel whose accesses are checked.
#pragma once

#include <cstddef>

namespace emulated_gpu {

/// A kernel begins that asked for so much shared memory; it comes after all that was before.
void begin_kernel(std::size_t shared_bytes);
/// Its next block begins, whose shared memory is its own.
void begin_block();

}  // namespace emulated_gpu
