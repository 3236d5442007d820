// The plane of a contact region (regions.hpp): which points of two bodies' slots belong to it.
//
//   n_q ∥ n,   φ_q = φ + s·(q − p),   n·(q − p) = r·(q − p)                                                  (1)
//
//   symbol  variable      shape  unit
//   p       origin        (3)    the point with which the region begins [m]
//   n       normal        (3)    of that point, from the group's first body to its second
//   φ       gap           1      there, less the margin [m]
//   s, r    gap_slope,    (3)    perpendicular to n: how gaps and heights of the points change along the plane [-]
//           height_slope
//
// s and r are those of the slot to which p belongs: of three of its points, of two, across whose line both are zero, or
// of one, around which both are zero. Points on a curved foot obey (1) with none, and stay alone.
#pragma once

#include "kernels/collision/find_contacts.hpp"

namespace stiction {

namespace collision_detail {

/// Points of a region obey (1) up to this, and corners that are not farther outside of the others' border are none [m].
template <class Real>
ST_FN constexpr Real region_slack() {
  return sizeof(Real) == 4 ? Real(1e-5) : Real(1e-7);
}
/// Their normals are parallel up to this [rad].
constexpr double kSameDirection = 1e-5;

template <class Real>
struct RegionPlane {
  int begins;  // the point that is its origin
  Vec3<Real> origin, normal, gap_slope, height_slope;
  Real gap;
};

/// Slots of the same two bodies: the first of them, from which PairSlots::next leads to the others.
struct SlotGroup {
  int first;
  int body;  // the one from which normals point away
};

ST_FN int slot_of(int id) { return id / kMaxManifold; }
ST_FN int point_of(int id) { return id % kMaxManifold; }

/// What is noted about the points of a slot while regions are made: the first bit of each mark, which has a bit for
/// every point.
enum class PointMark : int {
  kMember = 0,            // of the region in progress, and not decided yet
  kTaken = kMaxManifold,  // of a region that was begun
};

ST_FN constexpr unsigned mark_bit(PointMark mark, int point) { return 1u << (static_cast<int>(mark) + point); }

template <class Real>
ST_FN bool has_mark(const PairSlots<Real>& slots, PointMark mark, int id) {
  return (slots.marks[slot_of(id)] & mark_bit(mark, point_of(id))) != 0;
}
template <class Real>
ST_FN void set_mark(PointMark mark, int id, PairSlots<Real>& slots) {
  slots.marks[slot_of(id)] |= mark_bit(mark, point_of(id));
}
template <class Real>
ST_FN void clear_mark(PointMark mark, int id, PairSlots<Real>& slots) {
  slots.marks[slot_of(id)] &= ~mark_bit(mark, point_of(id));
}

/// Calls each(id) for the points of a group's slots, in the order of their keys; id: slot * kMaxManifold + point.
template <class Real, class Each>
ST_FN void for_each_point(const PairSlots<Real>& slots, int first, Each each) {
  for (int slot = first; slot >= 0; slot = slots.next[slot])
    for (int point = 0; point < slots.manifold[slot].count; ++point) each(slot * kMaxManifold + point);
}

template <class Real>
ST_FN Vec3<Real> place_of(const PairSlots<Real>& slots, int id) {
  const ContactPoint<Real>& point = slots.manifold[slot_of(id)].point[point_of(id)];
  return Real(0.5) * (point.p_A + point.p_B);
}

template <class Real>
ST_FN Real gap_of(const ModelView<Real>& model, const PairSlots<Real>& slots, int id) {
  return slots.manifold[slot_of(id)].point[point_of(id)].gap - model.pair_margin[slots.pair[slot_of(id)]];
}

/// The body of the first (side 0) or second geom of a slot's pair.
template <class Real>
ST_FN int body_of(const ModelView<Real>& model, const PairSlots<Real>& slots, int slot, int side) {
  return model.geom_body[model.pair_geom[2 * slots.pair[slot] + side]];
}

/// The normal that all points of a slot share, from `body` to the other one.
template <class Real>
ST_FN Vec3<Real> normal_of(const ModelView<Real>& model, const PairSlots<Real>& slots, int body, int slot) {
  const Vec3<Real>& n = slots.manifold[slot].point[0].normal;
  return body_of(model, slots, slot, 0) == body ? n : -n;
}

template <class Real>
ST_FN bool are_parallel(const Vec3<Real>& n, const Vec3<Real>& m) {
  return dot(n, m) > Real(0) && norm_squared(cross(n, m)) <= Real(kSameDirection * kSameDirection);
}

/// (1), for a point whose normal is parallel.
template <class Real>
ST_FN bool lies_in(const RegionPlane<Real>& plane, const Vec3<Real>& place, Real gap) {
  const Vec3<Real> way = place - plane.origin;
  return std::fabs(gap - plane.gap - dot(plane.gap_slope, way)) <= region_slack<Real>() &&
         std::fabs(dot(plane.normal - plane.height_slope, way)) <= region_slack<Real>();
}

/// Writes the slopes at which two points are reached from the origin; `rise`, `other_rise`: how their gaps differ.
template <class Real>
ST_FN void find_slopes(const Vec3<Real>& to_one, Real rise, const Vec3<Real>& to_other, Real other_rise,
                       RegionPlane<Real>& plane) {
  const Real share = Real(1) / dot(plane.normal, cross(to_one, to_other));
  const Vec3<Real> by_one = share * cross(to_other, plane.normal), by_other = share * cross(plane.normal, to_one);
  plane.gap_slope = rise * by_one + other_rise * by_other;
  plane.height_slope = dot(plane.normal, to_one) * by_one + dot(plane.normal, to_other) * by_other;
}

/// Finds the plane of the points of a slot that belong to no region yet; false unless they span `corners` corners: 3, a
/// triangle; 2, a segment; 1, a place.
template <class Real>
ST_FN bool find_plane(const ModelView<Real>& model, const PairSlots<Real>& slots, int body, int slot, int corners,
                      RegionPlane<Real>& plane) {
  const int count = slots.manifold[slot].count, base = slot * kMaxManifold;
  const Real slack = region_slack<Real>();
  const auto is_free = [&](int i) { return !has_mark(slots, PointMark::kTaken, base + i); };
  int first = 0;
  while (first < count && !is_free(first)) ++first;
  if (first == count) return false;
  const Vec3<Real> none = {Real(0), Real(0), Real(0)}, p = place_of(slots, base + first);
  const Vec3<Real> n = normal_of(model, slots, body, slot);
  plane = {base + first, p, n, none, none, gap_of(model, slots, base + first)};
  const int second = largest_of(count, slack * slack, [&](int i) {
    return is_free(i) ? norm_squared(cross(n, place_of(slots, base + i) - p)) : Real(0);
  });
  if (second < 0) return corners == 1;
  const Vec3<Real> to_one = place_of(slots, base + second) - p;
  const int third = largest_of(count, slack * norm(to_one), [&](int i) {
    return is_free(i) ? std::fabs(dot(n, cross(to_one, place_of(slots, base + i) - p))) : Real(0);
  });
  if (corners != (third < 0 ? 2 : 3)) return false;
  const auto rise_to = [&](int i) { return gap_of(model, slots, base + i) - plane.gap; };
  if (third < 0)
    find_slopes(to_one, rise_to(second), cross(n, to_one), Real(0), plane);
  else
    find_slopes(to_one, rise_to(second), place_of(slots, base + third) - p, rise_to(third), plane);
  return true;
}

/// True if another slot of the group has the normal of this one.
template <class Real>
ST_FN bool has_parallel(const ModelView<Real>& model, const PairSlots<Real>& slots, const SlotGroup& group, int slot) {
  const Vec3<Real> n = normal_of(model, slots, group.body, slot);
  for (int other = group.first; other >= 0; other = slots.next[other])
    if (other != slot && are_parallel(n, normal_of(model, slots, group.body, other))) return true;
  return false;
}

/// True if contacts of two candidate pairs have the same friction and margin.
template <class Real>
ST_FN bool have_same_contact(const ModelView<Real>& model, int p, int q) {
  const PairFriction<Real> a = pair_friction(model, p), b = pair_friction(model, q);
  return a.t == b.t && a.o == b.o && a.r == b.r && model.pair_kinetic[p] == model.pair_kinetic[q] &&
         model.pair_margin[p] == model.pair_margin[q];
}

/// Marks the points that belong to the region that begins in `slot`; true if they come from several slots.
template <class Real>
ST_FN bool collect_points(const ModelView<Real>& model, const SlotGroup& group, int slot,
                          const RegionPlane<Real>& plane, PairSlots<Real>& slots) {
  set_mark(PointMark::kTaken, plane.begins, slots), set_mark(PointMark::kMember, plane.begins, slots);
  int from = 0;
  for (int other = group.first; other >= 0; other = slots.next[other]) {
    if (!are_parallel(plane.normal, normal_of(model, slots, group.body, other))) continue;
    if (!have_same_contact(model, slots.pair[slot], slots.pair[other])) continue;
    bool joins = other == slot;
    for (int point = 0; point < slots.manifold[other].count; ++point) {
      const int id = other * kMaxManifold + point;
      if (has_mark(slots, PointMark::kTaken, id)) continue;
      if (!lies_in(plane, place_of(slots, id), gap_of(model, slots, id))) continue;
      set_mark(PointMark::kTaken, id, slots), set_mark(PointMark::kMember, id, slots);
      joins = true;
    }
    from += joins ? 1 : 0;
  }
  return from > 1;
}

}  // namespace collision_detail

}  // namespace stiction
