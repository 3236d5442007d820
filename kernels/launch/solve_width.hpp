// How many threads of a GPU share one environment: its solve, and the stages around it. The result does not depend on
// it.
//
//   a quarter of a warp   up to 12 velocities: few phases have more than 8 items
//   a warp                up to 150 velocities: twice the lanes would save a problem of 69 velocities a sixth of its
//                         loads, and halve the environments that a multiprocessor holds
//                         (docs/adr/0214-a-warp-an-environment.md)
//   a block of 64         beyond; with 128 threads each lane would have half the registers
//                         (docs/adr/0204-lanes-hold-little.md)
//
// The stages around the solve have as many threads, but no more than a warp, and a quarter of one in a large batch; the
// narrow phase always has a warp (docs/adr/0222-four-small-environments-a-warp.md).
#pragma once

namespace stiction {

enum class SolveWidth { kQuarter, kWarp, kBlock };

constexpr SolveWidth kEverySolveWidth[] = {SolveWidth::kQuarter, SolveWidth::kWarp, SolveWidth::kBlock};

constexpr int threads_of(SolveWidth width) {
  return width == SolveWidth::kQuarter ? 8 : width == SolveWidth::kWarp ? 32 : 64;
}

/// Warps for which the registers of a multiprocessor suffice if every thread has all 255.
constexpr int kSolveWarps = 8;

/// Threads that share the stages around a solve of this width, of which a multiprocessor holds kSolveWarps warps at
/// least. If a batch fills them all, what counts is how many instructions it needs, and those of a quarter serve four
/// environments (docs/adr/0226-environments-in-step.md).
constexpr int stage_lanes(SolveWidth width, int batch, int processors) {
  if (width == SolveWidth::kQuarter || batch > kSolveWarps * processors) return threads_of(SolveWidth::kQuarter);
  return threads_of(SolveWidth::kWarp);
}

/// The kernels of solves.
enum class TaskKernel { kWarm, kSolve, kExplain };
constexpr int kTaskKernels = 3;

/// The blocks of such a kernel.
struct SolveBlocks {
  int environments;  // of a block, at most
  int resident;      // blocks that a multiprocessor holds
};

/// A block has the environments of one warp, or one environment: it gives back its registers when the last of them
/// ends. In the kernel for warm starts an environment of a whole warp takes 168 registers a thread, so that 12 fit
/// (docs/adr/0225-a-kernel-for-warm-starts.md), and a block has four, which keep in step
/// (docs/adr/0226-environments-in-step.md).
constexpr SolveBlocks solve_blocks(SolveWidth width, TaskKernel kernel) {
  if (width == SolveWidth::kQuarter) return {4, kSolveWarps};
  if (width == SolveWidth::kBlock) return {1, kSolveWarps / 2};
  if (kernel == TaskKernel::kWarm) return {4, 3};
  return {1, kSolveWarps};
}

constexpr int kQuarterMaxVelocities = 12, kWarpMaxVelocities = 150;

/// True if `threads` is the number of threads of a width, or 0, which means a choice by the model's size.
constexpr bool is_solve_width(int threads) {
  for (const SolveWidth width : kEverySolveWidth)
    if (threads == threads_of(width)) return true;
  return threads == 0;
}

/// The width with this number of threads, or if that is 0, the width for a model with nv velocities.
constexpr SolveWidth choose_solve_width(int nv, int threads) {
  for (const SolveWidth width : kEverySolveWidth)
    if (threads == threads_of(width)) return width;
  if (nv <= kQuarterMaxVelocities) return SolveWidth::kQuarter;
  return nv <= kWarpMaxVelocities ? SolveWidth::kWarp : SolveWidth::kBlock;
}

}  // namespace stiction
