// The one place that knows which compiler reads a kernel, and the arithmetic that must round the same everywhere.
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define ST_FN __host__ __device__ inline
#define ST_LAMBDA __host__ __device__
#else
#define ST_FN inline
#define ST_LAMBDA
#endif

namespace stiction {

/// Number of partial results of every reduction, whatever the width of the team (docs/adr/0002-fixed-reductions.md).
constexpr int kPartials = 32;

}  // namespace stiction
