// Scratch memory of one environment: a bump allocator over a block that the launch provides.
//
// The same layout code runs with a null base to measure how many bytes it needs.
#pragma once

#include <cstddef>

#include "kernels/team/config.hpp"

namespace stiction {

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

  ST_FN std::size_t used() const { return used_; }

  /// Gives back everything taken after used() was `mark`.
  ST_FN void rewind(std::size_t mark) { used_ = mark; }

 private:
  char* base_;
  std::size_t used_ = 0;
};

/// A T that all lanes share, in the arena. One lane fills it with what it takes behind it: fill(rest of the arena, T).
template <class T, class Team, class Fill>
ST_FN T& place(Team team, Arena arena, Fill fill) {
  T* placed = arena.take<T>(1);
  team.once([&] { fill(arena, *placed); });
  return *placed;
}

/// Bytes that `place` needs with the same T and fill.
template <class T, class Fill>
std::size_t placed_bytes(Fill fill) {
  Arena arena;
  arena.take<T>(1);
  T unplaced;
  fill(arena, unplaced);
  return arena.used();
}

}  // namespace stiction
