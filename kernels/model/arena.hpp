// Scratch memory of one environment: a bump allocator over a block that the launch provides.
//
// The same layout code runs with a null base to measure how many bytes it needs.
#pragma once

#include <cstddef>

#include "kernels/team/config.hpp"

namespace stiction {

/// Memory beside the arena that is nearer to the lanes: a share of a block's shared memory on a GPU. Aligned to 16
/// bytes; none where bytes is 0.
struct NearMemory {
  char* data = nullptr;
  std::size_t bytes = 0;
};

class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;

  ST_FN explicit Arena(void* base = nullptr) : base_(static_cast<char*>(base)) {}

  /// `count` values of T, aligned to 64 bytes, not initialised; null while measuring.
  template <class T>
  ST_FN T* take(std::size_t count) {
    T* result = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return result;
  }

  /// Takes `bytes` of the near memory, or as many as are left. While measuring it takes none and counts them as wanted.
  ST_FN NearMemory take_near(std::size_t bytes) {
    const std::size_t left = base_ ? near_.bytes - near_used_ : 0;
    const NearMemory taken = {near_.data, bytes < left ? bytes : left};
    near_.data += taken.bytes;
    near_used_ += base_ ? taken.bytes : bytes;
    return taken;
  }

  /// This arena with near memory.
  ST_FN Arena beside(NearMemory near) const {
    Arena arena = *this;
    arena.near_ = near;
    return arena;
  }

  ST_FN std::size_t used() const { return used_; }

  /// Bytes taken of the near memory; while measuring, bytes wanted.
  ST_FN std::size_t near_used() const { return near_used_; }

  /// Gives back everything taken after used() was `mark`.
  ST_FN void rewind(std::size_t mark) { used_ = mark; }

 private:
  char* base_;
  std::size_t used_ = 0;
  NearMemory near_;
  std::size_t near_used_ = 0;
};

/// How much near memory is of use: fewer than `least` bytes are of no use, nor are those beyond `most`.
struct NearBytes {
  std::size_t least, most;
};

/// A T in the arena that all lanes share. One lane fills it, with memory from the rest of the arena: fill(rest of the
/// arena, T).
template <class T, class Team, class Fill>
ST_FN T& place(Team team, Arena arena, Fill fill) {
  T* placed = arena.take<T>(1);
  team.once([&] { fill(arena, *placed); });
  return *placed;
}

/// What was placed there last.
template <class T>
ST_FN T& placed(Arena arena) {
  return *arena.take<T>(1);
}

/// Bytes of scratch: of the arena, and the most of near memory that is of use.
struct ScratchBytes {
  std::size_t all, near;
};

/// Bytes that `place` needs with the same T and fill.
template <class T, class Fill>
ScratchBytes placed_bytes(Fill fill) {
  Arena arena;
  arena.take<T>(1);
  T unplaced;
  fill(arena, unplaced);
  return {arena.used(), arena.near_used()};
}

}  // namespace stiction
