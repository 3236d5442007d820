// Terms of the equations of motion at the present state of every environment, in double precision on the host.
//
//   M(q) v̇ + c(q, v) = τ + Jᵀ f          the twist of a point on body B is J v
//
//   symbol  function        shape           unit
//   M       mass_matrix     (batch, nv, nv) [kg], [kg m], [kg m²]; armature included
//   c       bias_force      (batch, nv)     [N], [N m]: Coriolis, centrifugal and gyroscopic force, and minus the
//   weight J       body_jacobian   (batch, 6, nv)  rows: v of the point, ω, in world axes
//
// As MuJoCo's mj_fullM, qfrc_bias and mj_jac: what gravcomp carries is not in c. Masses, inertias and gravity are those
// of the environments. A state that is not finite gives NaN in its own environment.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

std::vector<double> mass_matrix(const Simulator& simulator);

std::vector<double> bias_force(const Simulator& simulator);

/// `point`: in the body's frame [m]; none: the centre of mass.
std::vector<double> body_jacobian(const Simulator& simulator, int body, std::optional<std::array<double, 3>> point);

/// Velocity of the body's origin [m/s] and angular velocity [rad/s], world axes (batch, 6); a mocap body's and those of
/// what it carries included.
std::vector<double> origin_velocity(const Simulator& simulator, int body);

/// Pose of the body's frame, from qpos and mocap_pose as they are: position [m], quaternion w x y z (batch, 7).
std::vector<double> origin_pose(const Simulator& simulator, int body);

}  // namespace stiction
