// A lower bound of the gap of every candidate pair, and which pairs a given motion could bring together.
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

template <class Real>
struct PairBounds {
  Array<OrientedBox<Real>> box;  // bounding boxes in the world                             (ngeom)
  Array<Real> gap;               // lower bound of the gap, margin subtracted [m]           (npair)
  Array<int> near;               // pairs that may be kept, increasing; select_pairs writes -1 for
                                 // those that it leaves out                                (npair)
  Array<int> num_near;           //                                                         (1)
  bool settled = false;          // boxes of geoms that nothing moves are in place
};

template <class Real>
ST_FN PairBounds<Real> take_pair_bounds(const ModelView<Real>& model, Arena& arena) {
  PairBounds<Real> bounds;
  bounds.box = arena.take<OrientedBox<Real>>(model.ngeom);
  bounds.gap = arena.take<Real>(model.npair);
  bounds.near = arena.take<int>(model.npair);
  bounds.num_near = arena.take<int>(1);
  return bounds;
}

template <class Team, class Real>
ST_FN void place_boxes(Team team, const ModelView<Real>& model, const Poses<Real>& poses, PairBounds<Real>& bounds) {
  team.each(model.ngeom, [&](int g) {
    if (Team::kLanes == 1 && bounds.settled && is_fixed(model, model.geom_body[g])) return;
    OrientedBox<Real>& box = bounds.box[g];
    box.rotation = geom_rotation(poses, g);
    box.center = load3(poses.geom_pos + 3 * g) + box.rotation * load3(model.geom_box_center + 3 * g);
    box.half = load3(model.geom_box_half + 3 * g);
  });
  if constexpr (Team::kLanes == 1) bounds.settled = true;
}

/// Writes bounds.gap of all pairs, by bounding spheres; exact for planes.
template <class Team, class Real>
ST_FN void bound_gaps(Team team, const ModelView<Real>& model, PairBounds<Real>& bounds) {
  team.each(model.npair, [&](int p) {
    const int a = model.pair_geom[2 * p], b = model.pair_geom[2 * p + 1];
    const OrientedBox<Real>&A = bounds.box[a], &B = bounds.box[b];
    const Real gap = static_cast<GeomType>(model.geom_type[a]) == GeomType::kPlane
                         ? plane_gap_bound(A.center, A.rotation.column(2), B)
                         : sphere_gap_bound(A.center, model.geom_radius[a], B.center, model.geom_radius[b]);
    bounds.gap[p] = gap - model.pair_margin[p];
  });
}

/// Raises bounds.gap of pair p to the bound by boxes, if that is larger, and returns it. What is beyond `enough` is not
/// made tighter.
template <class Real>
ST_FN Real tighten_gap(const ModelView<Real>& model, int p, Real enough, PairBounds<Real>& bounds) {
  const int a = model.pair_geom[2 * p], b = model.pair_geom[2 * p + 1];
  if (static_cast<GeomType>(model.geom_type[a]) == GeomType::kPlane) return bounds.gap[p];
  const Real margin = model.pair_margin[p];
  const Real gap =
      box_gap_bound(bounds.box[a], model.geom_radius[a], bounds.box[b], model.geom_radius[b], enough + margin);
  bounds.gap[p] = larger(bounds.gap[p], gap - margin);
  return bounds.gap[p];
}

/// Lists the pairs whose gap may be at most largest_gap(p) [m]; boxes are compared only where spheres do not exclude a
/// pair.
template <class Team, class Real, class LargestGap>
ST_FN void list_near_pairs(Team team, const ModelView<Real>& model, LargestGap largest_gap, PairBounds<Real>& bounds) {
  team.each(model.npair, [&](int p) {
    const Real largest = largest_gap(p);
    const bool near = bounds.gap[p] <= largest && tighten_gap(model, p, largest, bounds) <= largest;
    bounds.near[p] = near ? p : -1;
  });
  team.once([&] {
    int count = 0;
    for (int p = 0; p < model.npair; ++p)
      if (bounds.near[p] >= 0) bounds.near[count++] = p;
    *bounds.num_near = count;
  });
}

}  // namespace stiction
