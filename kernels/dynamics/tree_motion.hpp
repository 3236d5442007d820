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
ST_BODY bool write_acceleration(const TreeMotion<Real>& tree, const Poses<Real>& poses, Pointer<const Real> qvel,
                                Inertia<Real>& at, LinkageMotion<Real>& linkage) {
  tree_bias(tree.model, poses, qvel, tree.tree, at);
  double* L = linkage.factor + at.tree_adr[tree.tree];
  const Real* M = at.M + at.tree_adr[tree.tree];
  for (int i = 0; i < tree.n * tree.n; ++i) L[i] = static_cast<double>(M[i]);
  if (!factor_lower(L, tree.n)) return false;
  double* a = linkage.solution + tree.first;
  for (int k = 0; k < tree.n; ++k) a[k] = -static_cast<double>(at.bias[tree.first + k]);
  solve_lower(L, tree.n, a);
  return true;
}

/// `to` = from ⊞ h v for the tree's joints.
template <class Real>
ST_FN void move_tree(const TreeMotion<Real>& tree, Pointer<const Real> from, Pointer<const Real> qvel, Real h,
                     Pointer<Real> to) {
  for (int k = tree.first; k < tree.first + tree.n;) {
    const int j = tree.model.dof_joint[k];
    const JointType type = static_cast<JointType>(tree.model.joint_type[j]);
    const int at = tree.model.joint_qpos_adr[j];
    const int values = type == JointType::kFree ? 7 : (type == JointType::kBall ? 4 : 1);
    for (int i = at; i < at + values; ++i) to[i] = from[i];
    integrate_joint(tree.model, qvel, Dynamics::kDynamic, Rotation::kExact, h, j, to);
    k += type == JointType::kFree ? 6 : (type == JointType::kBall ? 3 : 1);
  }
}

/// Writes poses and M of the stage, for the configuration q.
template <class Real>
ST_FN void place_tree(const TreeMotion<Real>& tree, Pointer<const Real> q, LinkageMotion<Real>& linkage) {
  const int root = tree.model.dof_body[tree.first];
  for (int b = root; b < tree.model.nbody && tree.model.body_tree[b] == tree.tree; ++b)
    update_body(tree.model, q, static_cast<const Real*>(nullptr), b, linkage.poses);
  tree_mass_and_weight(tree.model, linkage.poses, tree.tree, linkage.stage);
}

/// One part of (1) from qpos and qvel, whose acceleration is given in `solution`. False if M has no factor.
template <class Real>
ST_BODY bool move_by_part(const TreeMotion<Real>& tree, Real part, LinkageMotion<Real>& linkage) {
  const Real reach[] = {Real(0.5), Real(0.5), Real(1)}, share[] = {Real(2), Real(2), Real(1)};
  const int end = tree.first + tree.n;
  for (int k = tree.first; k < end; ++k) {
    linkage.stage_qvel[k] = linkage.rate_sum[k] = linkage.qvel[k];
    linkage.change_sum[k] = static_cast<Real>(linkage.solution[k]);
  }
  for (int stage = 0; stage < 3; ++stage) {
    const Real time = reach[stage] * part;
    move_tree(tree, linkage.qpos, linkage.stage_qvel, time, linkage.stage_qpos);
    for (int k = tree.first; k < end; ++k)
      linkage.stage_qvel[k] = linkage.qvel[k] + time * static_cast<Real>(linkage.solution[k]);
    place_tree(tree, linkage.stage_qpos, linkage);
    if (!write_acceleration(tree, linkage.poses, linkage.stage_qvel, linkage.stage, linkage)) return false;
    for (int k = tree.first; k < end; ++k) {
      linkage.rate_sum[k] += share[stage] * linkage.stage_qvel[k];
      linkage.change_sum[k] += share[stage] * static_cast<Real>(linkage.solution[k]);
    }
  }
  const Real sixth = Real(1) / Real(6);
  for (int k = tree.first; k < end; ++k) {
    linkage.rate_sum[k] *= sixth;
    linkage.mean[k] += part * linkage.rate_sum[k];
    linkage.qvel[k] += part * sixth * linkage.change_sum[k];
  }
  move_tree(tree, linkage.qpos, linkage.rate_sum, part, linkage.stage_qpos);
  move_tree(tree, linkage.stage_qpos, linkage.rate_sum, Real(0), linkage.qpos);
  return true;
}

/// (1) in n parts; `energy` is ½ uᵀMu. Returns the largest relative change of energy by a part; infinite if the motion
/// could not be computed.
template <class Real>
ST_BODY Real move_in_parts(const TreeMotion<Real>& tree, const Poses<Real>& poses, Pointer<const Real> from, Real h,
                           int parts, Real energy, Inertia<Real>& inertia, LinkageMotion<Real>& linkage) {
  move_tree(tree, from, linkage.start, Real(0), linkage.qpos);
  for (int k = tree.first; k < tree.first + tree.n; ++k) linkage.qvel[k] = linkage.start[k], linkage.mean[k] = Real(0);
  Real error = Real(0);
  for (int i = 0; i < parts; ++i) {
    const bool begins = i == 0;
    if (!write_acceleration(tree, begins ? poses : linkage.poses, linkage.qvel, begins ? inertia : linkage.stage,
                            linkage))
      return Real(INFINITY);
    if (!move_by_part(tree, h / Real(parts), linkage)) return Real(INFINITY);
    place_tree(tree, linkage.qpos, linkage);
    const Real next = static_cast<Real>(kinetic_energy(tree.model, linkage.stage, linkage.qvel, tree.tree));
    if (!(next < Real(INFINITY))) return Real(INFINITY);
    error = larger(error, std::fabs(next - energy) / energy);
    const Real kept = next > energy ? std::sqrt(energy / next) : Real(1);
    for (int k = tree.first; k < tree.first + tree.n; ++k) linkage.qvel[k] *= kept;
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
ST_FN void write_mean(const TreeMotion<Real>& tree, const Real* from, Real h, LinkageMotion<Real>& linkage) {
  const Real rate = Real(1) / h;
  for (int k = tree.first; k < tree.first + tree.n; ++k) linkage.mean[k] *= rate;
  for (int k = tree.first; k < tree.first + tree.n; ++k) {
    const int j = tree.model.dof_joint[k], at = tree.model.joint_qpos_adr[j];
    const JointType type = static_cast<JointType>(tree.model.joint_type[j]);
    if (k != tree.model.joint_dof_adr[j] || (type != JointType::kBall && type != JointType::kFree)) continue;
    const int dof = type == JointType::kFree ? k + 3 : k, quat = type == JointType::kFree ? at + 3 : at;
    const Vec3<Real> spin = rate * turn_between(from + quat, linkage.qpos + quat, h * load3(linkage.mean + dof));
    store3(linkage.mean + dof, spin);
    if (type == JointType::kBall) continue;
    const Vec3<Real> com = centre_of_free_joint(tree.model, Dynamics::kDynamic, j);
    const Quat<Real> before = normalise(load_quat(from + quat)), after = normalise(load_quat(linkage.qpos + quat));
    const Vec3<Real> arm = rotate(before, com);
    const Vec3<Real> moved = load3(linkage.qpos + at) + rotate(after, com) - load3(from + at) - arm;
    store3(linkage.mean + k, rate * moved - cross(rotate(before, spin), arm));
  }
}

}  // namespace dynamics_detail

}  // namespace stiction
