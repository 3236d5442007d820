// A small scene with everything a step does: a stack, sliding and rolling contact, an actuator, noise; and sensors.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "host/api/simulator.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {

/// Boxes on a plane, two stacked, pushed by a slide: contacts, friction, noise.
inline const char* kPushedBoxes = R"(
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1" friction=".5 0 0"/>
    <body name="a" pos="0 0 .05"><freejoint name="a"/><geom type="box" size=".05 .05 .05" mass=".3" friction=".5 0 0"/>
      <site name="sole" type="box" pos="0 0 -.05" size=".06 .06 .01" euler="10 20 30"/></body>
    <body name="b" pos="0 0 .15"><freejoint name="b"/><geom type="box" size=".05 .05 .05" mass=".2" friction=".5 0 0"/></body>
    <body name="c" pos=".3 .2 .05"><freejoint name="c"/><geom name="ball" type="sphere" size=".05" mass=".2" friction=".5 0 0"/></body>
    <body name="pusher" pos="-.1 0 .05" gravcomp="1"><joint name="push" type="slide" axis="1 0 0"/>
      <geom type="box" size=".02 .1 .03" mass=".5" friction=".3 0 0"/></body>
    <body name="paddle" mocap="true" pos=".3 .4 .05"><geom type="box" size=".05 .02 .04" friction=".3 0 0"/></body>
  </worldbody>
  <actuator><position name="push" joint="push" kp="500"/></actuator>
  <sensor>
    <accelerometer site="sole"/> <force site="sole"/> <torque site="sole"/> <touch site="sole"/> <gyro site="sole"/>
    <framepos objtype="geom" objname="ball" reftype="site" refname="sole"/> <framequat objtype="xbody" objname="b"/>
    <framelinvel objtype="body" objname="paddle" reftype="xbody" refname="a"/> <subtreeangmom body="a"/>
    <jointpos joint="push"/> <actuatorfrc actuator="push" cutoff="3"/> <clock/>
  </sensor>
</mujoco>)";

/// The same with a box for the ball.
inline std::string only_boxes() {
  std::string text = kPushedBoxes;
  const std::string ball = "type=\"sphere\" size=\".05\"";
  text.replace(text.find(ball), ball.size(), "type=\"box\" size=\".05 .04 .03\"");
  return text;
}

inline Scene pushed_boxes() {
  Scene scene = load_convex_scene(write_temporary("pushed_boxes.xml", kPushedBoxes));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  scene.step_size = 0.05;
  scene.command.time = {0.0, 1.0};
  scene.command.ctrl = {{0.0}, {0.25}};
  scene.solver.tolerance = 1e-6;
  const Model& model = *scene.model;
  for (int j = 0; j < model.njoint; ++j)
    if (model.joint_type[static_cast<std::size_t>(j)] == static_cast<int>(JointType::kFree))
      scene.randomize.qpos_noise.push_back({j, {0.01, 0.01, 0.0, 0.0, 0.0, 0.2}});
  scene.randomize.seed = 7;
  return scene;
}

/// Too little distance for the pusher, which moves 12 mm a step: a step takes more than one attempt.
inline Scene outrun_boxes() {
  Scene scene = pushed_boxes();
  scene.physics.contact_distance = 1e-4;
  return scene;
}

/// The paddle turns and pushes the sphere; one box is struck.
inline void add_paddle_script(Scene& scene) {
  const std::vector<std::string>& names = scene.model->body_names;
  const auto id = [&](const char* name) {
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  scene.mocap.push_back(
      {id("paddle"), {0.0, 1.0}, {{.3, .28, .05, 1, 0, 0, 0}, {.3, .2, .05, .9, 0, 0, .43588989435406733}}, {}});
  scene.impulses.push_back({2, id("a"), {0.01, 0.02, -0.03, 0.0, 0.0, 0.001}});
}

/// Bodies that move before their velocities are solved; the ball is thrown up and comes back, the upper box is pushed.
inline Scene boxes_that_move_first() {
  Scene scene = pushed_boxes();
  add_paddle_script(scene);
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = ContactLaw::kCoulomb;
  scene.physics.order = StepOrder::kMoveFirst;
  scene.step_size = 5e-3;
  scene.qvel[6] = 0.2, scene.qvel[12] = 0.3, scene.qvel[14] = 0.5;
  return scene;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace stiction::test
