// In which direction the bodies of a pair would move if nothing touched them: a body that its contacts hold tips in
// that direction, if it tips at all (ADR 0304).
#pragma once

#include "kernels/collision/contact_point.hpp"
#include "kernels/kinematics/poses.hpp"

namespace stiction {

namespace collision_detail {

/// The lean of `body` against `other`; zero if no dof moves the body. The velocity is that at the body's frame: there
/// the free velocity of a free body is that of its weight, whereas its rotation is only an estimate.
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

/// Writes the leans of the shapes A and B of candidate pair p, for kinds of pairs whose points depend on them.
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
