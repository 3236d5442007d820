// The rims of tilted caps in the rounds that find the end of a step (kernels/patch/rim_load.hpp).
//
// After each answer: where the load of its rim acts, and the lowest point of the rim where the answer ends. Before each
// manifold: the three points that the rim has in it. Both are about caps that stand on a flat part of the other shape;
// a rim that lies across an edge has one closest point, and a cylinder on its side the ends of a line.
#pragma once

#include "kernels/patch/rim_load.hpp"
#include "kernels/step/end_poses.hpp"
#include "kernels/step/last_points.hpp"
#include "kernels/step/motion_search.hpp"

namespace stiction {

namespace step_detail {

/// A cap that is tilted by more is no foot: its cylinder touches with its side (sine) [-].
constexpr double kMostTilt = 0.7;
/// Normals that are closer than this are equal [rad].
constexpr double kFlatTie = 1e-6;

/// True if the unit vector d, which points out of the shape, is the normal of a flat part of it.
ST_FN bool is_flat_along(const PlacedShape<double>& shape, const Vec3<double>& d) {
  const Vec3<double> n = flat_normal(shape, d);
  return norm_squared(n) > 0.0 && norm(cross(n, d)) < kFlatTie;
}

/// The direction in the frame of a cylinder, geom `side` of its pair, that is down for the other shape, on which it
/// stands. `normal`: from the pair's first geom to the second.
ST_FN Vec3<double> down_from(const PlacedShape<double>& cylinder, const PlacedShape<double>& other,
                             const double* normal, int side) {
  const Vec3<double> n = load3(normal);
  return transpose_mul(cylinder.rotation, -flat_normal(other, side == 0 ? -n : n));
}

/// Where the load of the last round acts on the rim of a cylinder, the first geom of a pair (side 0) or the second.
template <class Real>
ST_FN RimLoad load_on_rim(const StepScratch<Real>& s, int slot, int side, const Vec3<double>& size) {
  const LastRound& last = s.last_round;
  const int pair = s.slots.pair[slot], rows = s.contact_rows.dimension, first = first_of_pair(last, pair);
  int heaviest = -1;
  for (int j = first; j < *last.count && pair_of_key(last.key[j]) == pair; ++j)
    if (s.end.fixed[j] && last.lambda[rows * j] > (heaviest < 0 ? 0.0 : last.lambda[rows * heaviest])) heaviest = j;
  RimLoad load;
  if (heaviest < 0) return load;
  const auto add = [&](int j) {
    return add_to_rim(size, load3(s.end.place + 6 * j + 3 * side), last.lambda[rows * j], load);
  };
  bool together = add(heaviest);
  for (int j = first; j < *last.count && pair_of_key(last.key[j]) == pair; ++j)
    if (j != heaviest && last.lambda[rows * j] > 0.0) together = add(j) && together;
  if (!together) load.points = 0;
  return load;
}

/// Notes what the last answer says about the rim of one side of a slot.
template <class Real>
ST_PHASE void note_rim(const ModelView<Real>& model, int slot, int side, StepScratch<Real>& s) {
  RimRound* rim = s.end.rim + 4 * slot + 2 * side;
  rim[1] = rim[0];
  rim[0] = {0, false, rim[1].load, rim[1].load, 0.0, 0.0};
  const int *geom = model.pair_geom + 2 * s.slots.pair[slot], g = geom[side];
  if (static_cast<GeomType>(model.geom_type[g]) != GeomType::kCylinder) return;
  const PlacedShape<double> cylinder = shape_in_world(model, end_poses(s), g);
  const RimLoad load = load_on_rim(s, slot, side, cylinder.size);
  rim[0].points = load.points;
  if (load.points == 0 || !s.end.flat[2 * slot + side]) return;
  const PlacedShape<double> other = shape_in_world(model, end_poses(s), geom[1 - side]);
  const Vec3<double> down = down_from(cylinder, other, s.end.normal + 3 * slot, side);
  const double tilt = std::sqrt(down.x * down.x + down.y * down.y);
  rim[0].stands = tilt > kLeastTilt && tilt < kMostTilt;
  if (!rim[0].stands) return;
  rim[0].load = rim[1].load + turned_angle(rim[1].load, load.angle());  // goes on beyond π
  rim[0].lowest = std::atan2(down.y, down.x);
  rim[0].spread = load.high - load.low;
  rim[0].fall = tilt * cylinder.size.x;
}

/// Notes whether the normal of a slot's new manifold is that of a flat part of either shape.
template <class Real>
ST_PHASE void note_flat(const PlacedShape<double>& A, const PlacedShape<double>& B, int slot, StepScratch<Real>& s) {
  const Manifold<double>& manifold = end_manifold(slot, s);
  const Vec3<double> n = manifold.count > 0 ? manifold.point[0].normal : Vec3<double>{0.0, 0.0, 0.0};
  s.end.flat[2 * slot] = is_flat_along(B, -n) ? 1 : 0;
  s.end.flat[2 * slot + 1] = is_flat_along(A, n) ? 1 : 0;
}

/// Where the search goes on with the rim of one side of a slot; null if this round does not search.
template <class Real>
ST_FN const double* searched_angle(const ModelView<Real>& model, const StepScratch<Real>& s, int slot, int side) {
  return s.end.searches[0] ? s.end.search.next + first_rim_entry(model, s) + 2 * slot + side : nullptr;
}

/// Gives a cylinder that stands on its rim, geom `side` of its pair, three points there, the kept ones of the pair. One
/// whose rim bears in one point but does not stand keeps none, as the next manifold has the closest one.
template <class Real>
ST_PHASE void keep_rim(const ModelView<Real>& model, const StepScratch<Real>& s, int slot, int side,
                       const PlacedShape<double>& other, KeptShape<double>& cylinder, KeptPoints<double>& pair) {
  const RimRound* rim = s.end.rim + 4 * slot + 2 * side;
  cylinder.kept.on_rim = false;
  if (rim[0].points == 0) return;
  const Vec3<double> down = down_from(cylinder, other, s.end.normal + 3 * slot, side);
  const double tilt = std::sqrt(down.x * down.x + down.y * down.y);
  RimPoints next;
  if (rim[0].stands)
    next = next_rim_points(rim[0], rim[1], tilt, cylinder.size.x, searched_angle(model, s, slot, side));
  if (!rim[0].stands || next.half > kRimSpread) {
    if (rim[0].points == 1) cylinder.kept.count = 0;
    return;
  }
  cylinder.kept.on_rim = true;
  cylinder.kept.rim_angle = next.angle, cylinder.kept.rim_half = next.half, cylinder.kept.rim_tie = next.tie;
  pair.count = 3;
  for (int k = 0; k < 3; ++k) {
    const double at = next.angle + ((k + 1) % 3 - 1) * next.half;  // the middle first
    const Vec3<double> local = {cylinder.size.x * std::cos(at), cylinder.size.x * std::sin(at),
                                with_sign_of(cylinder.size.y, down.z)};
    pair.point[k] = cylinder.position + cylinder.rotation * local;
  }
}

}  // namespace step_detail

/// Notes what the last answer says about all rims, at the poses where it ends. `again`: earlier rounds count, too.
template <class Team, class Real>
ST_FN void note_rims(Team team, const ModelView<Real>& model, bool again, StepScratch<Real>& s) {
  team.each(2 * *s.slots.count, [&](int i) {
    if (!again) s.end.flat[i] = 0, s.end.rim[2 * i] = {0, false, 0.0, 0.0, 0.0, 0.0};
    step_detail::note_rim(model, i / 2, i % 2, s);
  });
}

}  // namespace stiction
