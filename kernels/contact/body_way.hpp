// How far bodies and geoms move over some time, by the velocities of their dofs and their scripts.
//
//   s_B, θ_B   shift of the origin of body B, and its turn, both to first order: Σ_k J_k q̇_k h
//   of a point p of B as A sees it    |s_B + θ_B × (p − p_B) − s_A − θ_A × (p − p_A)|
//   of geom g as A sees it            at its centre, plus |θ_B − θ_A| times its radius                 (1)
//
//   symbol  variable     unit
//   s_B     shift        [m], or [m/s] where h = 1
//   θ_B     turn         [rad], or [rad/s]
#pragma once

#include "kernels/collision/pair_bounds.hpp"
#include "kernels/contact/prescribed_motion.hpp"
#include "kernels/linalg/scalar.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Motion of a body by the velocities of its dofs and its script, over some time: of its origin, and its turn.
template <class Real>
struct BodyWay {
  Vec3<Real> shift, turn;
};

/// How far a turn by `angle` moves points of geom g about the centre of its bounding box; of a plane, points near any
/// other geom. The same for speeds.
template <class Real>
ST_FN Real turned_way(const ModelView<Real>& model, const PairBounds<Real>& bounds, int g, Real angle) {
  if (angle == Real(0)) return Real(0);
  if (static_cast<GeomType>(model.geom_type[g]) != GeomType::kPlane) return angle * model.geom_radius[g];
  Real farthest = Real(0);
  for (int other = 0; other < model.ngeom; ++other)
    if (static_cast<GeomType>(model.geom_type[other]) != GeomType::kPlane)
      farthest = larger(farthest, norm(bounds.box[other].center - bounds.box[g].center) + model.geom_radius[other]);
  return angle * farthest;
}

/// Writes the ways (nbody) of all carriers with q̇_k = velocity(k, i), times h, to out[i], i < kCount.
template <class Team, int kCount, class Real, class Velocity>
ST_FN void find_ways(Team team, const ModelView<Real>& model, const Poses<Real>& poses, Real h, Velocity velocity,
                     BodyWay<Real>* const (&out)[kCount]) {
  team.each(model.nbody, [&](int b) {
    if (carrier_of(model, b) != b) return;
    const Vec3<Real> origin = load3(poses.body_pos + 3 * b);
    Vec3<Real> turn, shift;
    scripted_velocity(model, poses, b, origin, turn, shift);
    BodyWay<Real> ways[kCount];
    for (int i = 0; i < kCount; ++i) ways[i] = {h * shift, h * turn};
    for (int k = model.body_last_dof[b]; k >= 0; k = model.dof_parent[k]) {
      const Vec3<Real> point_velocity = dof_point_velocity(poses, k, origin), ang = load3(poses.dof_ang + 3 * k);
      for (int i = 0; i < kCount; ++i) {
        const Real moved = h * velocity(k, i);
        if (moved == Real(0)) continue;
        ways[i].shift += moved * point_velocity;
        ways[i].turn += moved * ang;
      }
    }
    for (int i = 0; i < kCount; ++i) out[i][b] = ways[i];
  });
}

/// The turn of body b.
template <class Real>
ST_FN Vec3<Real> turn_of(const ModelView<Real>& model, Pointer<const BodyWay<Real>> ways, int b) {
  return ways[carrier_of(model, b)].turn;
}

/// The shift of the point of body b that is at p.
template <class Real>
ST_FN Vec3<Real> shift_at(const ModelView<Real>& model, const Poses<Real>& poses, Pointer<const BodyWay<Real>> ways,
                          int b, const Vec3<Real>& p) {
  const int carrier = carrier_of(model, b);
  return ways[carrier].shift + cross(ways[carrier].turn, p - load3(poses.body_pos + 3 * carrier));
}

/// The last dof that moves all geoms of a tree alike; -1 if there is none.
template <class Real>
ST_FN int shared_dof(const ModelView<Real>& model, int tree) {
  return tree >= 0 ? model.tree_shared_dof[tree] : -1;
}

/// The way of a carrier, and the same as the body sees it that the shared dofs of its tree move.
template <class Real>
struct CarrierWay {
  int carrier = -1;  // -1: none yet
  BodyWay<Real> whole = {}, inside = {};
  Real whole_angle = Real(0), inside_angle = Real(0);
  bool shares = false;  // true: there is such a body
};

/// The way of body b, a carrier; `last` is used again if it is that of b, else overwritten.
template <class Real>
ST_FN const CarrierWay<Real>& way_of_carrier(const ModelView<Real>& model, const Poses<Real>& poses,
                                             Pointer<const BodyWay<Real>> ways, int b, CarrierWay<Real>& last) {
  if (last.carrier == b) return last;
  const int shared = shared_dof(model, model.body_tree[b]);
  last.carrier = b, last.whole = ways[b], last.whole_angle = norm(ways[b].turn), last.shares = shared >= 0;
  if (!last.shares) return last;
  const int body = model.dof_body[shared];
  const Vec3<Real> shift = shift_at(model, poses, ways, body, load3(poses.body_pos + 3 * b));
  last.inside = {ways[b].shift - shift, ways[b].turn - ways[body].turn};
  last.inside_angle = norm(last.inside.turn);
  return last;
}

/// (1): the way of the farthest point of geom g as `body` sees it, which may be the world.
template <class Real>
ST_FN Real relative_way(const ModelView<Real>& model, const Poses<Real>& poses, const PairBounds<Real>& bounds,
                        Pointer<const BodyWay<Real>> ways, int g, int body) {
  const Vec3<Real> center = bounds.box[g].center;
  const int own = model.geom_body[g];
  return norm(shift_at(model, poses, ways, own, center) - shift_at(model, poses, ways, body, center)) +
         turned_way(model, bounds, g, norm(turn_of(model, ways, own) - turn_of(model, ways, body)));
}

}  // namespace stiction
