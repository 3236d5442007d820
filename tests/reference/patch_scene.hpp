// The four scenes of Xie and Chakraborty's section VI: one body on the plane z <= 0, g = 9.8 m/s², h = 0.01 s.
#pragma once

#include <string>
#include <vector>

#include "host/reference/patch_step.hpp"

namespace stiction::reference {

inline PatchProblem on_plane(const PatchShape& shape, double mass, const Eigen::Vector3d& inertia) {
  PatchProblem problem;
  problem.G.shape = make_half_space();
  problem.G.fixed = true;
  problem.F.shape = shape;
  problem.F.mass = mass;
  problem.F.inertia = inertia.asDiagonal();
  return problem;
}

/// No scene moves it by more than 0.2 m in a step.
inline PatchProblem unit_cube() {
  PatchProblem problem = on_plane(make_box({1, 1, 1}), 1.0, Eigen::Vector3d::Constant(1.0 / 6.0));
  problem.reach = 0.4;
  return problem;
}

inline PatchProblem solid_cylinder(double length, double radius, double mass) {
  const double across = mass * (3 * radius * radius + length * length) / 12;
  return on_plane(make_cylinder(length, radius), mass, {across, across, 0.5 * mass * radius * radius});
}

/// s1: a cube that slides, and turns about the vertical with `spin` [rad/s].
inline PatchProblem sliding_cube(double spin) {
  PatchProblem problem = unit_cube();
  problem.friction = 0.12;
  problem.F.position = {0, 0, 0.5};
  problem.F.velocity << 4, 3, 0, 0, 0, spin;
  return problem;
}

/// s2: a lying cylinder, its axis along x.
inline PatchProblem turning_cylinder() {
  PatchProblem problem = solid_cylinder(5.0, 1.0, 10.0);
  problem.friction = 0.3;
  problem.F.position = {0, 0, 1};
  problem.F.rotation = Eigen::Quaterniond(std::sqrt(0.5), 0, std::sqrt(0.5), 0);
  problem.F.velocity << 0, -1.4, 0, 0, 0, 0.2;
  return problem;
}

/// s3: a cube that stands on a corner and topples.
inline PatchProblem toppling_cube() {
  PatchProblem problem = unit_cube();
  const double half = 0.5 * std::atan(std::sqrt(2.0)), share = std::sin(half) * std::sqrt(0.5);
  problem.friction = 0.2;
  problem.F.position = {0, 0, std::sqrt(0.75)};
  problem.F.rotation = Eigen::Quaterniond(std::cos(half), share, -share, 0);
  problem.F.velocity << -std::sqrt(6.0) / 4, -std::sqrt(6.0) / 4, 0, std::sqrt(0.5), -std::sqrt(0.5), 0;
  return problem;
}

/// s4: a heavy cylinder that stands.
inline PatchProblem standing_cylinder() {
  PatchProblem problem = solid_cylinder(0.3, 0.1, 75.0);
  problem.friction = 0.8;
  problem.ellipsoid = {1, 1, 0.1};
  problem.F.position = {0, 0, 0.15};
  return problem;
}

/// The next step starts where this one ended, with nothing applied.
inline void carry_on(const PatchSolution& solution, PatchProblem& problem) {
  for (auto [body, position, rotation, velocity] :
       {std::tuple(&problem.F, &solution.position_F, &solution.rotation_F, &solution.velocity_F),
        std::tuple(&problem.G, &solution.position_G, &solution.rotation_G, &solution.velocity_G)}) {
    body->position = *position;
    body->rotation = rotation->normalized();
    body->velocity = *velocity;
    body->applied.setZero();
  }
}

/// v_n, v_t, v_o, v_r of F against G at the ECP at the end of the step.
inline Eigen::Vector4d contact_velocity(const PatchSolution& s) {
  const Eigen::Vector3d arm_F = s.ecp - s.position_F, arm_G = s.ecp - s.position_G;
  const Eigen::Vector3d omega_F = s.velocity_F.tail<3>(), omega_G = s.velocity_G.tail<3>();
  const Eigen::Vector3d linear =
      s.velocity_F.head<3>() + omega_F.cross(arm_F) - s.velocity_G.head<3>() - omega_G.cross(arm_G);
  const Eigen::Vector3d axes = s.axes.transpose() * linear;
  return {axes[0], axes[1], axes[2], s.axes.col(0).dot(omega_F - omega_G)};
}

}  // namespace stiction::reference
