// A second-order step ends with the velocity of a free body's centre of mass; the state stores the velocity of the
// body's origin, which has turned about the centre of mass during the step.
//
//   v_O⁺ = v_O + ω × (R c − R⁺ c) = v_O + R⁺ (ω × (exp(−h ω) c − c))        with linear rotations cay(−h ω)
//
//   symbol  variable  shape   unit
//   v_O     qvel      (3)     solved velocity, with the arm R c at the step's start; world axes [m/s]
//   ω       -         (3)     body axes [rad/s]
//   c       com       (3)     centre of mass in the frame of the body [m]
//
// If the step also pushed overlapping bodies apart (part_overlaps.hpp), the body has turned by more than h ω:
//
//   v_O⁺ = v_O + (R − R⁺) (ω × c)
//
// How the spin itself changes during the step: free_motion.hpp, (2).
#pragma once

#include "kernels/kinematics/free_body.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Converts qvel (nv) of a step that ended at qpos (nq).
template <class Team, class Real>
ST_FN void carry_velocity(Team team, const ModelView<Real>& model, Pointer<const Real> qpos, Dynamics dynamics,
                          Rotation rotation, Real h, Pointer<Real> qvel) {
  if (!has_momentum(dynamics)) return;
  team.each(model.ntree, [&](int tree) {
    if (!is_free_body(model, tree)) return;
    const int first = model.tree_dof_adr[tree];
    const Real* q = qpos + model.joint_qpos_adr[model.dof_joint[first]];
    const Vec3<Real> com = free_body_com(model, model.dof_body[first]), spin = load3(qvel + first + 3);
    const Vec3<Real> moved = cross(spin, rotate(turn_quat(rotation == Rotation::kLinear, -h * spin), com) - com);
    store3(qvel + first, load3(qvel + first) + rotate(load_quat(q + 3), moved));
  });
}

/// The same for a step that began at qpos0 (nq) and also pushed overlapping bodies apart.
template <class Team, class Real>
ST_FN void carry_parted_velocity(Team team, const ModelView<Real>& model, Pointer<const Real> qpos0,
                                 Pointer<const Real> qpos, Pointer<Real> qvel) {
  team.each(model.ntree, [&](int tree) {
    if (!is_free_body(model, tree)) return;
    const int first = model.tree_dof_adr[tree], q = model.joint_qpos_adr[model.dof_joint[first]] + 3;
    const Vec3<Real> moved = cross(load3(qvel + first + 3), free_body_com(model, model.dof_body[first]));
    const Vec3<Real> before = rotate(normalise(load_quat(qpos0 + q)), moved);
    store3(qvel + first, load3(qvel + first) + before - rotate(load_quat(qpos + q), moved));
  });
}

}  // namespace stiction
