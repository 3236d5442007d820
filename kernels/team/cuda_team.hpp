// Teams on the GPU: 8 or 32 lanes of a warp, or a block of threads, for one environment.
#pragma once

#ifdef __CUDACC__

#include "kernels/team/reduce.hpp"

namespace stiction {
namespace team_detail {

template <int kWidth, class T>
__device__ T shuffle(unsigned mask, T value, int source) {
  return __shfl_sync(mask, value, source, kWidth);
}
template <int kWidth, class T>
__device__ Indexed<T> shuffle(unsigned mask, const Indexed<T>& value, int source) {
  return {shuffle<kWidth>(mask, value.value, source), shuffle<kWidth>(mask, value.index, source)};
}

/// Joins the values of kWidth lanes by the last strides of the tree in reduce_partials; all lanes get the result.
template <int kWidth, class T, class Join>
__device__ T join_lanes(unsigned mask, int lane, T value, Join join) {
  for (int stride = kWidth / 2; stride > 0; stride /= 2) {
    const T other = shuffle<kWidth>(mask, value, lane + stride < kWidth ? lane + stride : lane);
    if (lane < stride) value = join(value, other);
  }
  return shuffle<kWidth>(mask, value, 0);
}

}  // namespace team_detail

// A team has no data: a lane's index follows from its thread's index, so that teams take no registers and no stack.

/// kWidth lanes of one warp; kWidth divides 32.
template <int kWidth>
struct WarpTeam {
  static_assert(kWidth > 0 && kWidth <= 32 && 32 % kWidth == 0);
  static constexpr int kLanes = kWidth;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWidth; }

  /// The lanes of this team within their warp.
  __device__ static unsigned mask() {
    if constexpr (kWidth == 32) return 0xffffffffu;
    return ((1u << (kWidth % 32)) - 1u) << (threadIdx.x % 32 / kWidth * kWidth);
  }

  template <class F>
  __device__ void each(int n, F f) const {
    fence();
#pragma unroll 1
    for (int i = lane(); i < n; i += kWidth) f(i);
    fence();
  }

  template <class T, class F>
  __device__ T sum(int n, T zero, F f) const {
    return reduce(n, zero, f, AddPair{});
  }

  template <class T, class F>
  __device__ T max(int n, T lowest, F f) const {
    return reduce(n, lowest, f, MaxPair{});
  }

  template <class T, class F>
  __device__ Indexed<T> argmin(int n, T highest, F f) const {
    return reduce(
        n, Indexed<T>{highest, -1},
        [&](int i) {
          return Indexed<T>{f(i), i};
        },
        MinPair{});
  }

  template <class F>
  __device__ void once(F f) const {
    fence();
    if (lane() == 0) f();
    fence();
  }

  __device__ void fence() const { __syncwarp(mask()); }

 private:
  static constexpr int kHeld = kPartials / kWidth;  // partials of one lane: lane, lane + kWidth, ...

  template <class T, class F, class Join>
  __device__ T reduce(int n, T zero, F f, Join join) const {
    T held[kHeld];
    for (int j = 0; j < kHeld; ++j) held[j] = zero;
#pragma unroll 1
    for (int i = lane(); i < n; i += kWidth) {  // partial j of this lane takes every kHeld-th item
      const T value = f(i);
      for (int j = 0; j < kHeld; ++j)
        if (i / kWidth % kHeld == j) held[j] = i < kPartials ? value : join(held[j], value);
    }
    // the tree of reduce_partials: strides of at least kWidth join partials of one lane, smaller ones join lanes
    for (int stride = kHeld / 2; stride > 0; stride /= 2)
      for (int j = 0; j < stride; ++j) held[j] = join(held[j], held[j + stride]);
    return team_detail::join_lanes<kWidth>(mask(), lane(), held[0], join);
  }
};

/// A whole block for one environment.
template <int kThreads>
struct BlockTeam {
  static_assert(kThreads >= kPartials);
  static constexpr int kReducedBytes = 16;  // size of the largest type that is reduced
  static constexpr int kLanes = kThreads;

  __device__ static int lane() { return static_cast<int>(threadIdx.x); }

  template <class F>
  __device__ void each(int n, F f) const {
    fence();
#pragma unroll 1
    for (int i = lane(); i < n; i += kThreads) f(i);
    fence();
  }

  template <class T, class F>
  __device__ T sum(int n, T zero, F f) const {
    return reduce(n, zero, f, AddPair{});
  }

  template <class T, class F>
  __device__ T max(int n, T lowest, F f) const {
    return reduce(n, lowest, f, MaxPair{});
  }

  template <class T, class F>
  __device__ Indexed<T> argmin(int n, T highest, F f) const {
    return reduce(
        n, Indexed<T>{highest, -1},
        [&](int i) {
          return Indexed<T>{f(i), i};
        },
        MinPair{});
  }

  template <class F>
  __device__ void once(F f) const {
    fence();
    if (lane() == 0) f();
    fence();
  }

  __device__ void fence() const { __syncthreads(); }

 private:
  /// Memory for one value that all threads of the block see; a kernel has one such value.
  __device__ static void* shared() {
    alignas(kReducedBytes) __shared__ char bytes[kReducedBytes];
    return bytes;
  }

  /// The first warp computes the partials and joins them.
  template <class T, class F, class Join>
  __device__ T reduce(int n, T zero, F f, Join join) const {
    static_assert(sizeof(T) <= kReducedBytes);
    T* total = static_cast<T*>(shared());
    fence();
    if (lane() < kPartials) {
      T value = zero;
#pragma unroll 1
      for (int i = lane(); i < n; i += kPartials) {
        const T item = f(i);
        value = i < kPartials ? item : join(value, item);
      }
      value = team_detail::join_lanes<kPartials>(0xffffffffu, lane(), value, join);
      if (lane() == 0) *total = value;
    }
    fence();
    const T result = *total;
    fence();
    return result;
  }
};

}  // namespace stiction

#endif  // __CUDACC__
