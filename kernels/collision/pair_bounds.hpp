// A lower bound of the gap of every candidate pair, and which pairs a given motion could bring together.
//
//   φ_ij >= bound_ij    by bounding spheres, and by oriented boxes if the spheres are closer than `horizon`
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
  Array<int> near;               // pairs whose bound is within the horizon, increasing; select_pairs writes
                                 // -1 for those that it leaves out                         (npair)
  Array<int> num_near;           //                                                         (1)
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
    OrientedBox<Real>& box = bounds.box[g];
    box.rotation = geom_rotation(poses, g);
    box.center = load3(poses.geom_pos + 3 * g) + box.rotation * load3(model.geom_box_center + 3 * g);
    box.half = load3(model.geom_box_half + 3 * g);
  });
}

/// Writes bounds.gap of all pairs; boxes are compared only where the spheres come closer than `horizon` [m].
template <class Team, class Real>
ST_FN void bound_gaps(Team team, const ModelView<Real>& model, Real horizon, PairBounds<Real>& bounds) {
  team.each(model.npair, [&](int p) {
    const int a = model.pair_geom[2 * p], b = model.pair_geom[2 * p + 1];
    const OrientedBox<Real>&A = bounds.box[a], &B = bounds.box[b];
    Real gap;
    if (static_cast<GeomType>(model.geom_type[a]) == GeomType::kPlane) {
      gap = plane_gap_bound(A.center, A.rotation.column(2), B);
    } else {
      gap = sphere_gap_bound(A.center, model.geom_radius[a], B.center, model.geom_radius[b]);
      if (gap - model.pair_margin[p] <= horizon) {
        const Real tighter = box_gap_bound(A, B);
        gap = tighter > gap ? tighter : gap;
      }
    }
    bounds.gap[p] = gap - model.pair_margin[p];
  });
}

/// Lists the pairs that could be kept. Among many bodies most pairs are far apart; these are looked at once per step.
template <class Team, class Real>
ST_FN void list_near_pairs(Team team, const ModelView<Real>& model, Real horizon, PairBounds<Real>& bounds) {
  team.once([&] {
    int count = 0;
    for (int p = 0; p < model.npair; ++p)
      if (bounds.gap[p] <= horizon) bounds.near[count++] = p;
    *bounds.num_near = count;
  });
}

}  // namespace stiction
