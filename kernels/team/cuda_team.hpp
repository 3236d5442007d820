// Teams on the GPU: a warp for one environment, or a row of a block whose width is known at run time.
#pragma once

#ifdef __CUDACC__

#include "kernels/team/meeting.hpp"
#include "kernels/team/reduce.hpp"

namespace stiction {
namespace team_detail {

template <class T>
__device__ T shuffle(unsigned mask, T value, int source, int width) {
  return __shfl_sync(mask, value, source, width);
}
template <class T>
__device__ Indexed<T> shuffle(unsigned mask, const Indexed<T>& value, int source, int width) {
  return {shuffle(mask, value.value, source, width), shuffle(mask, value.index, source, width)};
}

/// Joins the values of `width` lanes of a warp by the last strides of the tree in reduce_partials; all get the result.
/// It is no part of its callers, because a solver has some fifty of them.
template <class T, class Join>
__device__ __noinline__ T join_lanes(unsigned mask, int lane, int width, T value, Join join) {
  for (int stride = width / 2; stride > 0; stride /= 2) {
    const T other = shuffle(mask, value, lane + stride < width ? lane + stride : lane, width);
    if (lane < stride) value = join(value, other);
  }
  return shuffle(mask, value, 0, width);
}

/// What both teams do with the lanes that they have: `Lanes` has lane(), width(), fence() and reduce().
template <class Lanes>
struct TeamOf : Lanes {
  template <class F>
  __device__ void each(int n, F f) const {
    this->fence();
    then(n, f);
  }

  template <class F>
  __device__ void then(int n, F f) const {
#pragma unroll 1
    for (int i = this->lane(); i < n; i += this->width()) f(i);
    this->fence();
  }

  template <class F>
  __device__ void once(F f) const {
    this->fence();
    if (this->lane() == 0) f();
    this->fence();
  }

  template <class T, class F>
  __device__ T sum(int n, T zero, F f) const {
    return this->reduce(n, zero, f, AddPair{});
  }

  /// The first items of the partials replace `lowest`, so it is joined at last.
  template <class T, class F>
  __device__ T max(int n, T lowest, F f) const {
    return without_sign_of_zero(MaxPair{}(lowest, this->reduce(n, lowest, f, MaxPair{})));
  }

  template <class T, class F>
  __device__ Indexed<T> argmin(int n, T highest, F f) const {
    return this->reduce(
        n, Indexed<T>{highest, -1},
        [&](int i) {
          return Indexed<T>{f(i), i};
        },
        MinPair{});
  }
};

// Lanes have no data: their index and number follow from those of the thread, so that teams take no registers and no
// stack.

/// The lanes of a warp.
struct WarpLanes {
  static constexpr int kLanes = 32;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kLanes; }
  __device__ static constexpr int width() { return kLanes; }
  __device__ void fence() const { __syncwarp(); }
  __device__ static bool agree(bool condition) { return __any_sync(0xffffffffu, condition); }

  static constexpr int kMostTeams = 4;                                              // of a block whose teams meet
  static constexpr int kMeetingBytes = kMostTeams * static_cast<int>(sizeof(int));  // of shared memory

  /// To be called at the entry of a kernel whose teams meet.
  __device__ static void start_meetings() { note_meetings(0); }

  __device__ static __noinline__ void meet(Meeting place) {
    if (blockDim.y == 1) return;
    int met = meetings();
    do __syncthreads_and(0);
    while (met++ % kMeetings != static_cast<int>(place));
    note_meetings(met);
  }

  /// Waits until all teams of the block that still run are here.
  __device__ static __noinline__ void meet_all() {
    if (blockDim.y == 1) return;
    int met = meetings();
    do ++met;
    while (!__syncthreads_and(1));
    note_meetings(met);
  }

  /// Each lane computes a partial, which the tree joins.
  template <class T, class F, class Join>
  __device__ T reduce(int n, T zero, F f, Join join) const {
    static_assert(kPartials == kLanes);
    T value = zero;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) {
      const T item = f(i);
      value = i < kPartials ? item : join(value, item);
    }
    return join_lanes(0xffffffffu, lane(), kLanes, value, join);
  }

 private:
  /// How often the teams of the block have met: the same for all of them that still run. Each has its own note of it.
  __device__ static int& meetings() {
    __shared__ int noted[kMostTeams];
    return noted[threadIdx.y];
  }

