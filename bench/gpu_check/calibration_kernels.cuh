// The loops of calibration.cu. Each runs as often as it is told and writes the cycles that this took, of its first
// thread, to *cycles; `sink` takes a result that depends on the loop, which the compiler would drop otherwise.
#pragma once

#include "kernels/launch/cuda_launch.cuh"
#include "kernels/team/team.hpp"

namespace stiction::gpu_check {

/// Cycles of body(i) for i < count.
template <class Body>
__device__ long long time_loop(int count, Body body) {
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < count; ++i) body(i);
  return clock64() - begin;
}

__device__ inline bool is_first_thread() { return threadIdx.x == 0 && threadIdx.y == 0 && blockIdx.x == 0; }

/// x <- a x + b: a multiplication and an addition, each of which waits for the other.
__global__ void chain_kernel(int count, double a, long long* cycles, double* sink) {
  double x = a;
  const long long taken = time_loop(count, [&](int) { x = x * a + 1.0; });
  if (is_first_thread()) *cycles = taken, *sink = x;
}

/// The barrier of a team that is a row of the block.
__global__ void barrier_kernel(int count, long long* cycles) {
  const RowTeam team;
  const long long taken = time_loop(count, [&](int) { team.fence(); });
  if (is_first_thread()) *cycles = taken;
}

/// The sum of a double of every lane of a warp.
__global__ void reduction_kernel(int count, long long* cycles, double* sink) {
  const WarpTeam team;
  double x = 1.0;
  const long long taken =
      time_loop(count, [&](int) { x = team.sum(WarpTeam::kLanes, 0.0, [&](int i) { return x + i; }); });
  if (is_first_thread()) *cycles = taken, *sink = x;
}

/// A load whose place the load before gave, `passed` of them before the clock starts.
__global__ void chase_kernel(const int* next, int passed, int count, long long* cycles, double* sink) {
  int i = 0;
  for (int p = 0; p < passed; ++p) i = next[i];
  const long long taken = time_loop(count, [&](int) { i = next[i]; });
  if (is_first_thread()) *cycles = taken, *sink = i;
}

/// The same beside a multiplication and an addition, by every thread, half a warp to a line.
__global__ void waiting_kernel(const int* next, int count, long long* cycles, double* sink) {
  int i = next[static_cast<int>(threadIdx.x) % 32 / 16];
  double x = 1.0;
  for (int p = 0; p < count; ++p) i = next[i];  // brings all that is loaded near
  const long long taken = time_loop(count, [&](int) {
    i = next[i];
    x = x * 0.5 + 1.0;
  });
  if (i >= 0 && is_first_thread()) *cycles = taken;
  sink[threadIdx.x] = x + i;
}

/// Loads of a whole warp that touch 32 lines each, of `lines` (a power of 2) that are near.
__global__ void lines_kernel(const double* data, int lines, int count, long long* cycles, double* sink) {
  constexpr int kLine = 16;  // doubles
  double sum = 0.0;
  const auto load = [&](int i) { sum += data[((i + static_cast<int>(threadIdx.x)) & (lines - 1)) * kLine]; };
  for (int i = 0; i < lines; ++i) load(i);
  __syncthreads();
  const long long taken = time_loop(count, load);
  __syncthreads();
  if (is_first_thread()) *cycles = taken;
  sink[threadIdx.x] = sum;
}

/// A warp reads `count` doubles twice, some loads at a time, as a solve does; the cycles that the first time took more.
__global__ void cold_kernel(const double* data, int count, long long* cycles, double* sink) {
  constexpr int kAtOnce = 16;
  double sum = 0.0;
  const auto load = [&](int i) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) sum += data[(i * kAtOnce + k) * 32 + static_cast<int>(threadIdx.x)];
  };
  const int passes = count / (32 * kAtOnce);
  const long long first = time_loop(passes, load);
  const long long second = time_loop(passes, load);
  if (is_first_thread()) *cycles = first - second;
  sink[threadIdx.x] = sum;
}

__global__ void empty_kernel() {}

/// The body of a loop in a graph: asks for another pass until *left is 0.
__global__ void pass_kernel(int* left, int* again) {
  if (*left > 0) {
    *left -= 1;
    *again = 1;
  }
}

}  // namespace stiction::gpu_check
