// q⁺ = q ⊞ h v of one joint.
//
//   slide, hinge   q + h v
//   ball           q ∘ exp(h ω), ω in body axes
//   free           R⁺ = exp(h ω) R, and for its centre of mass p, in world axes,
//                  without momentum  p⁺ = p + h V(h ω) v_C    a constant twist
//                  dynamic           p⁺ = p + h v_C           a straight line
//
// With `rotation = "linear"` free bodies turn by cay(h ω) in the place of exp(h ω): q⁺ = normalise(q + ½ h ω q).
//
// V is the left Jacobian of SE(3): V(θ) v = v + (1 − cos θ)/θ² θ × v + (θ − sin θ)/θ³ θ × (θ × v). With it a body that
// a hand holds follows the hand's arc.
#pragma once

#include "kernels/kinematics/free_body.hpp"
#include "kernels/linalg/rotation.hpp"

namespace stiction {

/// The point of the body that moves on a straight line in dynamics with momentum; for a constant twist the choice of
/// the point makes no difference. For a body that carries joints it is the centre of mass of this body alone.
template <class Real>
ST_FN Vec3<Real> centre_of_free_joint(const ModelView<Real>& model, Dynamics dynamics, int j) {
  const int body = model.joint_body[j];
  const bool alone = has_momentum(dynamics) && is_free_body(model, model.body_tree[body]);
  return alone ? free_body_com(model, body) : load3(model.body_ipos + 3 * body);
}

namespace kinematics_detail {

/// Free joint: qpos (7) and qvel (6; linear of the origin in world axes, angular in body axes).
template <class Real>
ST_FN void integrate_free(const Vec3<Real>& com_in_body, const Real* qvel, Dynamics dynamics, Rotation rotation, Real h,
                          Real* qpos) {
  const Quat<Real> turned = normalise(load_quat(qpos + 3));
  const Vec3<Real> arm = rotate(turned, com_in_body);
  const Vec3<Real> omega = rotate(turned, load3(qvel + 3));
  const Vec3<Real> com_velocity = load3(qvel) + cross(omega, arm);
  const bool straight = has_momentum(dynamics);
  const Vec3<Real> com = load3(qpos) + arm + h * (straight ? com_velocity : left_jacobian(h * omega, com_velocity));
  const Quat<Real> next = normalise(turn_quat(rotation == Rotation::kLinear, h * omega) * turned);
  store3(qpos, com - rotate(next, com_in_body));
  store_quat(qpos + 3, next);
}

}  // namespace kinematics_detail

/// Moves the coordinates of joint j, in `qpos`, by h at its velocities. They may have a higher precision than the
/// model.
template <class Stored, class Real>
ST_FN void integrate_joint(const ModelView<Stored>& model, const Real* qvel, Dynamics dynamics, Rotation rotation,
                           Real h, int j, Real* qpos) {
  Real* q = qpos + model.joint_qpos_adr[j];
  const Real* v = qvel + model.joint_dof_adr[j];
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  if (type == JointType::kFree) {
    const bool alone = is_free_body(model, model.body_tree[model.joint_body[j]]);
    kinematics_detail::integrate_free(in_precision<Real>(centre_of_free_joint(model, dynamics, j)), v, dynamics,
                                      alone ? rotation : Rotation::kExact, h, q);
  } else if (type == JointType::kBall) {
    store_quat(q, normalise(normalise(load_quat(q)) * exp_quat(h * load3(v))));
  } else {
    q[0] += h * v[0];
  }
}

}  // namespace stiction
