// Sets of up to 64 small integers as masks.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

/// Index of the lowest set bit; mask != 0.
ST_FN int lowest_bit(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(mask)) - 1;
#else
  return __builtin_ctzll(mask);
#endif
}

ST_FN int count_bits(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return __popcll(mask);
#else
  return __builtin_popcountll(mask);
#endif
}

ST_FN std::uint64_t bit(int i) { return std::uint64_t(1) << i; }

}  // namespace stiction
