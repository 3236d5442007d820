// Where a GPU keeps the factor of a solve: in the block's shared memory if that costs no resident environment.
//
//   a block           E environments: E · factor bytes + the bytes of its teams  at most what a block may ask for
//   a multiprocessor  B such blocks + what the runtime reserves for each         at most what the multiprocessor has
//
// E and B are in solve_width.hpp. An environment's share may be less than its largest possible factor: a factor larger
// than the share is kept in global memory, any other in shared memory. The result of a step does not depend on it
// (docs/adr/0206-factor-in-shared-memory.md).
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/launch/solve_width.hpp"
#include "kernels/model/arena.hpp"

namespace stiction {

enum class FactorMemory {
  kAuto,    // in shared memory as far as no fewer environments then fit a multiprocessor
  kShared,  // in shared memory even if fewer environments then fit a multiprocessor; for warm starts as far as it fits
            // a block
  kGlobal,  // in global memory
};

/// Shared memory of a GPU [bytes].
struct SharedMemory {
  std::size_t a_block;           // most that a block may ask for
  std::size_t a_multiprocessor;  // most for all blocks of a multiprocessor together
  std::size_t reserved;          // reserved by the runtime in every block
};

/// The shared memory of an H100 or H200.
constexpr SharedMemory kHopperShared = {227 * 1024, 228 * 1024, 1024};

/// How the solves of a batch are launched.
struct SolveLaunch {
  SolveWidth width;
  std::size_t near_bytes;           // shared memory per environment for its factor; 0: all factors are in global memory
  std::size_t warm_near_bytes = 0;  // the same in the kernel for warm starts, of which a multiprocessor holds more
};

/// Shared memory of a block for its own reductions and for each of its rows [bytes].
constexpr std::size_t kTeamShared = 32;

/// Shared memory of a block with shares of `near_bytes` for all of its environments, without that [bytes].
constexpr std::size_t shares_of_a_block(const SolveBlocks& blocks, std::size_t near_bytes) {
  return near_bytes * static_cast<std::size_t>(blocks.environments);
}

/// The largest share per environment that a block may ask for [bytes].
constexpr std::size_t largest_share(const SolveBlocks& blocks, const SharedMemory& gpu) {
  if (gpu.a_block < kTeamShared) return 0;
  const std::size_t each = (gpu.a_block - kTeamShared) / static_cast<std::size_t>(blocks.environments);
  return each / Arena::kAlignment * Arena::kAlignment;
}

/// The largest share per environment with which a multiprocessor still holds as many blocks as without one [bytes].
constexpr std::size_t largest_free_share(const SolveBlocks& blocks, const SharedMemory& gpu) {
  const std::size_t a_block = gpu.a_multiprocessor / static_cast<std::size_t>(blocks.resident);
  const std::size_t taken = kTeamShared + gpu.reserved;
  if (a_block < taken) return 0;
  const std::size_t each = (a_block - taken) / static_cast<std::size_t>(blocks.environments);
  return std::min(each / Arena::kAlignment * Arena::kAlignment, largest_share(blocks, gpu));
}

/// The launch of solves whose factors have these sizes. With kShared the caller must make sure that the largest factor
/// fits a block.
constexpr SolveLaunch plan_solve_launch(FactorMemory memory, SolveWidth width, const NearBytes& factor,
                                        const SharedMemory& gpu) {
  if (memory == FactorMemory::kGlobal) return {width, 0, 0};
  const SolveBlocks warm = solve_blocks(width, TaskKernel::kWarm), solve = solve_blocks(width, TaskKernel::kSolve);
  const auto share = [&](std::size_t room) {
    const std::size_t most = std::min(factor.most, room);
    return most < factor.least ? 0 : most;
  };
  if (memory == FactorMemory::kShared) return {width, factor.most, share(largest_share(warm, gpu))};
  return {width, share(largest_free_share(solve, gpu)), share(largest_free_share(warm, gpu))};
}

}  // namespace stiction
