// Loads of 16 bytes: a lane of a GPU takes no longer for them than for 8, if their address is a multiple of 16. A host
// compiler chooses the width of its loads by itself.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

namespace wide_detail {

#if defined(__CUDA_ARCH__) && !defined(__NVCC__)  // other compilers load a vector type, but not a struct, at once
template <class T, int kBytes>
using Vector __attribute__((vector_size(kBytes), may_alias)) = T;
#endif

template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T first, second;
};

}  // namespace wide_detail

/// *from at once; T is a struct of 8 or 16 bytes, aligned to its size.
template <class T>
ST_FN T load_whole(const T* from) {
  static_assert((sizeof(T) == 8 || sizeof(T) == 16) && alignof(T) == sizeof(T));
#if defined(__CUDA_ARCH__) && !defined(__NVCC__)
  return __builtin_bit_cast(T, *reinterpret_cast<const wide_detail::Vector<int, sizeof(T)>*>(from));
#else
  return *from;
#endif
}

/// value ← from[0] .. from[kN − 1], in pairs if kPaired; `from` is then aligned to two values.
template <bool kPaired, int kN, class T>
ST_FN void load_row(const T* from, T (&value)[kN]) {
  constexpr int kInPairs = kPaired ? kN / 2 * 2 : 0;
  for (int j = 0; j < kInPairs; j += 2) {
#ifdef __CUDA_ARCH__
    const auto pair = load_whole(reinterpret_cast<const wide_detail::Pair<T>*>(from + j));
    value[j] = pair.first, value[j + 1] = pair.second;
#else
    value[j] = from[j], value[j + 1] = from[j + 1];
#endif
  }
  for (int j = kInPairs; j < kN; ++j) value[j] = from[j];
}

}  // namespace stiction