  __device__ static void note_meetings(int count) {
    __syncwarp();
    if (lane() == 0) meetings() = count;
    __syncwarp();
  }
};

/// The threads of a row of a block: blockDim.x of them, 8, 16 or 32 of one warp, or, where kMostLanes allows it, more
/// than a warp in a block of one row. One text for every width, as ptxas takes three quarters of a unit's time.
template <int kMostLanes>
struct RowLanes {
  static constexpr int kLanes = kMostLanes;  // a team of more than one lane; the number itself is width()
  static constexpr int kLeastLanes = 8;
  static constexpr int kReducedBytes = 16;  // size of the largest type that is reduced

  __device__ static int lane() { return static_cast<int>(threadIdx.x); }
  __device__ static int width() { return static_cast<int>(blockDim.x); }
  __device__ static bool is_in_a_warp() { return kMostLanes <= 32 || blockDim.x <= 32; }
  /// The lanes that reduce: all, or those of the first warp.
  __device__ static int reducing() { return is_in_a_warp() ? width() : 32; }

  __device__ static bool agree(bool condition) { return condition; }

  // these teams wait for no other
  __device__ static void start_meetings() {}
  __device__ static void meet(Meeting) {}
  __device__ static void meet_all() {}

  /// The reducing lanes within their warp.
  __device__ static unsigned mask() {
    const int lanes = reducing(), first = static_cast<int>(threadIdx.y) * lanes % 32;
    return 0xffffffffu >> (32 - lanes) << first;
  }

  __device__ void fence() const {
    if (is_in_a_warp())
      __syncwarp(mask());
    else
      __syncthreads();
  }

  /// The reducing lanes compute the partials and join them; the others read the result.
  template <class T, class F, class Join>
  __device__ T reduce(int n, T zero, F f, Join join) const {
    static_assert(sizeof(T) <= kReducedBytes);
    const int lanes = reducing(), count = lane() < lanes ? kPartials / lanes : 0;
    T held[kHeld];
    for (int j = 0; j < kHeld; ++j) held[j] = zero;
    if (!is_in_a_warp()) fence();
    int place = 0;  // partial `place` of this lane takes every count-th of its items
#pragma unroll 1
    for (int i = lane(); i < n && count > 0; i += lanes) {
      const T value = f(i);
      for (int j = 0; j < kHeld; ++j)
        if (place == j) held[j] = i < kPartials ? value : join(held[j], value);
      place = place + 1 < count ? place + 1 : 0;
    }
    return join_held(held[0], held[1], held[2], held[3], join);
  }

 private:
  static constexpr int kHeld = 4;  // most partials of one lane: lane, lane + reducing(), ...
  static_assert(kHeld == kPartials / kLeastLanes);

  /// Memory for one value that all threads of the block see; a kernel has one such value.
  __device__ static void* shared() {
    alignas(kReducedBytes) __shared__ char bytes[kReducedBytes];
    return bytes;
  }

  /// Joins the partials that the reducing lanes hold; all lanes get the result. Like join_lanes, it is a call.
  template <class T, class Join>
  __device__ __noinline__ T join_held(T first, T second, T third, T fourth, Join join) const {
    T held[kHeld] = {first, second, third, fourth};
    T value = first;
    if (lane() < reducing()) {
      // the tree of reduce_partials: strides of at least `lanes` join partials of one lane, smaller ones join lanes
      const int lanes = reducing();
      for (int stride = kHeld / 2; stride > 0; stride /= 2)
        for (int j = 0; j < stride; ++j)
          if (stride < kPartials / lanes) held[j] = join(held[j], held[j + stride]);
      value = join_lanes(mask(), lane(), lanes, held[0], join);
    }
    if (is_in_a_warp()) return value;
    T* total = static_cast<T*>(shared());
    if (lane() == 0) *total = value;
    fence();
    const T result = *total;
    fence();
    return result;
  }
};

}  // namespace team_detail

/// A warp for one environment.
using WarpTeam = team_detail::TeamOf<team_detail::WarpLanes>;
/// A row of a block for one environment.
using RowTeam = team_detail::TeamOf<team_detail::RowLanes<64>>;
/// The same for rows of a warp at most.
using ShortRowTeam = team_detail::TeamOf<team_detail::RowLanes<32>>;

}  // namespace stiction

#endif  // __CUDACC__
