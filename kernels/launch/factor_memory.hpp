// Where a GPU keeps the factor of a solve: in the block's shared memory if that costs no resident environment.
//
//   a block           E environments: E · factor bytes + the bytes of its team   at most what a block may ask for
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
  kShared,  // in shared memory even if fewer environments then fit a multiprocessor
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

/// Shared memory of a block for its own reductions and the environments of its rows [bytes].
constexpr std::size_t kTeamShared = 32;

/// Shared memory that a block asks for besides that [bytes].
constexpr std::size_t dynamic_shared_bytes(const SolveLaunch& launch) {
  return launch.near_bytes * static_cast<std::size_t>(environments_a_block(launch.width));
}

/// True if a block may ask for the shared memory of this launch.
constexpr bool fits_a_block(const SolveLaunch& launch, const SharedMemory& gpu) {
  return dynamic_shared_bytes(launch) + kTeamShared <= gpu.a_block;
}

/// The largest share per environment with which a multiprocessor still holds as many blocks as without one [bytes].
constexpr std::size_t largest_free_share(SolveWidth width, int warps, const SharedMemory& gpu) {
  const std::size_t a_block = gpu.a_multiprocessor / static_cast<std::size_t>(resident_blocks(width, warps));
  const std::size_t taken = kTeamShared + gpu.reserved;
  if (a_block < taken || gpu.a_block < kTeamShared) return 0;
  const std::size_t left = std::min(a_block - taken, gpu.a_block - kTeamShared);
  return left / static_cast<std::size_t>(environments_a_block(width)) / Arena::kAlignment * Arena::kAlignment;
}

/// The launch of solves whose factors have these sizes. With kShared the caller must make sure that the largest factor
/// fits a block.
constexpr SolveLaunch plan_solve_launch(FactorMemory memory, SolveWidth width, const NearBytes& factor,
                                        const SharedMemory& gpu) {
  if (memory == FactorMemory::kGlobal) return {width, 0, 0};
  if (memory == FactorMemory::kShared) return {width, factor.most, factor.most};
  const auto share = [&](int warps) {
    const std::size_t most = std::min(factor.most, largest_free_share(width, warps, gpu));
    return most < factor.least ? 0 : most;
  };
  return {width, share(kSolveWarps), share(warm_warps(width))};
}

}  // namespace stiction
