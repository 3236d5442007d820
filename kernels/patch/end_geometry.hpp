// Gaps and arms of contacts where the step ends.
//
//   φ(q⁺(v)) ≈ φ(q⁺) + h (J v − J v₀)      so a row has the gap φ = φ(q⁺) − h n·(J v₀ + b), v₀: the motion to q⁺
//
// J has the arms of q⁺, in the coordinates of the step: the velocities of a free or ball joint have the axes of the
// step's start, and the body's centre of mass c moves straight on, so that the moment of an impulse λ at p about it is
//
//   (p − c⁺) × λ = (p − a) × λ + (a − c⁺) × λ,    a = c⁺ − (c − x),    x: origin of the body at the start
//
// which are the rows of the origin's velocity and of the spin, with a in the place of the body's origin.
//
//   symbol  variable  shape    unit
//   q⁺      end       poses    [m], [-]
//   a       anchor    (3)      [m]
#pragma once

#include "kernels/contact/contact_rows.hpp"
#include "kernels/kinematics/move_joint.hpp"

namespace stiction {

namespace ecp_detail {

/// Gives the dofs of joint j at the end the axes of the start, if the joint has a quaternion.
template <class Stored, class Real>
ST_FN void keep_axes(const ModelView<Stored>& model, const Poses<Stored>& start, Dynamics dynamics, int j,
                     Poses<Real>& end) {
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  if (type != JointType::kFree && type != JointType::kBall) return;
  const bool flies = type == JointType::kFree;
  const int dof = model.joint_dof_adr[j], b = model.joint_body[j];
  for (int k = 3 * dof; k < 3 * (dof + (flies ? 6 : 3)); ++k) end.dof_ang[k] = static_cast<Real>(start.dof_ang[k]);
  if (!flies) return;
  const Vec3<Real> centre = in_precision<Real>(centre_of_free_joint(model, dynamics, j));
  const Vec3<Real> before = rotate(in_precision<Real>(load_quat(start.body_quat + 4 * b)), centre);
  const Vec3<Real> after = load3(end.body_pos + 3 * b) + rotate(load_quat(end.body_quat + 4 * b), centre);
  for (int k = dof; k < dof + 6; ++k) store3(end.dof_anchor + 3 * k, after - before);
}

}  // namespace ecp_detail

/// Turns the poses of the step's end into those from which rows are built: with the coordinates of the step, and the
/// velocities of scripted bodies in it.
template <class Team, class Stored, class Real>
ST_FN void keep_coordinates(Team team, const ModelView<Stored>& model, const Poses<Stored>& start, Dynamics dynamics,
                            Poses<Real>& end) {
  team.each(model.njoint, [&](int j) { ecp_detail::keep_axes(model, start, dynamics, j, end); });
  team.each(6 * model.nmocap, [&](int i) { end.mocap_twist[i] = static_cast<Real>(start.mocap_twist[i]); });
}

/// Replaces φ(q⁺) by the gap from which a row with the motion v (nv) is exact at q⁺.
template <class Team, class Stored, class Real>
ST_FN void extrapolate_gaps(Team team, const ModelView<Stored>& model, const Poses<Real>& end, const double* v, Real h,
                            Contacts<Real>& contacts) {
  team.each(*contacts.count, [&](int i) {
    const int pair = pair_of_key(contacts.key[i]);
    Vec3<Real> approach = {Real(0), Real(0), Real(0)};
    for (int side = 0; side < 2; ++side) {
      const int body = model.geom_body[model.pair_geom[2 * pair + side]];
      const Vec3<Real> p = load3(contacts.arm + 6 * i + 3 * side);
      Vec3<Real> angular, linear, script;
      body_velocity(model, end, v, body, p, angular, linear);
      scripted_velocity(model, end, body, p, angular, script);
      approach += (side == 0 ? Real(-1) : Real(1)) * (linear + script);
    }
    contacts.gap[i] -= h * dot(load3(contacts.frame + 9 * i), approach);
  });
}

}  // namespace stiction
