// Lengths of spatial tendons: straight segments from site to site.
//
//   ℓ = Σ_i |p_{i+1} − p_i|,   ∂ℓ/∂q_k = Σ_i u_i·(J_k(p_{i+1}) − J_k(p_i)),   u_i = (p_{i+1} − p_i)/|p_{i+1} − p_i|
//
// Where two sites coincide the length has no gradient: their segment counts 0.
//
//   symbol    variable     shape       unit
//   ℓ         length_path  (nlength)   [m]
//   ∂ℓ/∂q_k   term_coef    (nterm)     [m per unit of the dof]
#pragma once

#include "kernels/kinematics/poses.hpp"
#include "kernels/model/env_view.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace kinematics_detail {

/// Sites nearer than this have no direction [m].
template <class Real>
constexpr Real kOneSite = sizeof(Real) == 8 ? Real(1e-12) : Real(1e-7);

/// Site i of the list of all paths [m].
template <class Real>
ST_FN Vec3<Real> point_position(const ModelView<Real>& model, const Poses<Real>& poses, int i) {
  const int b = model.point_body[i];
  return load3(poses.body_pos + 3 * b) + rotate(load_quat(poses.body_quat + 4 * b), load3(model.point_pos + 3 * i));
}

/// Adds the part of the gradient that moves site i with the velocity along `direction`.
template <class Real>
ST_FN void add_point(const ModelView<Real>& model, const Poses<Real>& poses, int length, int i, const Vec3<Real>& at,
                     const Vec3<Real>& direction, EnvView<Real>& env) {
  const int first = model.length_term_adr[length];
  for (int k = model.body_last_dof[model.point_body[i]]; k >= 0; k = model.dof_parent[k])
    for (int t = first; t < first + model.length_term_num[length]; ++t)
      if (model.term_dof[t] == k) env.term_coef[t] += dot(direction, dof_point_velocity(poses, k, at));
}

/// Writes the gradient of one path, and its length.
template <class Real>
ST_FN void write_path(const ModelView<Real>& model, const Poses<Real>& poses, int length, EnvView<Real>& env) {
  const int first = model.length_term_adr[length], site = model.length_point_adr[length];
  for (int t = first; t < first + model.length_term_num[length]; ++t) env.term_coef[t] = Real(0);
  env.length_path[length] = Real(0);
  for (int i = site; i + 1 < site + model.length_point_num[length]; ++i) {
    const Vec3<Real> from = point_position(model, poses, i), to = point_position(model, poses, i + 1);
    const Real distance = norm(to - from);
    env.length_path[length] += distance;
    if (!(distance > kOneSite<Real>)) continue;
    const Vec3<Real> along = (Real(1) / distance) * (to - from);
    add_point(model, poses, length, i + 1, to, along, env);
    add_point(model, poses, length, i, from, -along, env);
  }
}

}  // namespace kinematics_detail

/// The length of a path where the bodies are [m].
template <class Real>
ST_FN Real path_length(const ModelView<Real>& model, const Poses<Real>& poses, int length) {
  Real sum = Real(0);
  const int site = model.length_point_adr[length];
  for (int i = site; i + 1 < site + model.length_point_num[length]; ++i)
    sum += norm(kinematics_detail::point_position(model, poses, i + 1) -
                kinematics_detail::point_position(model, poses, i));
  return sum;
}

/// Writes the lengths of all paths and their gradients, which the model of this environment has from then on.
template <class Team, class Real>
ST_FN void update_paths(Team team, const ModelView<Real>& model, const Poses<Real>& poses, EnvView<Real>& env) {
  if (model.npoint == 0) return;
  team.each(model.nlength, [&](int length) {
    if (model.length_point_num[length] == 0) return;
    kinematics_detail::write_path(model, poses, length, env);
  });
}

}  // namespace stiction
