// Which way the bodies of a pair would go if nothing touched them: what their contacts hold back tips that way, if it
// tips (ADR 0304).
#pragma once

#include "kernels/collision/contact_point.hpp"
#include "kernels/kinematics/poses.hpp"

namespace stiction {

namespace collision_detail {

/// The lean of `body` against `other`; zero where no dof moves the body. The motion is that at the body's frame: of a
/// free body the free velocity there is that of its weight, while its rotation is an estimate.
template <class Real>
ST_FN Lean<Real> lean_against(const ModelView<Real>& model, const Poses<Real>& poses, const Real* free_velocity,
                              int body, int other) {
  Lean<Real> lean = {};
  if (model.body_last_dof[body] < 0) return lean;
  lean.from = load3(poses.body_com + 3 * body);
  const Vec3<Real> at = load3(poses.body_pos + 3 * body);
  Vec3<Real> turn, own, its, script;
  body_velocity(model, poses, free_velocity, body, at, turn, own);
  body_velocity(model, poses, free_velocity, other, at, turn, its);
  scripted_velocity(model, poses, other, at, turn, script);
  lean.along = own - its - script;
  return lean;
}

}  // namespace collision_detail

/// Writes the leans of the shapes A and B of candidate pair p where they choose points.
template <class Real>
ST_FN void predict_leans(const ModelView<Real>& model, const Poses<Real>& poses, const Real* free_velocity, int p,
                         PlacedShape<Real>& A, PlacedShape<Real>& B) {
  if (most_points(static_cast<GeomType>(A.type), static_cast<GeomType>(B.type)) == kFewPoints) return;
  const int a = model.geom_body[model.pair_geom[2 * p]], b = model.geom_body[model.pair_geom[2 * p + 1]];
  A.lean = collision_detail::lean_against(model, poses, free_velocity, a, b);
  B.lean = collision_detail::lean_against(model, poses, free_velocity, b, a);
  if (model.body_last_dof[a] < 0) A.lean = B.lean;
  if (model.body_last_dof[b] < 0) B.lean = A.lean;
}

}  // namespace stiction
