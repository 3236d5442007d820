// The facets of a polytope of simplices in D dimensions, and which facet lies on the other side of each of their
// ridges.
//
// Every ridge belongs to exactly two facets. Where a part of the surface is replaced by facets through a new point,
// each part of the hole's border that two of these share occurs an even number of times, so that this stays so whatever
// rounding does to convexity.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "host/grasp/facet_plane.hpp"

namespace stiction {

/// A ridge as a facet sees it: the ridge opposite to vertex `slot` of facet `facet`.
struct RidgeOf {
  int facet, slot;
};

template <int D>
struct Facet {
  std::array<int, D> vertex;      // numbers of points, increasing
  std::array<RidgeOf, D> across;  // the same ridge, as the facet on its other side sees it
  std::array<double, D> normal;   // outward, unit
  double offset;                  // normal · x on the facet
  double content;                 // D! times the volume between the facet and the inner point
  bool alive, seen;
};

/// Finds pairs of ridges with the same vertices. Forgets both once they are found.
class RidgePairs {
 public:
  /// Empties it for `count` ridges.
  void reset(std::size_t count) {
    std::size_t size = 16;
    while (size < 2 * count) size *= 2;
    if (entries_.size() < size) entries_.assign(size, Entry{});
    mask_ = entries_.size() - 1;
    ++round_;
  }

  /// Calls found(other) if a ridge with this key is waiting; otherwise this one waits.
  template <class Found>
  void match(std::uint64_t key, RidgeOf ridge, Found found) {
    for (std::size_t i = (key * 0x9E3779B97F4A7C15u >> 20) & mask_;; i = (i + 1) & mask_) {
      Entry& entry = entries_[i];
      if (entry.round != round_) {
        entry = {key, ridge, round_, true};
        return;
      }
      if (entry.key != key) continue;
      entry.waits = !entry.waits;
      if (!entry.waits) return found(entry.ridge);
      entry.ridge = ridge;
      return;
    }
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    RidgeOf ridge = {0, 0};
    unsigned round = 0;
    bool waits = false;
  };
  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  unsigned round_ = 0;
};

/// The vertices of a facet but for those in two slots, in 16 bits each.
template <int D>
std::uint64_t key_without(const Facet<D>& facet, int slot, int other) {
  static_assert(D <= 6);
  std::uint64_t key = 0;
  for (int i = 0; i < D; ++i)
    if (i != slot && i != other)
      key = key << 16 | static_cast<std::uint64_t>(facet.vertex[static_cast<std::size_t>(i)]);
  return key;
}

}  // namespace stiction
