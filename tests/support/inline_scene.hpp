// A scene from MJCF written in the test, at its zero configuration.
#pragma once

#include <string>

#include "tests/support/convex_scene.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {

/// The parts of <mujoco>; angles are in radian.
struct InlineModel {
  std::string name;     // of its file, unlike that of others in the test program
  std::string world;    // inside <worldbody>
  std::string rest;     // after it: actuators, couplings
  std::string gravity;  // [m/s²]
};

inline Scene inline_scene(const InlineModel& model, Dynamics dynamics, double tolerance) {
  const std::string text = "<mujoco><compiler angle='radian'/><option gravity='" + model.gravity + "'/><worldbody>" +
                           model.world + "</worldbody>" + model.rest + "</mujoco>";
  Scene scene = load_convex_scene(write_temporary(model.name + ".xml", text));
  scene.physics.dynamics = dynamics;
  scene.solver.tolerance = tolerance;
  return scene;
}

}  // namespace stiction::test
