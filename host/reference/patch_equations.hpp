// The smooth equations of one feature and one state of friction, in the units of a velocity, for Newton's method.
//
//   unknowns  x = [ν_F (6); ν_G (6) if G moves; p_n p_t p_o p_r; s (0, 1 or 2); σ if it slips]
//   rows      motion of F, motion of G        (18) over m, and over m × size for moments
//             gaps / h                        all points of the feature in the plane, one more than s has coordinates
//             stick: e_i v_i = 0;  slip: (9) and ζ = 0;  without friction: p_i = 0
//
// (9) is used as printed, with σ as an unknown: it is a polynomial, and stays regular where the slip vanishes.
#pragma once

#include "host/reference/patch_feature.hpp"

namespace stiction::reference {

/// What the equations of a step are divided by, so that every row is a velocity.
struct PatchScale {
  double mass_F, mass_G;  // [kg]
  double size_F, size_G;  // [m]
  double speed;           // of the step [m/s]
  double impulse;         // the lighter body at that speed [N s]
};
PatchScale patch_scale(const PatchProblem& problem);

/// Which system: where the unknowns and the rows are.
struct PatchSystem {
  PatchFeature feature;
  PatchFriction friction = PatchFriction::kNone;
  bool G_moves = false;
  int at_impulse() const { return G_moves ? 12 : 6; }
  int at_ecp() const { return at_impulse() + (touches() ? 4 : 0); }
  int at_slip() const { return at_ecp() + ecp_dimension(feature.kind); }
  int size() const { return at_slip() + (friction == PatchFriction::kSlip ? 1 : 0); }
  bool touches() const { return feature.kind != PatchFeatureKind::kNone; }
};
constexpr int kMostUnknowns = 12 + 4 + 2 + 1;

template <class S>
using Unknowns = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// q⁺ = normalise(q + h G(q) ν) of (8).
template <class S>
PatchPose<S> end_pose(const PatchBody& body, double h, const Eigen::Matrix<S, 6, 1>& velocity) {
  const Eigen::Quaterniond& q = body.rotation;
  const Eigen::Vector3d imaginary = q.vec();
  const Vector3<S> spin = S(0.5 * h) * velocity.template tail<3>();
  const S w = S(q.w()) - patch_detail::inner<S>(spin, imaginary.cast<S>());
  const Vector3<S> turned = spin.cross(imaginary.cast<S>());
  const Vector3<S> e = imaginary.cast<S>() + S(q.w()) * spin + turned;
  const S twice = S(2.0) / (w * w + patch_detail::inner(e, e));
  PatchPose<S> pose;
  pose.position = body.position.cast<S>() + S(h) * velocity.template head<3>();
  for (int i = 0; i < 3; ++i) {
    const Vector3<S> axis = Eigen::Vector3d::Unit(i).cast<S>();
    const Vector3<S> once = e.cross(axis) + w * axis;  // R x = x + 2/‖q‖² e × (e × x + w x)
    const Vector3<S> moved = e.cross(once);
    pose.rotation.col(i) = axis + twice * moved;
  }
  return pose;
}

/// Axes t, o to a normal: t is along world X, or world Y where the normal is nearer to X.
template <class S>
Matrix3<S> contact_axes(const Vector3<S>& normal) {
  const Vector3<S> reference =
      (normal[0] > 0.9 || normal[0] < -0.9 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX()).template cast<S>();
  const Vector3<S> across = reference - patch_detail::inner(normal, reference) * normal;
  Matrix3<S> axes;
  axes.col(0) = normal;
  axes.col(1) = patch_detail::unit<S>(across);
  axes.col(2) = normal.cross(Vector3<S>(axes.col(1)));
  return axes;
}

/// M (ν⁺ − ν) − h m gravity − p_app − p_vp: the impulses of the contact that (18) asks for.
template <class S>
Eigen::Matrix<S, 6, 1> missing_impulse(const PatchBody& body, double h, const Eigen::Vector3d& gravity,
                                       const Eigen::Matrix<S, 6, 1>& velocity) {
  const Eigen::Matrix3d turn = body.rotation.toRotationMatrix();
  const Eigen::Matrix3d inertia = turn * body.inertia * turn.transpose();
  const Eigen::Matrix<S, 6, 1> change = velocity - body.velocity.cast<S>();
  const Vector3<S> omega = velocity.template tail<3>();
  const Vector3<S> spin = inertia.cast<S>() * omega;
  Eigen::Matrix<S, 6, 1> missing;
  missing.template head<3>() = S(body.mass) * change.template head<3>() - (h * body.mass * gravity).cast<S>();
  missing.template tail<3>() = inertia.cast<S>() * change.template tail<3>() + S(h) * omega.cross(spin);
  return missing - body.applied.cast<S>();
}

/// A contact's wrench about the centre of mass, for the force f [N s] at the ECP and the moment p_r n.
template <class S>
Eigen::Matrix<S, 6, 1> wrench_at(const Vector3<S>& arm, const Vector3<S>& force, const Vector3<S>& moment) {
  Eigen::Matrix<S, 6, 1> wrench;
  wrench.template head<3>() = force;
  wrench.template tail<3>() = arm.cross(force) + moment;
  return wrench;
}

template <class S>
Vector3<S> velocity_at(const Vector3<S>& arm, const Eigen::Matrix<S, 6, 1>& velocity) {
  const Vector3<S> omega = velocity.template tail<3>();
  return velocity.template head<3>() + omega.cross(arm);
}

namespace patch_detail {

template <class S>
void write_motion(const Eigen::Matrix<S, 6, 1>& missing, double mass, double size, int at, Unknowns<S>& rows) {
  rows.template segment<3>(at) = missing.template head<3>() * S(1.0 / mass);
  rows.template segment<3>(at + 3) = missing.template tail<3>() * S(1.0 / (mass * size));
}

/// v_t, v_o, v_r of F against G at the ECP.
template <class S>
Vector3<S> slip_velocity(const Matrix3<S>& axes, const Vector3<S>& linear, const Vector3<S>& angular) {
  return {inner<S>(axes.col(1), linear), inner<S>(axes.col(2), linear), inner<S>(axes.col(0), angular)};
}

template <class S>
void write_friction(const PatchProblem& problem, const PatchSystem& system, const PatchScale& scale,
                    const Vector3<S>& v, const Unknowns<S>& x, int at, Unknowns<S>& rows) {
  const S& p_n = x[system.at_impulse()];
  const double mu = problem.friction;
  S outside = -(mu * mu) * p_n * p_n;
  for (int i = 0; i < 3; ++i) {
    const double e = problem.ellipsoid[i];
    const S& p = x[system.at_impulse() + 1 + i];
    if (system.friction == PatchFriction::kNone) rows[at + i] = p * S(scale.speed / (e * scale.impulse));
    if (system.friction == PatchFriction::kStick) rows[at + i] = S(e) * v[i];
    if (system.friction != PatchFriction::kSlip) continue;
    rows[at + i] = (S(e * e * mu) * p_n * v[i] + p * x[system.at_slip()]) * S(1.0 / (e * scale.impulse));
    outside += p * p * S(1.0 / (e * e));
  }
  if (system.friction == PatchFriction::kSlip)
    rows[at + 3] = outside * S(scale.speed / (scale.impulse * scale.impulse));
}

}  // namespace patch_detail

/// The rows at x [m/s]. Also where the feature touches, if `touch` is given.
template <class S>
Unknowns<S> patch_rows(const PatchProblem& problem, const PatchSystem& system, const PatchScale& scale,
                       const Unknowns<S>& x, PatchTouch<S>* touch = nullptr) {
  using namespace patch_detail;
  using Velocity = Eigen::Matrix<S, 6, 1>;
  const PatchBody &F = problem.F, &G = problem.G;
  const Velocity v_F = x.template head<6>();
  const Velocity v_G = system.G_moves ? Velocity(x.template segment<6>(6)) : Velocity(Vector6d::Zero().cast<S>());
  Velocity missing_F = missing_impulse<S>(F, problem.h, problem.gravity, v_F);
  Velocity missing_G = missing_impulse<S>(G, problem.h, problem.gravity, v_G);
  Unknowns<S> rows(system.size());
  if (system.touches()) {
    const PatchPose<S> pose_F = end_pose<S>(F, problem.h, v_F), pose_G = end_pose<S>(G, problem.h, v_G);
    Vector3<S> s = Eigen::Vector3d::Zero().cast<S>();
    for (int k = 0; k < ecp_dimension(system.feature.kind); ++k) s[k] = x[system.at_ecp() + k];
    const PatchTouch<S> here = touch_at<S>(F.shape, pose_F, G.shape, pose_G, system.feature, s);
    const Matrix3<S> axes = contact_axes<S>(here.normal);
    const Vector3<S> force = axes * x.template segment<3>(system.at_impulse());
    const Vector3<S> moment = x[system.at_impulse() + 3] * here.normal;
    const Vector3<S> arm_F = here.ecp - pose_F.position, arm_G = here.ecp - pose_G.position;
    missing_F -= wrench_at<S>(arm_F, force, moment);
    missing_G += wrench_at<S>(arm_G, force, moment);
    const Vector3<S> linear = velocity_at<S>(arm_F, v_F) - velocity_at<S>(arm_G, v_G);
    const Vector3<S> angular = v_F.template tail<3>() - v_G.template tail<3>();
    for (int k = 0; k < here.gap_count; ++k) rows[system.at_impulse() + k] = here.gaps[k] * S(1.0 / problem.h);
    const int at_friction = system.at_impulse() + here.gap_count;
    write_friction<S>(problem, system, scale, slip_velocity<S>(axes, linear, angular), x, at_friction, rows);
    if (touch != nullptr) *touch = here;
  }
  write_motion<S>(missing_F, scale.mass_F, scale.size_F, 0, rows);
  if (system.G_moves) write_motion<S>(missing_G, scale.mass_G, scale.size_G, 6, rows);
  return rows;
}

}  // namespace stiction::reference
