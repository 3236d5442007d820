// Teams on the GPU: 8 or 32 lanes of a warp, or a block of threads, for one environment.
#pragma once

#ifdef __CUDACC__

#include "kernels/team/reduce.hpp"

namespace stiction {

/// kWidth lanes of one warp; kWidth divides 32.
template <int kWidth>
struct WarpTeam {
  static_assert(kWidth > 0 && kWidth <= 32 && 32 % kWidth == 0);
  static constexpr int kLanes = kWidth;
  int lane;       // [0, kWidth)
  unsigned mask;  // the lanes of this team within their warp

  __device__ static WarpTeam here() {
    const int in_warp = static_cast<int>(threadIdx.x) % 32;
    const int first = in_warp / kWidth * kWidth;
    const unsigned ones = kWidth == 32 ? 0xffffffffu : ((1u << (kWidth % 32)) - 1u);
    return {in_warp - first, ones << first};
  }

  template <class F>
  __device__ void each(int n, F f) const {
    fence();
#pragma unroll 1
    for (int i = lane; i < n; i += kWidth) f(i);
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
    if (lane == 0) f();
    fence();
  }

  __device__ void fence() const { __syncwarp(mask); }

 private:
  static constexpr int kHeld = kPartials / kWidth;  // partials of one lane: lane, lane + kWidth, ...

  __device__ static float shuffle(unsigned mask, float value, int source) {
    return __shfl_sync(mask, value, source, kWidth);
  }
  __device__ static double shuffle(unsigned mask, double value, int source) {
    return __shfl_sync(mask, value, source, kWidth);
  }
  __device__ static int shuffle(unsigned mask, int value, int source) {
    return __shfl_sync(mask, value, source, kWidth);
  }
  template <class T>
  __device__ static Indexed<T> shuffle(unsigned mask, const Indexed<T>& value, int source) {
    return {shuffle(mask, value.value, source), shuffle(mask, value.index, source)};
  }

  template <class T, class F, class Join>
  __device__ T reduce(int n, T zero, F f, Join join) const {
    T held[kHeld];
    for (int j = 0; j < kHeld; ++j) {
      const int k = lane + j * kWidth;
      held[j] = k < n ? f(k) : zero;
#pragma unroll 1
      for (int i = k + kPartials; i < n; i += kPartials) held[j] = join(held[j], f(i));
    }
    return join_partials(held, join);
  }

  /// The tree of reduce_partials: strides of at least kWidth join partials of one lane, smaller ones join lanes.
  template <class T, class Join>
  __device__ T join_partials(T (&held)[kHeld], Join join) const {
    for (int stride = kHeld / 2; stride > 0; stride /= 2)
      for (int j = 0; j < stride; ++j) held[j] = join(held[j], held[j + stride]);
    T value = held[0];
    for (int stride = kWidth / 2; stride > 0; stride /= 2) {
      const T other = shuffle(mask, value, lane + stride < kWidth ? lane + stride : lane);
      if (lane < stride) value = join(value, other);
    }
    return shuffle(mask, value, 0);
  }
};

/// A whole block for one environment; `shared` holds kSharedBytes, aligned to 16.
template <int kThreads>
struct BlockTeam {
  static_assert(kThreads >= kPartials);
  static constexpr int kReducedBytes = 16;  // of the largest type that is reduced
  static constexpr int kSharedBytes = kPartials * kReducedBytes;
  static constexpr int kLanes = kThreads;
  int lane;
  void* shared;

  template <class F>
  __device__ void each(int n, F f) const {
    fence();
#pragma unroll 1
    for (int i = lane; i < n; i += kThreads) f(i);
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
    if (lane == 0) f();
    fence();
  }

  __device__ void fence() const { __syncthreads(); }

 private:
  template <class T, class F, class Join>
  __device__ T reduce(int n, T zero, F f, Join join) const {
    static_assert(sizeof(T) <= kReducedBytes);
    T* partial = static_cast<T*>(shared);
    fence();
    if (lane < kPartials) {
      T value = lane < n ? f(lane) : zero;
#pragma unroll 1
      for (int i = lane + kPartials; i < n; i += kPartials) value = join(value, f(i));
      partial[lane] = value;
    }
    fence();
    for (int stride = kPartials / 2; stride > 0; stride /= 2) {
      if (lane < stride) partial[lane] = join(partial[lane], partial[lane + stride]);
      fence();
    }
    const T total = partial[0];
    fence();
    return total;
  }
};

}  // namespace stiction

#endif  // __CUDACC__
