// Straight-line code that is larger than the caches of instructions: every instruction is used once in a pass, so a
// warp goes as fast as its instructions come.
#pragma once

#include "kernels/launch/cuda_launch.cuh"

namespace stiction::gpu_check {

constexpr int kInstructionsAKibibyte = 1024 / 16;
constexpr int kFetchSizes[] = {16, 64, 128, 256};  // of the code of a pass [KiB]

/// kCount multiply-adds, as many instructions, on four numbers in turn: none waits for the one before.
template <int kCount>
__device__ __forceinline__ void multiply_add(float factor, float (&x)[4]) {
  constexpr int kUnrolled = 1024;  // at once
  static_assert(kCount % kUnrolled == 0);
  if constexpr (kCount > kUnrolled) multiply_add<kCount - kUnrolled>(factor, x);
#pragma unroll
  for (int i = 0; i < kUnrolled; ++i) x[i % 4] = fmaf(x[i % 4], factor, x[i % 4]);
}

/// Passes through as much of the code as kFetchSizes[size] says. The block w of a multiprocessor begins
/// w `apart` cycles later; *cycles of each block are those of its passes.
__global__ void fetch_kernel(int processors, int apart, int passes, int size, float factor, long long* cycles,
                             float* sink) {
  float x[4] = {factor, factor, factor, factor};
  const long long start = clock64(), wait = static_cast<long long>(static_cast<int>(blockIdx.x) / processors) * apart;
  while (clock64() - start < wait) continue;
  const long long begin = clock64();
#pragma unroll 1
  for (int p = 0; p < passes; ++p) {
    multiply_add<kFetchSizes[0] * kInstructionsAKibibyte>(factor, x);
    if (size > 0) multiply_add<(kFetchSizes[1] - kFetchSizes[0]) * kInstructionsAKibibyte>(factor, x);
    if (size > 1) multiply_add<(kFetchSizes[2] - kFetchSizes[1]) * kInstructionsAKibibyte>(factor, x);
    if (size > 2) multiply_add<(kFetchSizes[3] - kFetchSizes[2]) * kInstructionsAKibibyte>(factor, x);
  }
  const long long taken = clock64() - begin;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
  if (threadIdx.x == 0) cycles[blockIdx.x] = taken;
}

}  // namespace stiction::gpu_check
