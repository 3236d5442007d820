// How many threads of a GPU share the solve of one environment; the result does not depend on it.
//
//   a quarter of a warp   up to 12 velocities: few phases have more items than 8
//   a warp                up to 39
//   a block of 64         from 40 on: as many threads as the largest phases of some 60 contacts have items, and half as
//                         many leave the other half's registers to the lanes (docs/adr/0204-lanes-hold-little.md)
#pragma once

namespace stiction {

enum class SolveWidth { kQuarter, kWarp, kBlock };

constexpr SolveWidth kEverySolveWidth[] = {SolveWidth::kQuarter, SolveWidth::kWarp, SolveWidth::kBlock};

constexpr int threads_of(SolveWidth width) {
  return width == SolveWidth::kQuarter ? 8 : width == SolveWidth::kWarp ? 32 : 64;
}

/// Environments of one block of threads: 128 of them, or those of one environment.
constexpr int environments_a_block(SolveWidth width) {
  return width == SolveWidth::kBlock ? 1 : 128 / threads_of(width);
}

/// Blocks that the registers of a multiprocessor admit, where every thread may have all 255.
constexpr int resident_blocks(SolveWidth width) { return width == SolveWidth::kBlock ? 4 : 2; }

constexpr int kQuarterMaxVelocities = 12, kWarpMaxVelocities = 39;

/// True for the threads of a width, and for 0: by the model's size.
constexpr bool is_solve_width(int threads) {
  for (const SolveWidth width : kEverySolveWidth)
    if (threads == threads_of(width)) return true;
  return threads == 0;
}

/// The width of `threads`, or where that is 0 the one for a model with nv velocities.
constexpr SolveWidth choose_solve_width(int nv, int threads) {
  for (const SolveWidth width : kEverySolveWidth)
    if (threads == threads_of(width)) return width;
  if (nv <= kQuarterMaxVelocities) return SolveWidth::kQuarter;
  return nv <= kWarpMaxVelocities ? SolveWidth::kWarp : SolveWidth::kBlock;
}

}  // namespace stiction
