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
// The stages around the solve have as many threads, but no more than a warp, and the narrow phase always has a warp
// (docs/adr/0222-four-small-environments-a-warp.md).
#pragma once

namespace stiction {

enum class SolveWidth { kQuarter, kWarp, kBlock };

constexpr SolveWidth kEverySolveWidth[] = {SolveWidth::kQuarter, SolveWidth::kWarp, SolveWidth::kBlock};

constexpr int threads_of(SolveWidth width) {
  return width == SolveWidth::kQuarter ? 8 : width == SolveWidth::kWarp ? 32 : 64;
}

/// Threads that share the stages around a solve of this width.
constexpr int stage_lanes(SolveWidth width) {
  return threads_of(width == SolveWidth::kBlock ? SolveWidth::kWarp : width);
}

/// Environments of one block of a solve: those of a warp, or one. A block gives back its registers when the last of
/// them ends.
constexpr int environments_a_block(SolveWidth width) { return width == SolveWidth::kQuarter ? 4 : 1; }

/// Warps for which the registers of a multiprocessor suffice if every thread has all 255.
constexpr int kSolveWarps = 8;

/// The same in the kernel for warm starts: in that of a whole warp every thread has 168
/// (docs/adr/0225-a-kernel-for-warm-starts.md).
constexpr int warm_warps(SolveWidth width) { return width == SolveWidth::kWarp ? 12 : kSolveWarps; }

/// Number of blocks that have so many warps together.
constexpr int resident_blocks(SolveWidth width, int warps) { return width == SolveWidth::kBlock ? warps / 2 : warps; }

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
