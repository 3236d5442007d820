// The motion of one tree without forces, from q and u over h in n parts:
//
//   q̇ = w,  M(q) ẇ = −c(q, w)      by the Runge-Kutta method of fourth order                       (1)
//   ū = (q_f ⊖ q)/h                its mean velocity
//
// The motion keeps ½ wᵀMw; energy that a part gains is removed again.
//
//   symbol    variable     shape          unit
//   q, w      qpos, qvel   (nq), (nv)     [m], [rad], [m/s], [rad/s]
//   u         start        (nv)           [m/s], [rad/s]
//   ū         mean         (nv)           [m/s], [rad/s]
//   M, c      stage        blocks, (nv)   [kg], [kg m²], [N], [N m]
#pragma once

#include "kernels/dynamics/energy.hpp"
#include "kernels/dynamics/free_motion_scratch.hpp"
#include "kernels/kinematics/move_joint.hpp"
#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

constexpr int kMostParts = 64;

/// Relative change of energy in a part above which smaller parts are taken; in double, 64 such parts stay below a
/// percent [-].
template <class Real>
constexpr Real kPartError = sizeof(Real) == 8 ? Real(1e-4) : Real(1e-3);

/// One tree of a model.
template <class Real>
struct TreeMotion {
  const ModelView<Real>& model;
  int tree, first, n;
};

/// Writes a = −M⁻¹ c for the velocities qvel; `at` holds M of this configuration. False if M has no factor.
template <class Real>
ST_BODY bool write_acceleration(const TreeMotion<Real>& t, const Poses<Real>& poses, Pointer<const Real> qvel,
                                Inertia<Real>& at, LinkageMotion<Real>& m) {
  tree_bias(t.model, poses, qvel, t.tree, at);
  double* L = m.factor + at.tree_adr[t.tree];
  const Real* M = at.M + at.tree_adr[t.tree];
  for (int i = 0; i < t.n * t.n; ++i) L[i] = static_cast<double>(M[i]);
  if (!factor_lower(L, t.n)) return false;
  double* a = m.solution + t.first;
  for (int k = 0; k < t.n; ++k) a[k] = -static_cast<double>(at.bias[t.first + k]);
  solve_lower(L, t.n, a);
  return true;
}

/// `to` = from ⊞ h v for the tree's joints.
template <class Real>
ST_FN void move_tree(const TreeMotion<Real>& t, Pointer<const Real> from, Pointer<const Real> qvel, Real h,
                     Pointer<Real> to) {
  for (int k = t.first; k < t.first + t.n;) {
    const int j = t.model.dof_joint[k];
    const JointType type = static_cast<JointType>(t.model.joint_type[j]);
    const int at = t.model.joint_qpos_adr[j];
    const int values = type == JointType::kFree ? 7 : (type == JointType::kBall ? 4 : 1);
    for (int i = at; i < at + values; ++i) to[i] = from[i];
    integrate_joint(t.model, qvel, Dynamics::kDynamic, h, j, to);
    k += type == JointType::kFree ? 6 : (type == JointType::kBall ? 3 : 1);
  }
}

/// Writes poses and M of the stage, for the configuration q.
template <class Real>
ST_FN void place_tree(const TreeMotion<Real>& t, Pointer<const Real> q, LinkageMotion<Real>& m) {
  const int root = t.model.dof_body[t.first];
  for (int b = root; b < t.model.nbody && t.model.body_tree[b] == t.tree; ++b)
    update_body(t.model, q, static_cast<const Real*>(nullptr), b, m.poses);
  tree_mass_and_weight(t.model, m.poses, t.tree, m.stage);
}

