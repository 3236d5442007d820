// A scene with every kind of row, actuator and script.
#pragma once

#include <algorithm>
#include <string>

#include "host/scene/scene.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {

inline const char* const kEveryRow = R"(
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1" friction=".5 0 0"/>
    <body name="a" pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass=".3" friction=".5 0 0"/></body>
    <body name="c" pos=".2 0 .05"><freejoint/><geom type="sphere" size=".05" mass=".2" friction=".7 0 0" condim="1"/></body>
    <body pos="-.1 0 .05"><joint name="push" type="slide" axis="1 0 0" range="-.1 .08" limited="true" frictionloss="2"
      damping="3" stiffness="20" springref=".01"/>
      <geom type="box" size=".02 .1 .03" mass=".5" friction=".3 0 0"/>
      <body pos="0 0 .2"><joint name="turn" type="hinge" axis="0 1 0" armature=".01"/>
        <geom type="capsule" size=".02 .05" mass=".2" pos=".05 0 0"/>
        <body pos="0 0 .2"><joint name="follow" type="hinge" axis="0 1 0" damping=".1"/>
          <geom type="capsule" size=".02 .05" mass=".1"/></body></body></body>
    <body pos="0 1 .5"><joint name="ball" type="ball" range="0 .3" limited="true" damping=".2" stiffness="4"/>
      <geom type="capsule" size=".02 .05" mass=".2" pos=".05 .02 0"/></body>
    <body pos="0 2 .5"><joint name="l1" type="slide" axis="1 0 0" damping=".3"/><geom size=".05" mass=".1"/><site name="l1" pos=".3 0 .2"/>
      <body pos="0 .3 0"><joint name="l2" type="slide" axis="0 0 1" damping=".3"/><geom size=".05" mass=".1"/></body></body>
    <site name="pole" pos=".2 -1 .3" euler="10 0 0"/>
    <body name="m" pos="0 4 .5"><joint name="m" type="slide" axis="0 0 1" damping=".3"/><geom size=".05" mass=".1"/><site name="m"/></body>
    <body name="held" pos="0 -.5 .5"><freejoint/><geom type="box" size=".05 .04 .03" mass=".3"/></body>
    <body name="hung" pos=".1 -.5 .5"><joint type="slide" axis="1 0 0" damping="1"/><joint type="slide" axis="0 1 0" damping="1"/>
      <joint type="slide" axis="0 0 1" damping="1"/><joint type="ball" damping=".1" stiffness="2"/>
      <geom type="capsule" size=".02 .1" pos="0 0 -.1" mass=".1"/></body>
    <body name="swing" pos=".2 -1 .5"><freejoint/><geom type="capsule" size=".02 .1" pos="0 0 -.1" mass=".1"/>
      <body pos="0 0 -.2"><joint type="hinge" axis="0 1 0" damping=".1" stiffness="3"/><geom size=".03" mass=".1"/><site name="tip" pos="0 .05 0"/></body></body>
    <body name="paddle" mocap="true" pos="0 -.12 .05"><geom type="box" size=".03 .03 .03" friction=".4 0 0"/></body>
    <body name="roller" mocap="true" pos=".2 .2 .05"><geom type="cylinder" size=".04 .05" friction=".4 0 0"/></body>
  </worldbody>
  <tendon><fixed name="both" limited="true" range="-.2 .2" stiffness="30" springlength="-.01 .02" damping=".5" frictionloss=".1">
    <joint joint="l1" coef=".5"/><joint joint="l2" coef="-.8"/></fixed>
    <spatial name="rope" limited="true" range="0 2.05" stiffness="20" springlength="1.9" damping=".4" frictionloss=".05">
      <site site="l1"/><site site="m"/></spatial></tendon>
  <equality><joint joint1="follow" joint2="turn" polycoef=".1 .9 .2 0 0"/>
    <weld body1="paddle" body2="held" torquescale=".7"/>
    <connect body1="held" body2="hung" anchor=".06 0 0" solref="-900 -25" solimp=".8 .95 .01 .4 3"/>
    <weld site1="tip" site2="pole" solref=".1 .5"/></equality>
  <actuator>
    <position joint="push" kp="500" gear="2"/>
    <position joint="turn" kp="30" kv="2" forcerange="-1 1.5"/>
    <velocity joint="l1" kv="5"/>
    <motor joint="m" gear="3" forcerange="-.4 .4"/>
    <general joint="m" gainprm=".3" dyntype="filter" dynprm=".08"/>
  </actuator>
</mujoco>)";

/// The paddle turns while it pushes, at the rate of its poses; the roller has velocity columns.
inline void add_scripts(Scene& scene) {
  const auto body = [&](const char* name) {
    const std::vector<std::string>& names = scene.model->body_names;
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  scene.mocap.push_back(
      {body("paddle"), {0.0, 1.0}, {{.02, -.12, .05, 1, 0, 0, 0}, {.05, -.04, .05, .8, 0, 0, .6}}, {}});
  scene.mocap.push_back({body("roller"),
                         {0.0, 0.5, 1.0},
                         {{.2, .2, .05, 1, 0, 0, 0}, {.2, .12, .05, 0, 1, 0, 0}, {.2, .1, .05, 0, 1, 0, 0}},
                         {{0, -.16, 0, 6, 0, 0}, {0, -.1, 0, 3, 0, 0}, {0, 0, 0, 0, 0, 0}}});
  scene.impulses.push_back({3, body("m"), {0.0, 0.0, 0.02, 0.0, 0.0, 0.0}});
  scene.impulses.push_back({5, body("a"), {0.0, 0.0, -0.3, 0.001, 0.0, 0.0}});
}

/// With torsional friction of the boxes, but for cones that are boxes, whose contacts have three rows.
inline std::string every_row_text(ConeType cone) {
  std::string text = kEveryRow;
  const std::string box = "mass=\".3\" friction=\".5 0 0\"";
  if (cone != ConeType::kBox)
    text.replace(text.find(box), box.size(), "mass=\".3\" friction=\".5 .005 0\" condim=\"4\"");
  return text;
}

inline Scene every_row_scene(const PhysicsConfig& physics) {
  Scene scene = load_scene(test::write_temporary("reference_every_row.xml", every_row_text(physics.cone)));
  scene.physics = physics;
  scene.physics.facets = 6;
  scene.step_size = 0.05;
  scene.command.time = {0.0, 1.0};
  scene.command.ctrl = {{0, 0, 0, 0.1, 0.2}, {0.4, 0.8, 0.05, 0.6, 0.5}};
  if (physics.dynamics == Dynamics::kKinematic) scene.command.ctrl[1][0] = 0.15;  // the joint has only its range
  add_scripts(scene);
  validate(scene);
  return scene;
}

}  // namespace stiction::reference
