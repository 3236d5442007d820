// Poses -> contacts: pairs within reach, the narrow phase, and the packing of its points.
//
//   1. select   the pairs whose bound is within their reach, in pair order; of too many, the nearest are kept
//   2. collide  one lane per pair: up to four points, or eight on round and many-sided feet
//   3. merge    points that other points of the same two bodies make superfluous are marked (regions.hpp)
//   4. pack     the points within reach, in key order (count, scan, emit); of too many, the deepest are kept
#pragma once

#include "kernels/collision/contact_frame.hpp"
#include "kernels/collision/contacts.hpp"
#include "kernels/collision/lean.hpp"
#include "kernels/collision/narrow_phase.hpp"
#include "kernels/collision/pair_bounds.hpp"
#include "kernels/collision/placed_shape.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/bits.hpp"

namespace stiction {

template <class Real>
struct PairSlots {
  Array<int> count;                // pairs selected                                (1)
  Array<int> pair;                 // candidate pair of a slot, increasing          (max_pairs)
  Array<Real> reach;               // gap up to which its points are contacts [m]   (max_pairs)
  Array<Manifold<Real>> manifold;  //                                               (max_pairs)
  Array<Real> shift;               // how far each geom's joints have moved since the start of the step when the
                                   // point touches [m]                             (max_pairs, kMaxManifold, 2, 3)
  Array<int> first;                // first packed point of a slot                  (max_pairs)
  // null, unless bodies have pieces that touch (regions.hpp)
  Array<unsigned> marks;                  // bits of PointMark, while regions are made (max_pairs)
  Array<int> next;                        // the next slot of the same two bodies; -1: there is none (max_pairs)
  Array<CollisionScratch<Real>> scratch;  // one per lane of the team in the narrow phase
};

/// `regions`: there are contact regions (regions.hpp).
template <class Team, class Real>
ST_FN PairSlots<Real> take_pair_slots(Team, const Capacity& capacity, bool regions, Arena& arena) {
  PairSlots<Real> slots;
  slots.count = arena.take<int>(1);
  slots.pair = arena.take<int>(capacity.max_pairs);
  slots.reach = arena.take<Real>(capacity.max_pairs);
  slots.manifold = arena.take<Manifold<Real>>(capacity.max_pairs);
  slots.shift = arena.take<Real>(6 * kMaxManifold * capacity.max_pairs);
  slots.first = arena.take<int>(capacity.max_pairs);
  slots.marks = regions ? arena.take<unsigned>(capacity.max_pairs) : nullptr;
  slots.next = regions ? arena.take<int>(capacity.max_pairs) : nullptr;
  // several lanes have scratch while they are in the narrow phase (kernels/launch/cuda_team_grid.cuh)
  slots.scratch = Team::kLanes == 1 ? arena.take<CollisionScratch<Real>>(1) : nullptr;
  return slots;
}

/// The shifts of the first geom's joints and of the second's for one point of a slot.
template <class Real>
ST_FN Real* shift_of_point(PairSlots<Real>& slots, int slot, int point) {
  return slots.shift + 6 * (slot * kMaxManifold + point);
}

/// The points of a manifold that may become contacts, as a set of bits.
template <class Real>
ST_FN unsigned contact_points(const Manifold<Real>& manifold) {
  return ((1u << manifold.count) - 1u) & ~manifold.dropped;
}

/// The number of such points.
template <class Real>
ST_FN int count_points(const Manifold<Real>& manifold) {
  return count_bits(contact_points(manifold));
}

/// True if a point of a manifold is such a point.
template <class Real>
ST_FN bool has_point(const Manifold<Real>& manifold, int point) {
  return (contact_points(manifold) >> point & 1u) != 0;
}

/// Geom g at its pose in the world.
template <class Stored, class Real>
ST_FN PlacedShape<Real> shape_in_world(const ModelView<Stored>& model, const Poses<Real>& poses, int g) {
  return place_shape(model, g, load3(poses.geom_pos + 3 * g), geom_rotation(poses, g));
}

namespace collision_detail {

/// Rank of item i among n by value, ties by index: 0 is the smallest.
template <class Value>
ST_FN int rank_of(int i, int n, Value value) {
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += (value(j) < value(i) || (value(j) == value(i) && j < i)) ? 1 : 0;
  return rank;
}

}  // namespace collision_detail

/// Selects the near pairs with bounds.gap <= reach(pair), and writes ~p for the others. Returns kPairsDropped if
/// there are more than max_pairs.
template <class Team, class Real, class Reach>
ST_FN std::uint32_t select_pairs(Team team, const Capacity& capacity, Reach reach, PairBounds<Real>& bounds,
                                 PairSlots<Real>& slots) {
  const int num_near = *bounds.num_near;
  const int wanted = team.sum(num_near, 0, [&](int i) {
    const int p = bounds.near[i];
    const bool kept = bounds.gap[p] <= reach(p);
    if (!kept) bounds.near[i] = ~p;
    return kept ? 1 : 0;
  });
  const bool crowded = wanted > capacity.max_pairs;
  const auto nearness = [&](int i) { return bounds.near[i] >= 0 ? bounds.gap[bounds.near[i]] : Real(INFINITY); };
  team.once([&] {
    int count = 0;
    for (int i = 0; i < num_near; ++i) {
      if (bounds.near[i] < 0) continue;
      if (crowded && collision_detail::rank_of(i, num_near, nearness) >= capacity.max_pairs) continue;
      slots.pair[count++] = bounds.near[i];
    }
    *slots.count = count;
  });
  team.then(*slots.count, [&](int slot) { slots.reach[slot] = reach(slots.pair[slot]); });
  return crowded ? status::kPairsDropped : 0u;
}

/// Runs the narrow phase on the selected pairs and writes their manifolds, with gaps up to the pair's reach.
/// `free_velocity` is the velocity that every dof would have if nothing touched it (nv).
template <class Team, class Real>
ST_FN void collide_slots(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                         Pointer<const Real> free_velocity, PairSlots<Real>& slots) {
  team.each(*slots.count, [&](int slot) {
    const int p = slots.pair[slot];
    CollisionScratch<Real>& scratch = slots.scratch[slot % Team::kLanes];
    scratch.A = shape_in_world(model, poses, model.pair_geom[2 * p]);
    scratch.B = shape_in_world(model, poses, model.pair_geom[2 * p + 1]);
    scratch.guess = {Real(0), Real(0), Real(0)};
    predict_leans(model, poses, free_velocity, p, scratch.A, scratch.B);
    collide(scratch.A, scratch.B, slots.reach[slot] + model.pair_margin[p], scratch, slots.manifold[slot]);
  });
}

/// Raises bounds.gap of the pairs that the narrow phase found apart.
template <class Team, class Real>
ST_FN void tighten_bounds(Team team, const PairSlots<Real>& slots, PairBounds<Real>& bounds) {
  team.each(*slots.count, [&](int slot) {
    const int p = slots.pair[slot];
    if (slots.manifold[slot].count == 0 && bounds.gap[p] < slots.reach[slot]) bounds.gap[p] = slots.reach[slot];
  });
}

/// Writes contact `index`. `shift`: of its point (2, 3).
template <class Real>
ST_FN void write_contact_point(const ContactPoint<Real>& from, Real margin, const Real* shift, int index,
                               Contacts<Real>& out) {
  out.gap[index] = from.gap - margin;
  const Vec3<Real> p = Real(0.5) * (from.p_A + from.p_B);
  store3(out.position + 3 * index, p);
  for (int side = 0; side < 2; ++side) store3(out.arm + 6 * index + 3 * side, p - load3(shift + 3 * side));
  const ContactFrame<Real> frame = make_contact_frame(from.normal);
  store3(out.frame + 9 * index, frame.n);
  store3(out.frame + 9 * index + 3, frame.t);
  store3(out.frame + 9 * index + 6, frame.o);
}

namespace collision_detail {

template <class Real>
ST_FN void emit_point(const ModelView<Real>& model, int slot, int point, int index, PairSlots<Real>& slots,
                      Contacts<Real>& out) {
  const int pair = slots.pair[slot];
  out.key[index] = pair * kMaxManifold + point;
  write_contact_point(slots.manifold[slot].point[point], model.pair_margin[pair], shift_of_point(slots, slot, point),
                      index, out);
}

}  // namespace collision_detail

namespace collision_detail {

/// How many points of all slots are deeper than this one.
template <class Real>
ST_APART int depth_rank(const PairSlots<Real>& slots, const Real* pair_margin, int slot, int point) {
  const auto gap_of = [&](int item) {
    const Manifold<Real>& manifold = slots.manifold[item / kMaxManifold];
    const int i = item % kMaxManifold;
    return has_point(manifold, i) ? manifold.point[i].gap - pair_margin[slots.pair[item / kMaxManifold]]
                                  : Real(INFINITY);
  };
  return rank_of(slot * kMaxManifold + point, *slots.count * kMaxManifold, gap_of);
}

}  // namespace collision_detail

/// Packs the manifolds' points into contacts, without those that are dropped. Returns kContactsDropped if there are
/// more than max_contacts.
template <class Team, class Real>
ST_FN std::uint32_t pack_contacts(Team team, const ModelView<Real>& model, const Capacity& capacity,
                                  PairSlots<Real>& slots, Contacts<Real>& out) {
  const int num_slots = *slots.count;
  const int wanted = team.sum(num_slots, 0, [&](int slot) { return count_points(slots.manifold[slot]); });
  const bool crowded = wanted > capacity.max_contacts;
  const Real* margin = model.pair_margin;
  const auto stays = [&](int slot, int point) {
    if (!has_point(slots.manifold[slot], point)) return false;
    return !crowded || collision_detail::depth_rank(slots, margin, slot, point) < capacity.max_contacts;
  };
  team.once([&] {
    int total = 0;
    for (int slot = 0; slot < num_slots; ++slot) {
      slots.first[slot] = total;
      for (int point = 0; point < kMaxManifold; ++point) total += stays(slot, point) ? 1 : 0;
    }
    *out.count = total;
  });
  team.each(num_slots, [&](int slot) {
    int index = slots.first[slot];
    for (int point = 0; point < kMaxManifold; ++point)
      if (stays(slot, point)) collision_detail::emit_point(model, slot, point, index++, slots, out);
  });
  return crowded ? status::kContactsDropped : 0u;
}

}  // namespace stiction
