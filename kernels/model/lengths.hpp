// Lengths (linear combinations of joint coordinates) and the forces of actuators and springs on them.
//
//   ℓ = Σ c_k q_k                                   length, e.g. one joint or a fixed tendon [m] or [rad]
//   ℓ = Σ |p_i − p_{i+1}|                           path of a spatial tendon [m]; c_k = ∂ℓ/∂q_k at the step's start
//   x* = gain u + bias                              the target that an actuator is commanded to reach
//   f = kp (x* − gear ℓ) − kd gear ℓ̇                position: x* is a length
//   f = kd (x* − gear ℓ̇)                            velocity: x* is a rate
//   f = x*                                          motor: x* is a force; the generalised force is gear c_k f
//   kinematic: the joint moves so that f = 0 at the end of the step
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/model/model_view.hpp"

namespace stiction {

/// Value of a length at qpos (nq), in the precision of qpos; of a path, that at the start of the step.
template <class Stored, class Real>
ST_FN Real length_value(const ModelView<Stored>& model, const Real* qpos, int length) {
  if (model.length_point_num[length] > 0) return static_cast<Real>(model.length_path[length]);
  Real value = Real(0);
  const int first = model.length_term_adr[length];
  for (int i = first; i < first + model.length_term_num[length]; ++i)
    value += model.term_coef[i] * qpos[model.term_qpos[i]];
  return value;
}

/// An actuator at one state: f(ℓ + Δℓ) = force − stiffness gear Δℓ − damping gear ℓ̇.
template <class Real>
struct ActuatorLaw {
  Real force;      // at the present length and zero rate [N] or [N m]
  Real stiffness;  // kp >= 0, position actuators only
  Real damping;    // kv >= 0 (a position actuator's kv counts with momentum only)
};

/// u within the range of actuator a.
template <class Real>
ST_FN Real limited_ctrl(const ModelView<Real>& model, int a, Real u) {
  if (!model.actuator_ctrl_limited[a]) return u;
  return clamped(u, model.actuator_ctrl_range[2 * a], model.actuator_ctrl_range[2 * a + 1]);
}

/// What actuator a makes of u: an activation has its own range.
template <class Real>
ST_FN Real acting_ctrl(const ModelView<Real>& model, int a, Real u) {
  return model.actuator_act[a] < 0 ? limited_ctrl(model, a, u) : u;
}

/// The force of actuator a that its range allows, nearest to `force`.
template <class Real>
ST_FN Real allowed_force(const ModelView<Real>& model, int a, Real force) {
  if (!model.actuator_force_limited[a]) return force;
  return clamped(force, model.actuator_force_range[2 * a], model.actuator_force_range[2 * a + 1]);
}

template <class Real>
ST_FN ActuatorLaw<Real> actuator_law(const ModelView<Real>& model, const Real* qpos, const Real* ctrl,
                                     Dynamics dynamics, int a) {
  const Real u = acting_ctrl(model, a, ctrl[a]);
  const Real length = model.actuator_gear[a] * length_value(model, qpos, model.actuator_length[a]);
  const Real asked = model.actuator_gain[a] * u + model.actuator_bias[a];
  const Real kp = model.actuator_kp[a], kd = model.actuator_kd[a];
  const ActuatorKind kind = static_cast<ActuatorKind>(model.actuator_kind[a]);
  if (kind == ActuatorKind::kPosition) return {kp * asked - kp * length, kp, has_momentum(dynamics) ? kd : Real(0)};
  if (kind == ActuatorKind::kVelocity) return {kd * asked, Real(0), kd};
  return {allowed_force(model, a, asked), Real(0), Real(0)};
}

template <class Real>
ST_FN bool is_motor(const ModelView<Real>& model, int a) {
  return static_cast<ActuatorKind>(model.actuator_kind[a]) == ActuatorKind::kMotor;
}

/// True if the actuator's joint follows the command, whatever force that takes.
template <class Real>
ST_FN bool prescribes_motion(const ModelView<Real>& model, Dynamics dynamics, int a) {
  return follows_exactly(dynamics) && !is_motor(model, a);
}

/// True if the length has dofs of several trees. H has blocks of one tree each, so that springs and dampers on such a
/// length are rows.
template <class Real>
ST_FN bool spans_trees(const ModelView<Real>& model, int length) {
  const int first = model.length_term_adr[length];
  for (int i = first + 1; i < first + model.length_term_num[length]; ++i)
    if (model.dof_tree[model.term_dof[i]] != model.dof_tree[model.term_dof[first]]) return true;
  return false;
}

/// True if the actuator's spring or damper becomes a row: its force is limited, or its length spans trees.
template <class Real>
ST_FN bool is_force_row(const ModelView<Real>& model, Dynamics dynamics, int a) {
  if (is_motor(model, a) || prescribes_motion(model, dynamics, a)) return false;
  return model.actuator_force_limited[a] || spans_trees(model, model.actuator_length[a]);
}

/// True if the tendon's spring and damper are a row.
template <class Real>
ST_FN bool is_spring_row(const ModelView<Real>& model, int t) {
  const bool pulls = model.tendon_stiffness[t] > Real(0) || model.tendon_damping[t] > Real(0);
  return pulls && spans_trees(model, model.tendon_length[t]);
}

/// Rate of the actuator's length at which its force is zero at the end of the step [m/s] or [rad/s].
template <class Real>
ST_FN Real commanded_rate(const ModelView<Real>& model, const ActuatorLaw<Real>& law, Real h, int a) {
  return law.force / ((h * law.stiffness + law.damping) * model.actuator_gear[a]);
}

/// By how much a tendon is outside its rest interval, and its stiffness there.
template <class Real>
struct TendonStretch {
  Real stretch, stiffness;
};

template <class Real>
ST_FN TendonStretch<Real> tendon_stretch(const ModelView<Real>& model, const Real* qpos, int t) {
  const Real value = length_value(model, qpos, model.tendon_length[t]);
  const Real* rest = model.tendon_rest + 2 * t;
  const Real stretch = value - clamped(value, rest[0], rest[1]);
  const bool pulls = stretch != Real(0) || rest[0] == rest[1];
  return {stretch, pulls ? model.tendon_stiffness[t] : Real(0)};
}

/// Calls f(dof, coefficient) for every term of a length.
template <class Real, class F>
ST_FN void for_each_term(const ModelView<Real>& model, int length, F f) {
  const int first = model.length_term_adr[length];
  for (int i = first; i < first + model.length_term_num[length]; ++i) f(model.term_dof[i], model.term_coef[i]);
}

}  // namespace stiction
