// The corners of a contact region (regions.hpp): the convex border of its points, of which at most eight stay.
//
//   1. border   the farthest point from the region's first, the farthest from that, the one off their line that spans
//               the largest triangle, and then every point that is outside of the border so far
//   2. choice   of more than eight corners the deepest stays, and both ends of the edge over which a body would tip
//               (ADR 0304); of the others, the corner with the smallest triangle leaves, until eight are left
#pragma once

#include "kernels/collision/lean.hpp"
#include "kernels/collision/region_plane.hpp"

namespace stiction {

namespace collision_detail {

constexpr int kMostCorners = 32;  // of a border; what is outside of so many corners is dropped

/// Corners of a region, in order around its normal.
struct RegionBorder {
  int count = 0;
  int id[kMostCorners];

  ST_FN int after(int i) const { return i + 1 < count ? i + 1 : 0; }
  ST_FN int before(int i) const { return i > 0 ? i - 1 : count - 1; }
};

/// A member becomes a corner: it is neither dropped nor looked at again.
template <class Real>
ST_FN int choose_member(int id, PairSlots<Real>& slots) {
  clear_mark(PointMark::kMember, id, slots);
  return id;
}

template <class Real>
ST_FN void drop_point(int id, PairSlots<Real>& slots) {
  clear_mark(PointMark::kMember, id, slots);
  slots.manifold[slot_of(id)].dropped |= 1u << point_of(id);
}

/// The same for a point that is a corner.
template <class Real>
ST_FN void cut_point(int id, PairSlots<Real>& slots) {
  drop_point(id, slots);
  slots.manifold[slot_of(id)].dropped |= 1u << (kMaxManifold + point_of(id));
}

/// The member with the largest value > least; ties to the first; -1 if none.
template <class Real, class Value>
ST_FN int best_member(const PairSlots<Real>& slots, int first, Real least, Value value) {
  int best = -1;
  Real largest = least;
  for_each_point(slots, first, [&](int id) {
    if (!has_mark(slots, PointMark::kMember, id)) return;
    const Real found = value(place_of(slots, id));
    if (found > largest + Real(1e-6) * std::fabs(largest)) best = id, largest = found;
  });
  return best;
}

/// Begins the border with a triangle, or with the ends of a line, or with the first member if all are in one place.
template <class Real>
ST_FN void begin_border(int first, const RegionPlane<Real>& plane, RegionBorder& border, PairSlots<Real>& slots) {
  const Vec3<Real> n = plane.normal;
  const Real slack = region_slack<Real>();
  const auto farthest_from = [&](const Vec3<Real>& p, Real least) {
    return best_member(slots, first, least, [&](const Vec3<Real>& q) { return norm_squared(cross(n, q - p)); });
  };
  const int a = farthest_from(plane.origin, slack * slack);
  if (a < 0) {
    border.id[border.count++] =
        choose_member(best_member(slots, first, Real(-1), [](const auto&) { return Real(0); }), slots);
    return;
  }
  const Vec3<Real> p = place_of(slots, a);
  const int b = farthest_from(p, Real(0));
  const Vec3<Real> q = place_of(slots, b);
  const int c = best_member(slots, first, slack * norm(q - p),
                            [&](const Vec3<Real>& r) { return std::fabs(doubled_area(p, q, r, n)); });
  border.id[border.count++] = choose_member(a, slots);
  border.id[border.count++] = choose_member(b, slots);
  if (c < 0) return;
  border.id[border.count++] = choose_member(c, slots);
  if (doubled_area(p, q, place_of(slots, c), n) > Real(0)) return;
  border.id[1] = c, border.id[2] = b;
}

/// How far q lies outside of the line from p to r, which goes round n [m].
template <class Real>
ST_FN Real height_over(const Vec3<Real>& p, const Vec3<Real>& r, const Vec3<Real>& q, const Vec3<Real>& n) {
  const Real length = norm(cross(n, r - p));
  return length > Real(0) ? doubled_area(p, q, r, n) / length : Real(0);
}

/// The edge of the border, by the corner at which it begins, of which q is farthest outside; -1 if it is inside.
template <class Real>
ST_FN int edge_before(const PairSlots<Real>& slots, const RegionBorder& border, const Vec3<Real>& n,
                      const Vec3<Real>& q) {
  int edge = -1;
  Real farthest = region_slack<Real>();
  for (int i = 0; i < border.count; ++i) {
    const Real height = height_over(place_of(slots, border.id[i]), place_of(slots, border.id[border.after(i)]), q, n);
    if (height > farthest) farthest = height, edge = i;
  }
  return edge;
}

/// How far corner i lies outside of the line between its neighbours [m].
template <class Real>
ST_FN Real height_of_corner(const PairSlots<Real>& slots, const RegionBorder& border, const Vec3<Real>& n, int i) {
  return height_over(place_of(slots, border.id[border.before(i)]), place_of(slots, border.id[border.after(i)]),
                     place_of(slots, border.id[i]), n);
}

ST_FN void remove_corner(int i, RegionBorder& border) {
  --border.count;
  for (int k = i; k < border.count; ++k) border.id[k] = border.id[k + 1];
}

/// Puts a corner behind corner `edge`, and drops the neighbours that are no corners beside it.
template <class Real>
ST_FN void add_corner(const Vec3<Real>& n, int edge, int id, RegionBorder& border, PairSlots<Real>& slots) {
  int at = edge + 1;
  for (int k = border.count++; k > at; --k) border.id[k] = border.id[k - 1];
  border.id[at] = choose_member(id, slots);
  for (int side = 0; side < 2; ++side) {
    while (border.count > 3) {
      const int beside = side == 0 ? border.after(at) : border.before(at);
      if (height_of_corner(slots, border, n, beside) > region_slack<Real>()) break;
      drop_point(border.id[beside], slots);
      remove_corner(beside, border);
      if (beside < at) --at;
    }
  }
}

/// Finds the corners of the members.
template <class Real>
ST_FN void find_border(int first, const RegionPlane<Real>& plane, RegionBorder& border, PairSlots<Real>& slots) {
  begin_border(first, plane, border, slots);
  for_each_point(slots, first, [&](int id) {
    if (!has_mark(slots, PointMark::kMember, id)) return;
    const int edge = border.count < 3 ? -1 : edge_before(slots, border, plane.normal, place_of(slots, id));
    if (edge < 0) return drop_point(id, slots);
    if (border.count < kMostCorners) return add_corner(plane.normal, edge, id, border, slots);
    cut_point(id, slots);
  });
}

/// Bits of the corners at both ends of the edge over which a lean leaves the border; of the corner that is farthest
/// along it if it crosses no edge.
template <class Real>
ST_FN unsigned tipping_corners(const PairSlots<Real>& slots, const RegionBorder& border, const Lean<Real>& lean,
                               const Vec3<Real>& n) {
  const Vec3<Real> u = lean_across(lean.along, n), left = cross(n, u);
  if (!(norm_squared(u) > Real(0))) return 0;
  unsigned crossed = 0, nearest = 0;
  Real ahead = Real(0), along = Real(-1e30);
  for (int i = 0; i < border.count; ++i) {
    const int j = border.after(i);
    const Vec3<Real> p = place_of(slots, border.id[i]) - lean.from, q = place_of(slots, border.id[j]) - lean.from;
    const Real h_p = dot(left, p), h_q = dot(left, q);
    if (dot(u, p) > along) along = dot(u, p), nearest = 1u << i;
    if ((h_p > Real(0)) == (h_q > Real(0))) continue;
    const Real crossing = dot(u, p + (h_p / (h_p - h_q)) * (q - p));
    if (crossing > ahead) ahead = crossing, crossed = (1u << i) | (1u << j);
  }
  return crossed ? crossed : nearest;
}

/// The deepest corner; ties to the first key.
template <class Real>
ST_FN int deepest_corner(const ModelView<Real>& model, const PairSlots<Real>& slots, const RegionBorder& border) {
  Real least = Real(INFINITY);
  for (int i = 0; i < border.count; ++i) least = smaller(least, gap_of(model, slots, border.id[i]));
  int deepest = -1;
  for (int i = 0; i < border.count; ++i) {
    if (gap_of(model, slots, border.id[i]) > least + gap_tie<Real>()) continue;
    if (deepest < 0 || border.id[i] < border.id[deepest]) deepest = i;
  }
  return deepest < 0 ? 0 : deepest;
}

/// The corner that adds the least area to its neighbours, of those without a bit in `kept`; ties to the first key.
template <class Real>
ST_FN int smallest_corner(const PairSlots<Real>& slots, const RegionBorder& border, const Vec3<Real>& n,
                          unsigned kept) {
  int smallest = -1;
  Real least = Real(0);
  for (int i = 0; i < border.count; ++i) {
    if (kept & (1u << i)) continue;
    const Real area = doubled_area(place_of(slots, border.id[border.before(i)]), place_of(slots, border.id[i]),
                                   place_of(slots, border.id[border.after(i)]), n);
    const Real tie = Real(1e-6) * least;
    const bool less = smallest < 0 || area < least - tie;
    if (less || (area <= least + tie && border.id[i] < border.id[smallest])) smallest = i, least = area;
  }
  return smallest;
}

/// Drops corners until at most kMaxManifold are left; `kept`: bits of those that stay.
template <class Real>
ST_FN void cut_corners(const Vec3<Real>& n, unsigned kept, RegionBorder& border, PairSlots<Real>& slots) {
  while (border.count > kMaxManifold) {
    const int i = smallest_corner(slots, border, n, kept);
    cut_point(border.id[i], slots);
    remove_corner(i, border);
    const unsigned below = (1u << i) - 1u;
    kept = (kept & below) | ((kept >> 1) & ~below);
  }
}

}  // namespace collision_detail

}  // namespace stiction
