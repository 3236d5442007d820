// Where a GPU keeps the factor of a solve: in the block's shared memory if that costs no resident environment.
//
//   a block          E environments, E · factor bytes + those of its team      at most what a block may ask for
//   a multiprocessor B blocks of it, and what the runtime reserves of each     at most what the multiprocessor has
//
// E and B: solve_width.hpp. An environment's share may be less than its largest factor: a problem whose factor is
// larger than the share has it in global memory, the others in shared. The result of a step does not depend on it
// (docs/adr/0206-factor-in-shared-memory.md).
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/launch/solve_width.hpp"
#include "kernels/model/arena.hpp"

namespace stiction {

enum class FactorMemory {
  kAuto,    // shared as far as it costs no resident environment
  kShared,  // even where fewer environments then fit a multiprocessor
  kGlobal,
};

/// Shared memory of a GPU [bytes].
struct SharedMemory {
  std::size_t a_block;           // that a block may ask for
  std::size_t a_multiprocessor;  // of all blocks together
  std::size_t reserved;          // of every block by the runtime
};

/// Of an H100 or H200.
constexpr SharedMemory kHopperShared = {227 * 1024, 228 * 1024, 1024};

/// How the solves of a batch are launched.
struct SolveLaunch {
  SolveWidth width;
  std::size_t near_bytes;  // of shared memory an environment, for its factor; 0: all factors are in global memory
};

/// Shared memory of a block for its own reductions [bytes].
constexpr std::size_t kTeamShared = 16;

/// What a block asks for beside that [bytes].
constexpr std::size_t dynamic_shared_bytes(const SolveLaunch& launch) {
  return launch.near_bytes * static_cast<std::size_t>(environments_a_block(launch.width));
}

/// True if a block may ask for it.
constexpr bool fits_a_block(const SolveLaunch& launch, const SharedMemory& gpu) {
  return dynamic_shared_bytes(launch) + kTeamShared <= gpu.a_block;
}

/// The largest share of an environment with which a multiprocessor holds as many blocks as without.
constexpr std::size_t largest_free_share(SolveWidth width, const SharedMemory& gpu) {
  const std::size_t a_block = gpu.a_multiprocessor / static_cast<std::size_t>(resident_blocks(width));
  const std::size_t taken = kTeamShared + gpu.reserved;
  if (a_block < taken || gpu.a_block < kTeamShared) return 0;
  const std::size_t left = std::min(a_block - taken, gpu.a_block - kTeamShared);
  return left / static_cast<std::size_t>(environments_a_block(width)) / Arena::kAlignment * Arena::kAlignment;
}

/// The launch of solves with such factors. With kShared the caller must make sure that the largest factor fits a block.
constexpr SolveLaunch plan_solve_launch(FactorMemory memory, SolveWidth width, const NearBytes& factor,
                                        const SharedMemory& gpu) {
  if (memory == FactorMemory::kGlobal) return {width, 0};
  if (memory == FactorMemory::kShared) return {width, factor.most};
  const std::size_t share = std::min(factor.most, largest_free_share(width, gpu));
  return {width, share < factor.least ? 0 : share};
}

}  // namespace stiction
