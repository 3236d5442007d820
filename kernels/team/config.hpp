// Function attributes that depend on which compiler reads a kernel, and the fixed number of partial sums.
#pragma once

#include <cmath>
#include <cstdint>

// ST_PHASE: a long function that is called in several places and compiled once (the time of ptxas grows with inlining).
// ST_BODY: a long function that is called in one place and always inlined: its results would go to the stack otherwise.
// ST_APART: a branch that most problems never take; it is not inlined, as it would slow down the loops around its call.
// ST_TIGHT: a part of such a branch, which is not inlined in kernels that say ST_FEW_REGISTERS: they would spill there.
// ST_SMALL: a handful of operations, such as a product of quaternions, that costs less than its call.
// ST_ROLLED: before a loop that runs once per step or less; on the GPU its body is then compiled once, not four times.
#ifdef __CUDACC__
#define ST_FN __host__ __device__ inline
#define ST_PHASE __host__ __device__ __noinline__ inline
#define ST_BODY __host__ __device__ __forceinline__
#define ST_APART __host__ __device__ __noinline__
#ifdef ST_FEW_REGISTERS
#define ST_TIGHT ST_APART
#else
#define ST_TIGHT ST_FN
#endif
#define ST_SMALL __host__ __device__ inline
#define ST_LAMBDA __host__ __device__
#else
#define ST_FN inline
#define ST_PHASE inline
#define ST_BODY inline
#define ST_APART __attribute__((noinline))
#define ST_TIGHT inline
#define ST_SMALL inline __attribute__((always_inline))
#define ST_LAMBDA
#endif

#ifdef __CUDA_ARCH__
#define ST_ROLLED _Pragma("unroll 1")
#else
#define ST_ROLLED
#endif

namespace stiction {

/// Number of partial results of every reduction, whatever the width of the team (docs/adr/0002-fixed-reductions.md).
constexpr int kPartials = 32;

}  // namespace stiction
