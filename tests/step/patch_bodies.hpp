// A small scene for steps that seek their end: faces, an edge of a rim, a line and a point that slide, spin and roll.
#pragma once

#include "host/scene/scene.hpp"
#include "tests/support/ecp.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {

inline const char* kPatchBodies = R"(
<mujoco>
  <default><geom condim="4" friction=".3 .02 0"/></default>
  <worldbody>
    <geom type="plane" size="3 3 .1"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
    <body pos=".02 0 .25" euler="0 0 20"><freejoint/><geom type="box" size=".05 .06 .05" mass=".3"/></body>
    <body pos=".5 0 .155" euler="12 5 0"><freejoint/><geom type="cylinder" size=".06 .14" mass=".8"/></body>
    <body pos="0 .5 .05" euler="90 0 30"><freejoint/><geom type="cylinder" size=".05 .1" mass=".5"/></body>
    <body pos=".5 .5 .07"><freejoint/><geom type="sphere" size=".07" mass=".4"/></body>
  </worldbody>
</mujoco>)";

/// A box that slides and spins with a smaller one on it, a cylinder that falls on its rim, one that rolls, a ball; with
/// the choices of `preset = "ecp"`.
inline Scene patch_bodies() {
  Scene scene = load_scene(write_temporary("patch_bodies.xml", kPatchBodies));
  choose_ecp(scene.physics);
  scene.qvel = {1, 0.5, 0, 0, 0, 3, 1, 0.5, 0, 0, 0, -2, 0, 0, 0, 0.5, 0, 1, 0, 0.4, 0, 0, 0, 8, 0.3, 0, 0, 0, 4, 1};
  scene.step_size = 0.005;
  scene.solver.tolerance = 1e-6;
  return scene;
}

}  // namespace stiction::test
