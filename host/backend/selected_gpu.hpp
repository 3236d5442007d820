// The GPU that the calling thread uses, and what it has.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/launch/factor_memory.hpp"

namespace stiction {

/// Selects the GPU; to be called before anything is allocated there. Returns its name, such as "cuda:0 (NVIDIA H100)".
/// Throws InputError if it is not usable.
std::string select_gpu(int device);

/// The part of the selected GPU's free memory that may be used [bytes].
std::size_t usable_gpu_bytes();

SharedMemory gpu_shared_memory(int device);

/// Size of the L2 cache [bytes].
std::size_t cache_bytes(int device);

/// Multiprocessors.
int count_processors(int device);

}  // namespace stiction
