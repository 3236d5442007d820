// A scene with every shape, and rays that meet all of them.
#pragma once

#include <cmath>

#include "host/api/simulator.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {

/// Seven shapes around the origin, each on a body of its own, and a floor.
inline Scene every_shape() {
  return load_convex_scene(write_temporary("every_shape.xml", R"(
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0  .3 0 .02  0 .2 .05  .05 .1 .25  .2 .15 .1"/></asset>
  <worldbody>
    <geom type="plane" size="3 2 .1" pos="0 0 -.6" euler="3 4 5"/>
    <body pos=".5 0 .1" euler="10 20 30"><freejoint/><geom type="sphere" size=".2"/></body>
    <body pos="-.5 .1 0" euler="40 50 60"><freejoint/><geom type="capsule" size=".1 .2"/></body>
    <body pos="0 .6 .1" euler="70 80 90"><freejoint/><geom type="cylinder" size=".15 .1"/></body>
    <body pos="0 -.5 -.1" euler="15 25 35"><freejoint/><geom type="ellipsoid" size=".1 .2 .15"/></body>
    <body pos=".1 .1 .6" euler="45 55 65"><freejoint/><geom type="box" size=".1 .2 .15"/></body>
    <body pos="-.4 -.5 .3" euler="75 85 95"><freejoint/><geom type="mesh" mesh="wedge"/></body>
  </worldbody>
</mujoco>)"));
}

/// `count` rays in all directions from points near the origin, a few from within a shape; of lengths from 0.5 to 1.5.
inline Rays rays_in_all_directions(int count) {
  Rays rays;
  rays.count = count;
  for (int i = 0; i < count; ++i) {
    const double turn = 2.399963 * i, z = 1.0 - (2.0 * i + 1.0) / count, r = std::sqrt(1.0 - z * z);
    const double length = 1.0 + 0.5 * std::sin(i);
    const bool within = i % 8 == 0;
    for (const double value : {within ? 0.5 : 0.02 * std::sin(3.0 * i), 0.01, within ? 0.1 : 0.0})
      rays.origin.push_back(value);
    for (const double value : {r * std::cos(turn), r * std::sin(turn), z}) rays.direction.push_back(length * value);
  }
  return rays;
}

}  // namespace stiction::test
