// Where a GPU keeps the factor of a solve: in the block's shared memory if that costs no resident environment.
//
//   a block          E environments, E · factor bytes + those of its team      at most what a block may ask for
//   a multiprocessor B blocks of it, and what the runtime reserves of each     at most what the multiprocessor has
//
// E and B: solve_width.hpp. The result of a step does not depend on it (docs/adr/0206-factor-in-shared-memory.md).
#pragma once

#include <cstddef>

#include "kernels/launch/solve_width.hpp"

namespace stiction {

enum class FactorMemory {
  kAuto,    // shared where it fits
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
  std::size_t near_bytes;  // of shared memory an environment, for its factor; 0: the factor is in global memory
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

/// True if a multiprocessor holds as many blocks as without it.
constexpr bool keeps_residents(const SolveLaunch& launch, const SharedMemory& gpu) {
  const auto blocks = static_cast<std::size_t>(resident_blocks(launch.width));
  return blocks * (dynamic_shared_bytes(launch) + kTeamShared + gpu.reserved) <= gpu.a_multiprocessor;
}

/// The launch of solves with factors of `factor_bytes`. With kShared it is the caller's to see that it fits a block.
constexpr SolveLaunch plan_solve_launch(FactorMemory memory, SolveWidth width, std::size_t factor_bytes,
                                        const SharedMemory& gpu) {
  const SolveLaunch shared = {width, factor_bytes};
  const bool near = memory == FactorMemory::kShared ||
                    (memory == FactorMemory::kAuto && fits_a_block(shared, gpu) && keeps_residents(shared, gpu));
  return {width, near ? factor_bytes : 0};
}

}  // namespace stiction
