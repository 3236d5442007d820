// What nvcc knows by itself, for the host compiler: included before the first line of a CUDA unit.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/emulated_gpu/lanes.hpp"

#define __CUDACC__
#define __CUDA_ARCH__ 900
#undef __forceinline__
#undef __shared__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __shared__ static  // one block runs at a time

#define threadIdx (::emulated_gpu::thread_index())
#define blockIdx (::emulated_gpu::block_index())
#define blockDim (::emulated_gpu::block_size())
#define gridDim (::emulated_gpu::grid_size())

inline long long clock64() { return emulated_gpu::read_clock(); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline void __syncthreads() { emulated_gpu::block_barrier(); }
inline int __syncthreads_and(int condition) { return emulated_gpu::block_meeting(condition != 0); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulated_gpu::warp_barrier(mask); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &value, sizeof(T));
  bytes = emulated_gpu::shuffle(mask, bytes, source, width);
  std::memcpy(&value, &bytes, sizeof(T));
  return value;
}

/// Not 0 in all lanes of a warp if it is in one.
inline int __any_sync(unsigned mask, int condition) {
  for (int stride = 16; stride > 0; stride /= 2) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    condition |= __shfl_sync(mask, condition, lane ^ stride);
  }
  return condition;
}

inline int atomicAdd(int* at, int value) { return emulated_gpu::exchange(at, *at + value); }
inline int atomicExch(int* at, int value) { return emulated_gpu::exchange(at, value); }

template <class T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

/// Of a kernel that decides a loop of a graph.
extern "C" void cudaGraphSetConditional(cudaGraphConditionalHandle condition, unsigned value);
