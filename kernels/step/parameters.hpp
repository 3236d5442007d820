// Parameters of one environment: whether a step can be taken with them, and the bounds that follow from geom sizes.
#pragma once

#include "kernels/model/env_view.hpp"
#include "kernels/model/geom_bounds.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/team.hpp"

namespace stiction {

namespace step_detail {

/// Radius of the bounding ball of a spare slot [m]: a quarter of the most negative number, so that sums stay finite.
template <class Real>
constexpr Real kNowhere = Real(-4e307);
template <>
inline constexpr float kNowhere<float> = -8e37f;

template <class Real>
ST_FN bool is_finite(Real value) {
  return value - value == Real(0);
}

/// True if all `count` values are finite.
template <class Team, class Real>
ST_FN bool all_finite(Team team, const Array<Real>& values, int count) {
  return team.sum(count, 0, [&](int i) { return is_finite(values[i]) ? 0 : 1; }) == 0;
}

/// Finite and at least 0.
template <class Real>
ST_FN bool is_amount(Real value) {
  return value >= Real(0) && is_finite(value);
}

template <class Real>
ST_FN bool is_position(const Real* p) {
  return is_finite(p[0]) && is_finite(p[1]) && is_finite(p[2]);
}

/// A quaternion of unit length, as far as single precision tells.
template <class Real>
ST_FN bool is_unit(const Real* q) {
  const Real square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return std::fabs(square - Real(1)) < Real(1e-5);
}

template <class Real>
ST_FN bool is_valid_geom(const ModelView<Real>& model, int g) {
  if (is_spare(model, g)) return true;
  const Real* size = model.geom_size + 3 * g;
  const int count = size_count(static_cast<GeomType>(model.geom_type[g]));
  for (int i = 0; i < count; ++i)
    if (!(size[i] > Real(0)) || !is_finite(size[i])) return false;
  const Real* mu = model.geom_friction + 3 * g;
  return is_amount(mu[0]) && is_amount(mu[1]) && is_amount(mu[2]) && is_position(model.geom_pos + 3 * g) &&
         is_unit(model.geom_quat + 4 * g);
}

template <class Real>
ST_FN bool is_valid_body(const ModelView<Real>& model, int b) {
  const Real* inertia = model.body_inertia + 3 * b;
  const Real frozen = model.body_frozen[b];
  if (frozen != Real(0) && frozen != Real(1)) return false;
  return is_amount(model.body_mass[b]) && is_amount(inertia[0]) && is_amount(inertia[1]) && is_amount(inertia[2]) &&
         is_position(model.body_ipos + 3 * b) && is_unit(model.body_iquat + 4 * b);
}

/// A force range that is a row of the problem has an inside.
template <class Real>
ST_FN bool is_valid_force_range(const ModelView<Real>& model, int a) {
  if (!model.actuator_force_limited[a]) return true;
  const Real lower = model.actuator_force_range[2 * a], upper = model.actuator_force_range[2 * a + 1];
  const bool motor = static_cast<ActuatorKind>(model.actuator_kind[a]) == ActuatorKind::kMotor;
  return is_finite(lower) && is_finite(upper) && (motor ? lower <= upper : lower < upper);
}

/// A spring needs stiffness, a velocity actuator damping: without it the command means nothing.
template <class Real>
ST_FN bool is_valid_actuator(const ModelView<Real>& model, int a) {
  const Real kp = model.actuator_kp[a], kd = model.actuator_kd[a];
  const ActuatorKind kind = static_cast<ActuatorKind>(model.actuator_kind[a]);
  if (kind == ActuatorKind::kPosition && !(kp > Real(0))) return false;
  if (kind == ActuatorKind::kVelocity && !(kd > Real(0))) return false;
  return is_amount(kp) && is_amount(kd) && is_valid_force_range(model, a);
}

/// The dofs of a joint share one armature.
template <class Real>
ST_FN bool is_valid_dof(const ModelView<Real>& model, int k) {
  const Real armature = model.dof_armature[k], damping = model.dof_damping[k];
  return is_amount(armature) && is_amount(damping) &&
         armature == model.dof_armature[model.joint_dof_adr[model.dof_joint[k]]];
}

}  // namespace step_detail

/// True if the environment can be stepped with its parameters: they make sense, and it has the variant that it is to
/// have.
template <class Team, class Real>
ST_FN bool parameters_are_valid(Team team, const ModelView<Real>& model, const EnvView<Real>& env) {
  if (*env.variant != *env.own_variant) return false;
  const bool falls = step_detail::is_finite(model.gravity[0] + model.gravity[1] + model.gravity[2]);
  const int bad = team.sum(model.ngeom, 0, [&](int g) { return step_detail::is_valid_geom(model, g) ? 0 : 1; }) +
                  team.sum(model.nbody, 0, [&](int b) { return step_detail::is_valid_body(model, b) ? 0 : 1; }) +
                  team.sum(model.nu, 0, [&](int a) { return step_detail::is_valid_actuator(model, a) ? 0 : 1; }) +
                  team.sum(model.nv, 0, [&](int k) { return step_detail::is_valid_dof(model, k) ? 0 : 1; });
  return falls && bad == 0;
}

/// Bounds of all geoms from their sizes. A spare slot has such bounds that it is far from everything.
template <class Team, class Real>
ST_FN void update_geom_bounds(Team team, const ModelView<Real>& model, EnvView<Real>& env) {
  using step_detail::kNowhere;
  team.each(model.ngeom, [&](int g) {
    Real *radius = env.geom_radius + g, *half = env.geom_box_half + 3 * g;
    if (env.geom_mesh[g] == kSpareGeom)
      *radius = kNowhere<Real>, store3(half, {kNowhere<Real>, kNowhere<Real>, kNowhere<Real>});
    else
      bound_geom(static_cast<GeomType>(model.geom_type[g]), env.geom_size + 3 * g, radius, half);
  });
}

}  // namespace stiction