/// One part of (1) from qpos and qvel, whose acceleration is given in `solution`. False if M has no factor.
template <class Real>
ST_BODY bool move_by_part(const TreeMotion<Real>& t, Real part, LinkageMotion<Real>& m) {
  const Real reach[] = {Real(0.5), Real(0.5), Real(1)}, share[] = {Real(2), Real(2), Real(1)};
  const int end = t.first + t.n;
  for (int k = t.first; k < end; ++k) {
    m.stage_qvel[k] = m.rate_sum[k] = m.qvel[k];
    m.change_sum[k] = static_cast<Real>(m.solution[k]);
  }
  for (int stage = 0; stage < 3; ++stage) {
    const Real time = reach[stage] * part;
    move_tree(t, m.qpos, m.stage_qvel, time, m.stage_qpos);
    for (int k = t.first; k < end; ++k) m.stage_qvel[k] = m.qvel[k] + time * static_cast<Real>(m.solution[k]);
    place_tree(t, m.stage_qpos, m);
    if (!write_acceleration(t, m.poses, m.stage_qvel, m.stage, m)) return false;
    for (int k = t.first; k < end; ++k) {
      m.rate_sum[k] += share[stage] * m.stage_qvel[k];
      m.change_sum[k] += share[stage] * static_cast<Real>(m.solution[k]);
    }
  }
  const Real sixth = Real(1) / Real(6);
  for (int k = t.first; k < end; ++k) {
    m.rate_sum[k] *= sixth;
    m.mean[k] += part * m.rate_sum[k];
    m.qvel[k] += part * sixth * m.change_sum[k];
  }
  move_tree(t, m.qpos, m.rate_sum, part, m.stage_qpos);
  move_tree(t, m.stage_qpos, m.rate_sum, Real(0), m.qpos);
  return true;
}

/// (1) in n parts; `energy` is ½ uᵀMu. Returns the largest relative change of energy by a part; infinite if the motion
/// could not be computed.
template <class Real>
ST_BODY Real move_in_parts(const TreeMotion<Real>& t, const Poses<Real>& poses, Pointer<const Real> from, Real h,
                           int parts, Real energy, Inertia<Real>& inertia, LinkageMotion<Real>& m) {
  move_tree(t, from, m.start, Real(0), m.qpos);
  for (int k = t.first; k < t.first + t.n; ++k) m.qvel[k] = m.start[k], m.mean[k] = Real(0);
  Real error = Real(0);
  for (int i = 0; i < parts; ++i) {
    const bool begins = i == 0;
    if (!write_acceleration(t, begins ? poses : m.poses, m.qvel, begins ? inertia : m.stage, m)) return Real(INFINITY);
    if (!move_by_part(t, h / Real(parts), m)) return Real(INFINITY);
    place_tree(t, m.qpos, m);
    const Real next = static_cast<Real>(kinetic_energy(t.model, m.stage, m.qvel, t.tree));
    if (!(next < Real(INFINITY))) return Real(INFINITY);
    error = larger(error, std::fabs(next - energy) / energy);
    const Real kept = next > energy ? std::sqrt(energy / next) : Real(1);
    for (int k = t.first; k < t.first + t.n; ++k) m.qvel[k] *= kept;
  }
  return error;
}

/// The rotation vector from q to `to`, including the whole turns of `turned` [rad].
template <class Real>
ST_FN Vec3<Real> turn_between(const Real* q, const Real* to, const Vec3<Real>& turned) {
  return whole_rotation_vector(conjugate(normalise(load_quat(q))) * normalise(load_quat(to)), turned);
}

/// Writes ū. For joints with rotations, whose velocities do not add up, it is the motion whose ⊞ leads from q to qpos.
template <class Real>
ST_FN void write_mean(const TreeMotion<Real>& t, const Real* from, Real h, LinkageMotion<Real>& m) {
  const Real rate = Real(1) / h;
  for (int k = t.first; k < t.first + t.n; ++k) m.mean[k] *= rate;
  for (int k = t.first; k < t.first + t.n; ++k) {
    const int j = t.model.dof_joint[k], at = t.model.joint_qpos_adr[j];
    const JointType type = static_cast<JointType>(t.model.joint_type[j]);
    if (k != t.model.joint_dof_adr[j] || (type != JointType::kBall && type != JointType::kFree)) continue;
    const int dof = type == JointType::kFree ? k + 3 : k, quat = type == JointType::kFree ? at + 3 : at;
    const Vec3<Real> spin = rate * turn_between(from + quat, m.qpos + quat, h * load3(m.mean + dof));
    store3(m.mean + dof, spin);
    if (type == JointType::kBall) continue;
    const Vec3<Real> com = centre_of_free_joint(t.model, Dynamics::kDynamic, j);
    const Quat<Real> before = normalise(load_quat(from + quat)), after = normalise(load_quat(m.qpos + quat));
    const Vec3<Real> arm = rotate(before, com);
    const Vec3<Real> moved = load3(m.qpos + at) + rotate(after, com) - load3(from + at) - arm;
    store3(m.mean + k, rate * moved - cross(rotate(before, spin), arm));
  }
}

}  // namespace dynamics_detail

}  // namespace stiction
