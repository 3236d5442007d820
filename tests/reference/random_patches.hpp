// Random steps of two convex bodies near each other, from a counter: the same on every machine.
#pragma once

#include "host/reference/patch_feature.hpp"
#include "tests/reference/random_programs.hpp"

namespace stiction::reference {

inline Eigen::Vector3d random_direction(Dice& dice) {
  Eigen::Vector3d x;
  do x = dice.vector(3);
  while (x.norm() < 0.1 || x.norm() > 1.0);
  return x.normalized();
}

/// Turned about `axis` by at most `angle`.
inline Eigen::Quaterniond random_turn(Dice& dice, const Eigen::Vector3d& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(dice.uniform(-angle, angle), axis));
}

inline Eigen::Quaterniond random_rotation(Dice& dice) { return random_turn(dice, random_direction(dice), M_PI); }

/// A rotation that puts the given direction of the body on −z of the world.
inline Eigen::Quaterniond put_down(const Eigen::Vector3d& direction) {
  return Eigen::Quaterniond::FromTwoVectors(direction, -Eigen::Vector3d::UnitZ());
}

/// A box, or the hull of points on an ellipsoid, which have triangles as faces.
inline PatchShape random_polytope(Dice& dice) {
  const Eigen::Vector3d size(dice.uniform(0.3, 1.0), dice.uniform(0.3, 1.0), dice.uniform(0.3, 1.0));
  if (dice.integer(0, 1) == 0) return make_box(size);
  Eigen::Matrix3Xd corners(3, dice.integer(5, 9));
  corners.col(0) = 0.5 * size.cwiseProduct(Eigen::Vector3d(0, 0, -1));
  for (int k = 1; k < corners.cols(); ++k) corners.col(k) = 0.5 * size.cwiseProduct(random_direction(dice));
  return make_polytope(corners);
}

inline PatchBody random_body(Dice& dice, const PatchShape& shape) {
  PatchBody body{shape};
  body.mass = dice.uniform(0.2, 5.0);
  const double arm = 0.3 * shape_reach(shape);
  const Eigen::Vector3d m = Eigen::Vector3d::Constant(0.4) + 0.6 * dice.vector(3).cwiseAbs();
  body.inertia = (body.mass * arm * arm * Eigen::Vector3d(m[1] + m[2], m[0] + m[2], m[0] + m[1])).asDiagonal();
  body.velocity << dice.vector(3), dice.vector(3, 3.0);
  body.applied = 0.02 * body.mass * dice.vector(6);
  body.applied.tail<3>() *= arm;
  return body;
}

inline PatchProblem random_law(Dice& dice) {
  PatchProblem problem;
  problem.h = dice.uniform(0.002, 0.01);
  problem.friction = dice.uniform(0.05, 1.0);
  problem.ellipsoid = {dice.uniform(0.5, 1.5), dice.uniform(0.5, 1.5), dice.uniform(0.02, 0.5)};
  return problem;
}

/// The downward direction of a body that puts a corner, an edge, a face or nothing in particular down.
inline Eigen::Vector3d random_down(Dice& dice, const PatchShape& shape) {
  const int kind = dice.integer(0, 2);
  if (shape.is_cylinder()) {
    if (kind == 0) return Eigen::Vector3d::UnitZ();
    if (kind == 1) return Eigen::Vector3d(dice.uniform(-1, 1), dice.uniform(-1, 1), 0.0).normalized();
    return random_direction(dice);
  }
  const Eigen::Vector3d normal = shape.normals.col(dice.integer(0, shape.normals.cols() - 1));
  if (kind == 0) return normal;
  if (kind == 1)
    return (normal + shape.normals.col(dice.integer(0, shape.normals.cols() - 1)) + 0.01 * random_direction(dice))
        .normalized();
  return random_direction(dice);
}

/// A body on a half-space, at rest in direction of the gap or falling, flat or tilted by a little or by much.
inline PatchProblem random_on_plane(Dice& dice, const PatchShape& shape) {
  PatchProblem problem = random_law(dice);
  problem.G.shape = make_half_space();
  problem.G.fixed = true;
  PatchBody& F = problem.F = random_body(dice, shape);
  const double tilt = dice.integer(0, 1) == 0 ? 0.0 : 0.02;
  F.rotation = random_turn(dice, Eigen::Vector3d::UnitZ(), M_PI) * random_turn(dice, Eigen::Vector3d::UnitX(), tilt) *
               put_down(random_down(dice, shape));
  F.rotation.normalize();
  const double gap = dice.integer(0, 1) == 0 ? 0.0 : dice.uniform(0.0, 0.005);
  F.position = {dice.uniform(-1, 1), dice.uniform(-1, 1),
                gap + support(shape, F.rotation.conjugate() * -Eigen::Vector3d::UnitZ())};
  if (dice.integer(0, 3) > 0) F.velocity[2] = -std::abs(F.velocity[2]);
  if (dice.integer(0, 2) == 0) F.velocity *= 0.02;
  return problem;
}

/// Moves F along n until the bodies are apart by `gap`, from where they overlap or are apart by more.
inline void move_to_gap(const Eigen::Vector3d& n, double gap, PatchProblem& problem) {
  const PatchPose<double> pose_G{problem.G.rotation.toRotationMatrix(), problem.G.position};
  const Eigen::Vector3d from = problem.F.position;
  double low = -2.0, high = 2.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    problem.F.position = from + middle * n;
    const PatchPose<double> pose_F{problem.F.rotation.toRotationMatrix(), problem.F.position};
    (separation(problem.F.shape, pose_F, problem.G.shape, pose_G) < gap ? low : high) = middle;
  }
  problem.F.position = from + high * n;
}

/// Two bodies that fly against each other: corners, edges, rims, faces and mantles, flat or tilted.
inline PatchProblem random_pair(Dice& dice, const PatchShape& shape_G, const PatchShape& shape_F) {
  PatchProblem problem = random_law(dice);
  problem.G = random_body(dice, shape_G);
  PatchBody& F = problem.F = random_body(dice, shape_F);
  const Eigen::Vector3d n = random_direction(dice);
  const Eigen::Quaterniond world = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), n);
  const double tilt = dice.integer(0, 1) == 0 ? 0.0 : 0.02;
  F.rotation = world * random_turn(dice, Eigen::Vector3d::UnitZ(), M_PI) *
               random_turn(dice, Eigen::Vector3d::UnitX(), tilt) * put_down(random_down(dice, F.shape));
  problem.G.rotation = world * put_down(-random_down(dice, problem.G.shape));  // -(-z): towards F
  F.rotation.normalize();
  problem.G.rotation.normalize();
  F.position = 0.2 * dice.vector(3);
  move_to_gap(n, dice.integer(0, 1) == 0 ? 0.0 : dice.uniform(0.0, 0.005), problem);
  const double closing = n.dot((F.velocity - problem.G.velocity).head<3>());
  if (closing > 0.0 && dice.integer(0, 3) > 0) F.velocity.head<3>() -= 2.0 * closing * n;
  return problem;
}

}  // namespace stiction::reference
