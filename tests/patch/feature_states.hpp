// States of one body a step before it rests on a plane with a given feature, sticking or sliding.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "host/scene/scene.hpp"
#include "tests/reference/random_patches.hpp"
#include "tests/support/ecp.hpp"

namespace stiction::test {

enum class Feature { kVertex, kEdge, kFace, kRim, kLine, kDisk };

constexpr const char* kFeatureNames[] = {"vertex", "edge", "face", "rim", "line", "disk"};

namespace feature_detail {

using Eigen::Vector3d;

constexpr double kRadius = 0.05, kHalfLength = 0.06;  // of the cylinder [m]
inline const Vector3d kHalfBox = {0.05, 0.035, 0.025};

inline bool is_cylinder(Feature feature) { return feature >= Feature::kRim; }

inline Eigen::Quaterniond turn(const Vector3d& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

/// A rotation that puts the feature down, up to a milliradian where it is flat.
inline Eigen::Quaterniond put_feature_down(Feature feature, reference::Dice& dice) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  double draw[7];
  for (double& number : draw) number = dice.uniform(-1, 1);
  const Eigen::Quaterniond off = turn({draw[0], draw[1], draw[2]}, 1e-3 * draw[3]), about = turn(z, 3 * draw[4]);
  switch (feature) {
    case Feature::kVertex:
      return about * turn(x, 0.55 + 0.25 * draw[5]) * turn(y, 0.55 + 0.25 * draw[6]);
    case Feature::kEdge:
      return about * off * turn(x, 0.7 + 0.2 * draw[5]);
    case Feature::kRim:
      return about * turn(x, 0.4 + 0.2 * draw[5]) * turn(z, 3 * draw[6]);
    case Feature::kLine:
      return about * off * turn(x, M_PI / 2) * turn(z, 3 * draw[6]);
    default:
      return about * off;
  }
}

/// Height of the body's frame when its lowest point is on the plane [m].
inline double standing_height(Feature feature, const Eigen::Quaterniond& q) {
  const Vector3d up = q.toRotationMatrix().row(2);
  if (!is_cylinder(feature)) return kHalfBox.dot(up.cwiseAbs());
  return std::fabs(up.z()) * kHalfLength + kRadius * std::hypot(up.x(), up.y());
}

inline std::string model_text(Feature feature, double friction) {
  char text[640];
  std::snprintf(text, sizeof text,
                "<mujoco><option gravity='0 0 -9.8'/><worldbody><geom name='floor' type='plane' size='0 0 1' "
                "contype='0' conaffinity='0'/><body><freejoint/><geom name='body' contype='0' conaffinity='0' mass='1' "
                "type='%s' size='%s'/></body></worldbody><contact><pair geom1='floor' geom2='body' condim='4' "
                "friction='%g %g .01 0 0'/></contact></mujoco>",
                is_cylinder(feature) ? "cylinder" : "box", is_cylinder(feature) ? ".05 .06" : ".05 .035 .025", friction,
                friction);
  return text;
}

}  // namespace feature_detail

/// A scene of the preset `ecp` whose first step ends on the feature, if all goes well; e_r is .01 m over friction.
inline Scene feature_scene(Feature feature, bool slides, reference::Dice& dice) {
  using namespace feature_detail;
  const double friction = slides ? dice.uniform(0.1, 0.4) : dice.uniform(0.5, 0.9);
  Scene scene = make_scene(std::make_shared<const Model>(load_model_text(model_text(feature, friction))), "feature");
  choose_ecp(scene.physics);
  scene.solver.name = SolverName::kNewton;
  scene.solver.tolerance = 1e-12;
  scene.step_size = 0.01;
  const Eigen::Quaterniond q = put_feature_down(feature, dice).normalized();
  const double height = standing_height(feature, q) + dice.uniform(2e-4, 1e-3);
  scene.qpos = {dice.uniform(-0.2, 0.2), dice.uniform(-0.2, 0.2), height, q.w(), q.x(), q.y(), q.z()};
  const double speed = slides ? dice.uniform(0.5, 1.5) : dice.uniform(0, 0.02), heading = dice.uniform(-3, 3);
  scene.qvel = {speed * std::cos(heading), speed * std::sin(heading), dice.uniform(-0.5, -0.2),
                dice.uniform(-0.3, 0.3),   dice.uniform(-0.3, 0.3),   dice.uniform(-0.3, 0.3)};
  return scene;
}

}  // namespace stiction::test
