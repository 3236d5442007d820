// The motion of one tree without forces, from q and u over h in n parts:
//
//   q̇ = w,  ẇ = −M(q)⁻¹ c(q, w)    by a Runge-Kutta method                                              (1)
//   ū = (q_f ⊖ q)/h                its mean velocity
//
// The motion keeps ½ wᵀMw; energy that a part gains is removed again. The classic method of fourth order serves every
// motion. One part by Heun's method of third order, which takes one acceleration less, is tried first where bodies turn
// little, and stands if it keeps the energy to kGentleError.
//
//   symbol    variable     shape          unit
//   q, w      qpos, qvel   (nq), (nv)     [m], [rad], [m/s], [rad/s]
//   u         start        (nv)           [m/s], [rad/s]
//   ẇ         solution     (nv)           [m/s²], [rad/s²]   (articulated.hpp)
//   ū         mean         (nv)           [m/s], [rad/s]
#pragma once

#include "kernels/dynamics/free_motion_scratch.hpp"
#include "kernels/kinematics/move_joint.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

constexpr int kMostParts = 64;

/// Relative change of energy in a part above which smaller parts are taken; in double, 64 such parts stay below a
/// percent [-].
template <class Real>
constexpr Real kPartError = sizeof(Real) == 8 ? Real(1e-4) : Real(1e-3);

/// One part by the method of third order is tried up to this turn of the fastest body [rad]. A light link of length l
/// on an arm L swings at √(L/l) times the turn, and is damped up to 1.7 rad per part: L/l < 3,000.
template <class Real>
constexpr Real kGentleTurn = Real(0.03125);

/// Relative change of energy up to which that part stands [-].
template <class Real>
constexpr Real kGentleError = sizeof(Real) == 8 ? Real(1e-6) : Real(1e-5);

/// A Runge-Kutta method whose every stage starts from the one before: after the first, at time 0 and of weight 1, at
/// these shares of the part, with these weights.
template <class Real>
struct RungeKutta {
  int stages;
  Real reach[3], weight[3], sum;  // sum of all weights
};

template <class Real>
ST_FN RungeKutta<Real> classic_method() {
  return {3, {Real(0.5), Real(0.5), Real(1)}, {Real(2), Real(2), Real(1)}, Real(6)};
}
template <class Real>
ST_FN RungeKutta<Real> heun_method() {
  return {2, {Real(1) / Real(3), Real(2) / Real(3), Real(0)}, {Real(0), Real(3), Real(0)}, Real(4)};
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

/// Writes the poses of the tree's bodies and dofs for the configuration q.
template <class Real>
ST_FN void place_tree(const TreeMotion<Real>& tree, Pointer<const Real> q, LinkageMotion<Real>& linkage) {
  const int root = tree.model.dof_body[tree.first];
  for (int b = root; b < tree.model.nbody && tree.model.body_tree[b] == tree.tree; ++b)
    update_body(tree.model, q, static_cast<const Real*>(nullptr), b, linkage.poses);
}

/// Writes ẇ at `poses` and qvel; `spread` gets the motion of the bodies. False if a dof moves nothing.
template <class Real>
ST_BODY bool write_acceleration(const TreeMotion<Real>& tree, const Poses<Real>& poses, Pointer<const Real> qvel,
                                Inertia<Real>& spread, LinkageMotion<Real>& linkage) {
  spread_velocity(tree.model, poses, qvel, tree.tree, spread);
  return write_free_acceleration(tree, poses, spread, linkage.articulated, linkage.solution);
}

/// One part of (1) from qpos and qvel, whose ẇ is given in `solution`. False if a dof moves nothing.
template <class Real>
ST_BODY bool move_by_part(const TreeMotion<Real>& tree, const RungeKutta<Real>& method, Real part,
                          Inertia<Real>& spread, LinkageMotion<Real>& linkage) {
  const int end = tree.first + tree.n;
  for (int k = tree.first; k < end; ++k) {
    linkage.stage_qvel[k] = linkage.rate_sum[k] = linkage.qvel[k];
    linkage.change_sum[k] = static_cast<Real>(linkage.solution[k]);
  }
  for (int stage = 0; stage < method.stages; ++stage) {
    const Real time = method.reach[stage] * part;
    move_tree(tree, linkage.qpos, linkage.stage_qvel, time, linkage.stage_qpos);
    for (int k = tree.first; k < end; ++k)
      linkage.stage_qvel[k] = linkage.qvel[k] + time * static_cast<Real>(linkage.solution[k]);
    place_tree(tree, linkage.stage_qpos, linkage);
    if (!write_acceleration(tree, linkage.poses, linkage.stage_qvel, spread, linkage)) return false;
    for (int k = tree.first; k < end; ++k) {
      linkage.rate_sum[k] += method.weight[stage] * linkage.stage_qvel[k];
      linkage.change_sum[k] += method.weight[stage] * static_cast<Real>(linkage.solution[k]);
    }
  }
  const Real share = Real(1) / method.sum;
  for (int k = tree.first; k < end; ++k) {
    linkage.rate_sum[k] *= share;
    linkage.mean[k] += part * linkage.rate_sum[k];
    linkage.qvel[k] += part * share * linkage.change_sum[k];
  }
  move_tree(tree, linkage.qpos, linkage.rate_sum, part, linkage.stage_qpos);
  move_tree(tree, linkage.stage_qpos, linkage.rate_sum, Real(0), linkage.qpos);
  return true;
}

/// Puts the tree where a motion begins: at q = from (nq) with w = u.
template <class Real>
ST_FN void start_motion(const TreeMotion<Real>& tree, Pointer<const Real> from, LinkageMotion<Real>& linkage) {
  move_tree(tree, from, linkage.start, Real(0), linkage.qpos);
  for (int k = tree.first; k < tree.first + tree.n; ++k) linkage.qvel[k] = linkage.start[k], linkage.mean[k] = Real(0);
}

/// ½ wᵀMw at qpos and qvel, whose poses it writes.
template <class Real>
ST_FN Real energy_at_end(const TreeMotion<Real>& tree, Inertia<Real>& spread, LinkageMotion<Real>& linkage) {
  place_tree(tree, linkage.qpos, linkage);
  spread_velocity(tree.model, linkage.poses, linkage.qvel, tree.tree, spread);
  return energy_of_spread(tree.model, linkage.qvel, tree.tree, spread);
}

/// (1) in n parts; `energy` is ½ uᵀMu, and `spread` has the motion of the bodies at u. Returns the largest relative
/// change of energy by a part; infinite if the motion could not be computed.
template <class Real>
ST_BODY Real move_in_parts(const TreeMotion<Real>& tree, const Poses<Real>& poses, Pointer<const Real> from, Real h,
                           const RungeKutta<Real>& method, int parts, Real energy, Inertia<Real>& spread,
                           LinkageMotion<Real>& linkage) {
  start_motion(tree, from, linkage);
  Real error = Real(0);
  for (int i = 0; i < parts; ++i) {
    if (i > 0) spread_velocity(tree.model, linkage.poses, linkage.qvel, tree.tree, spread);
    if (!write_free_acceleration(tree, i == 0 ? poses : linkage.poses, spread, linkage.articulated, linkage.solution))
      return Real(INFINITY);
    if (!move_by_part(tree, method, h / Real(parts), spread, linkage)) return Real(INFINITY);
    const Real next = energy_at_end(tree, spread, linkage);
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
