// Contact regions: where a body consists of pieces that touch, the points that it has in one plane with one other body
// are one region, and only its corners become contacts (Miller & Christensen 2003, section 3.2).
//
//   q = Σ a_i p_i,  a_i >= 0, Σ a_i = 1     a point among the corners p_i of a region
//   φ_q = Σ a_i φ_i,  J_q = Σ a_i J_i       the gaps of a region lie in a plane, and its normals are one
//   φ_q/h + J_q v >= 0                      follows from the same at the corners
//   J_qᵀ λ = Σ J_iᵀ (a_i λ)                 any force at q is a sum of forces at the corners in the same cone
//
// so that no motion and no total force is lost. A slot takes part if one of its geoms is a piece (model.geom_piece),
// and if it overlaps by hardly anything: what pushes deep overlaps apart looks at every point. ADR 0228 has the rest.
#pragma once

#include "kernels/collision/region_corners.hpp"

namespace stiction {

namespace collision_detail {

/// A pair that overlaps by more than this keeps all of its points [m].
template <class Real>
ST_FN constexpr Real region_overlap() {
  return sizeof(Real) == 4 ? Real(1e-5) : Real(1e-6);
}

template <class Real>
ST_FN bool is_piece(const ModelView<Real>& model, int geom) {
  return model.geom_piece[geom] >= 0;
}

/// True if a slot has points that may belong to a region.
template <class Real>
ST_FN bool may_merge(const ModelView<Real>& model, const PairSlots<Real>& slots, int slot) {
  const int* geom = model.pair_geom + 2 * slots.pair[slot];
  if (!is_piece(model, geom[0]) && !is_piece(model, geom[1])) return false;
  const int count = slots.manifold[slot].count;
  for (int point = 0; point < count; ++point)
    if (gap_of(model, slots, slot * kMaxManifold + point) < -region_overlap<Real>()) return false;
  return count > 0;
}

template <class Real>
ST_FN bool have_same_bodies(const ModelView<Real>& model, const PairSlots<Real>& slots, int one, int other) {
  const int a = body_of(model, slots, one, 0), b = body_of(model, slots, one, 1);
  const int c = body_of(model, slots, other, 0), d = body_of(model, slots, other, 1);
  return (a == c && b == d) || (a == d && b == c);
}

/// Links the slot to the next of the same two bodies; `joins(slot)`: it takes part.
template <class Real, class Joins>
ST_FN void link_slot(const ModelView<Real>& model, int slot, Joins joins, PairSlots<Real>& slots) {
  slots.marks[slot] = slots.manifold[slot].dropped = 0u;
  slots.next[slot] = -1;
  if (!joins(slot) || !may_merge(model, slots, slot)) return;
  for (int other = slot + 1; other < *slots.count; ++other) {
    if (!have_same_bodies(model, slots, slot, other) || !joins(other) || !may_merge(model, slots, other)) continue;
    slots.next[slot] = other;
    return;
  }
}

/// True if several slots are linked, beginning with this one.
template <class Real>
ST_FN bool begins_group(const PairSlots<Real>& slots, int slot) {
  if (slots.next[slot] < 0) return false;
  for (int before = 0; before < slot; ++before)
    if (slots.next[before] == slot) return false;
  return true;
}

/// Bits of the corners that stay if a border has too many.
template <class Real>
ST_FN unsigned corners_to_keep(const ModelView<Real>& model, const Poses<Real>& poses, const Real* free_velocity,
                               const PairSlots<Real>& slots, int slot, const Vec3<Real>& n,
                               const RegionBorder& border) {
  const int a = body_of(model, slots, slot, 0), b = body_of(model, slots, slot, 1);
  const Lean<Real> lean_A = lean_against(model, poses, free_velocity, a, b),
                   lean_B = lean_against(model, poses, free_velocity, b, a);
  return (1u << deepest_corner(model, slots, border)) | tipping_corners(slots, border, lean_A, n) |
         tipping_corners(slots, border, lean_B, n);
}

/// Decides which members of the region are contacts.
template <class Real>
ST_FN void decide_region(const ModelView<Real>& model, const Poses<Real>& poses, const Real* free_velocity, int first,
                         const RegionPlane<Real>& plane, PairSlots<Real>& slots) {
  RegionBorder border;
  find_border(first, plane, border, slots);
  if (border.count <= kMaxManifold) return;
  const unsigned kept = corners_to_keep(model, poses, free_velocity, slots, first, plane.normal, border);
  cut_corners(plane.normal, kept, border, slots);
}

/// The marks of all points of a slot.
ST_FN constexpr unsigned all_marks(PointMark mark) { return ((1u << kMaxManifold) - 1u) << static_cast<int>(mark); }

/// Finds the regions of a group of slots: those with a face first, then those that begin with a line or a place.
template <class Real>
ST_FN void merge_group(const ModelView<Real>& model, const Poses<Real>& poses, const Real* free_velocity, int first,
                       PairSlots<Real>& slots) {
  const SlotGroup group = {first, body_of(model, slots, first, 0)};
  for (int slot = first; slot >= 0; slot = slots.next[slot])
    if (!has_parallel(model, slots, group, slot)) slots.marks[slot] |= all_marks(PointMark::kTaken);
  RegionPlane<Real> plane;
  for (int corners = 3; corners > 0; --corners) {
    for (int slot = first; slot >= 0; slot = slots.next[slot]) {
      while (find_plane(model, slots, group.body, slot, corners, plane)) {
        if (collect_points(model, group, slot, plane, slots))
          decide_region(model, poses, free_velocity, first, plane, slots);
        else
          slots.marks[slot] &= ~all_marks(PointMark::kMember);
      }
    }
  }
}

}  // namespace collision_detail

/// Marks the points that are no contacts, as the corners of their region hold all that they could. `joins(slot)`: the
/// slot may take part. `free_velocity` as in collide_slots.
template <class Team, class Real, class Joins>
ST_FN void merge_regions(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                         Pointer<const Real> free_velocity, Joins joins, PairSlots<Real>& slots) {
  team.each(*slots.count, [&](int slot) { collision_detail::link_slot(model, slot, joins, slots); });
  team.each(*slots.count, [&](int slot) {
    if (collision_detail::begins_group(slots, slot))
      collision_detail::merge_group(model, poses, free_velocity, slot, slots);
  });
}

/// True if points of a slot are no contacts although they lie outside of those that are.
template <class Real>
ST_FN bool has_cut_corner(const PairSlots<Real>& slots, int slot) {
  return slots.manifold[slot].dropped >= 1u << kMaxManifold;
}

}  // namespace stiction
