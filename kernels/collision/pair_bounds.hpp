// Lower bounds of the gaps of candidate pairs, and which pairs a given motion could bring together.
//
//   φ_ij >= bound_ij    by bounding spheres, and by oriented boxes where the spheres do not exclude the pair
//   kept: bound_ij <= (1 + μ_ij)(m_i + m_j) + 1 mm     m_i [m]: how far geom i may move in the step
//
// A sliding contact separates while it slides (Anitescu), hence the factor 1 + μ.
#pragma once

#include "kernels/collision/broad_bounds.hpp"
#include "kernels/collision/friction.hpp"
#include "kernels/kinematics/poses.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Added to every reach: pairs closer than this always have contacts [m].
constexpr double kReachSlack = 1e-3;

/// The box of a geom in the world, a sphere about its centre, and the geom's part of the gap that the motion in
/// question may bridge: that up to which pairs are kept, or that of the solved motion. All but the box is written by
/// bound_pairs_of.
template <class Real>
struct MovingBox : OrientedBox<Real> {
  Real radius;         // [m]
  Real among, inside;  // the part in pairs of different trees, and of one tree [m]
  int tree;
};

template <class Real>
struct PairBounds {
  Array<MovingBox<Real>> box;  //                                                         (ngeom)
  Array<Real> gap;             // lower bound of the gap, margin subtracted; -∞: not looked at [m]  (npair)
  Array<int> near;             // pairs that may be kept, increasing; select_pairs writes ~p for
                               // those that it leaves out                                (npair)
  Array<int> num_near;         //                                                         (1)
  bool settled = false;        // the sizes of all boxes, and the boxes of geoms that nothing moves, are written
};

template <class Real>
ST_FN PairBounds<Real> take_pair_bounds(const ModelView<Real>& model, Arena& arena) {
  PairBounds<Real> bounds;
  bounds.box = arena.take<MovingBox<Real>>(model.ngeom);
  bounds.gap = arena.take<Real>(model.npair);
  bounds.near = arena.take<int>(model.npair);
  bounds.num_near = arena.take<int>(1);
  return bounds;
}

template <class Team, class Real>
ST_FN void place_boxes(Team team, const ModelView<Real>& model, const Poses<Real>& poses, PairBounds<Real>& bounds) {
  team.each(model.ngeom, [&](int g) {
    if (Team::kLanes == 1 && bounds.settled && is_fixed(model, model.geom_body[g])) return;
    MovingBox<Real>& box = bounds.box[g];
    box.rotation = geom_rotation(poses, g);
    box.center = load3(poses.geom_pos + 3 * g) + box.rotation * load3(model.geom_box_center + 3 * g);
    if (Team::kLanes > 1 || !bounds.settled) box.half = load3(model.geom_box_half + 3 * g);
  });
  if constexpr (Team::kLanes == 1) bounds.settled = true;
}

/// The gap of pair p by bounding spheres, margin subtracted; exact for planes [m].
template <class Real>
ST_FN Real gap_of_spheres(const ModelView<Real>& model, const PairBounds<Real>& bounds, int p) {
  const int a = model.pair_geom[2 * p], b = model.pair_geom[2 * p + 1];
  const OrientedBox<Real>&A = bounds.box[a], &B = bounds.box[b];
  const Real gap = static_cast<GeomType>(model.geom_type[a]) == GeomType::kPlane
                       ? plane_gap_bound(A.center, A.rotation.column(2), B)
                       : sphere_gap_bound(A.center, model.geom_radius[a], B.center, model.geom_radius[b]);
  return gap - model.pair_margin[p];
}

/// bounds.gap of pair p, which is written if the pair was not looked at.
template <class Real>
ST_FN Real known_gap(const ModelView<Real>& model, int p, PairBounds<Real>& bounds) {
  if (bounds.gap[p] == -Real(INFINITY)) bounds.gap[p] = gap_of_spheres(model, bounds, p);
  return bounds.gap[p];
}

/// Raises bounds.gap of pair p to the bound by boxes, if that is larger, and returns it. What is beyond `enough` is not
/// made tighter.
template <class Real>
ST_FN Real tighten_gap(const ModelView<Real>& model, int p, Real enough, PairBounds<Real>& bounds) {
  const int a = model.pair_geom[2 * p], b = model.pair_geom[2 * p + 1];
  if (static_cast<GeomType>(model.geom_type[a]) == GeomType::kPlane) return known_gap(model, p, bounds);
  const Real margin = model.pair_margin[p];
  const Real gap =
      box_gap_bound(bounds.box[a], model.geom_radius[a], bounds.box[b], model.geom_radius[b], enough + margin);
  bounds.gap[p] = larger(known_gap(model, p, bounds), gap - margin);
  return bounds.gap[p];
}

/// The largest gap that the motion of these geoms may bridge [m].
template <class Real>
ST_FN Real largest_way(const MovingBox<Real>& A, const MovingBox<Real>& B) {
  return A.tree >= 0 && A.tree == B.tree ? A.inside + B.inside : A.among + B.among;
}

/// False if the spheres of pair p are farther apart than its geoms may come; true with a plane. Squares are compared,
/// with a limit that is a little too large: what it leaves over is to be asked for its gap.
template <class Real>
ST_FN bool may_come_together(const ModelView<Real>& model, const PairBounds<Real>& bounds, int p) {
  const MovingBox<Real>&A = bounds.box[model.pair_geom[2 * p]], &B = bounds.box[model.pair_geom[2 * p + 1]];
  const Real most = largest_way(A, B) + model.pair_margin[p] + A.radius + B.radius;
  return most >= Real(0) && norm_squared(B.center - A.center) <= Real(1.0001) * most * most;
}

/// Lists the pairs that may come together, and bounds their gaps; boxes are compared only where spheres do not exclude
/// a pair.
template <class Team, class Real>
ST_FN void list_near_pairs(Team team, const ModelView<Real>& model, PairBounds<Real>& bounds) {
  const auto is_near = [&](int p) {
    bounds.gap[p] = -Real(INFINITY);
    if (!may_come_together(model, bounds, p)) return false;
    const Real largest = largest_way(bounds.box[model.pair_geom[2 * p]], bounds.box[model.pair_geom[2 * p + 1]]);
    return known_gap(model, p, bounds) <= largest && tighten_gap(model, p, largest, bounds) <= largest;
  };
  if constexpr (Team::kLanes > 1) team.each(model.npair, [&](int p) { bounds.near[p] = is_near(p) ? p : -1; });
  team.once([&] {
    int count = 0;
    for (int p = 0; p < model.npair; ++p)
      if (Team::kLanes > 1 ? bounds.near[p] >= 0 : is_near(p)) bounds.near[count++] = p;
    *bounds.num_near = count;
  });
}

}  // namespace stiction
