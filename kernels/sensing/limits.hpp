// Limits of joints as sensors see them: how far a coordinate is beyond its limit, how fast, and the force that holds
// it.
//
//   lower   d = q − q_min, ḋ = q̇                     upper   d = q_max − q, ḋ = −q̇
//   ball    d = θ_max − ‖θ‖, ḋ = −θ/‖θ‖ · ω          θ: rotation vector [rad]
//   force   Σ λ/h of the rows of the joint's limits in the last step
//
// d and ḋ count where d < 0, of the lower limit first; else they are 0.
#pragma once

#include "kernels/contact/general_rows.hpp"
#include "kernels/sensing/sensed.hpp"

namespace stiction {

/// d [m], [rad] and its rate.
template <class Real>
struct LimitState {
  Real distance, rate;
};

namespace sensing_detail {

template <class Real>
ST_FN LimitState<Real> limit_state(const Sensed<Real>& at, int j) {
  const ModelView<Real>& model = at.model;
  const Real* q = at.env.qpos + model.joint_qpos_adr[j];
  const Real* v = at.env.qvel + model.joint_dof_adr[j];
  const Real* range = model.joint_range + 2 * j;
  const LimitState<Real> none = {Real(0), Real(0)};
  if (!model.joint_limited[j]) return none;
  if (static_cast<JointType>(model.joint_type[j]) == JointType::kBall) {
    const Vec3<Real> turned = rotation_vector(normalise(load_quat(q)));
    const Real angle = norm(turned);
    if (!(angle > range[1])) return none;
    return {range[1] - angle, angle > Real(0) ? -dot(turned, load3(v)) / angle : Real(0)};
  }
  if (q[0] < range[0]) return {q[0] - range[0], v[0]};
  if (q[0] > range[1]) return {range[1] - q[0], -v[0]};
  return none;
}

/// Rows of the limits of joint j.
template <class Real>
ST_FN int limit_rows(const ModelView<Real>& model, int j) {
  if (!model.joint_limited[j]) return 0;
  return static_cast<JointType>(model.joint_type[j]) == JointType::kBall ? 1 : 2;
}

/// They are the first of all rows, in the order of joints (general_rows.hpp).
template <class Real>
ST_FN Real limit_force(const Sensed<Real>& at, int j) {
  if (*at.env.warm_count < 0) return Real(0);
  int row = 0;
  for (int i = 0; i < j; ++i) row += limit_rows(at.model, i);
  double sum = 0.0;
  for (int r = 0; r < limit_rows(at.model, j); ++r) sum += at.env.warm_row_lambda[row + r];
  return static_cast<Real>(sum / at.in.step_size);
}

}  // namespace sensing_detail

}  // namespace stiction
