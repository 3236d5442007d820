// A small scene of bodies that consist of touching pieces, with contact regions of faces, lines and places.
#pragma once

#include <cmath>
#include <string>

#include "host/scene/scene.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {

/// Boxes side by side in a ring of radius 0.08 m.
inline std::string ring_of_boxes(int count) {
  std::string geoms;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * M_PI * i / count;
    geoms += "<geom type='box' size='.01 " + std::to_string(0.09 * std::tan(M_PI / count)) + " .02' pos='" +
             std::to_string(0.08 * std::cos(angle)) + " " + std::to_string(0.08 * std::sin(angle)) + " 0' euler='0 0 " +
             std::to_string(360.0 * i / count) + "'/>";
  }
  return geoms;
}

/// A ring of 12 boxes that slides, a cube of eight boxes on it, a rod of two capsules, balls side by side, and a box on
/// two steps of the world.
inline Scene touching_pieces() {
  std::string cube;
  for (int i = 0; i < 8; ++i)
    cube += "<geom type='box' size='.05 .05 .02' pos='" + std::string(i & 1 ? ".05 " : "-.05 ") +
            (i & 2 ? ".05 " : "-.05 ") + (i & 4 ? ".02'/>" : "-.02'/>");
  const std::string text =
      "<mujoco><worldbody><geom type='plane' size='3 3 .1'/>"
      "<geom type='box' size='.1 .1 .05' pos='1 0 .05'/><geom type='box' size='.1 .1 .05' pos='1.2 0 .05'/>"
      "<body pos='0 0 .02'><freejoint/>" +
      ring_of_boxes(12) + "</body><body pos='0 0 .08'><freejoint/>" + cube +
      "</body><body pos='.5 0 .03'><freejoint/><geom type='capsule' size='.03' fromto='-.1 0 0 0 0 0'/>"
      "<geom type='capsule' size='.03' fromto='0 0 0 .1 0 0'/></body>"
      "<body pos='.5 .5 .03'><freejoint/><geom type='sphere' size='.03' pos='-.06 0 0'/>"
      "<geom type='sphere' size='.03'/><geom type='sphere' size='.03' pos='.06 0 0'/>"
      "<geom type='sphere' size='.03' pos='0 .06 0'/></body>"
      "<body pos='1.1 0 .12'><freejoint/><geom type='box' size='.05 .05 .02'/></body></worldbody></mujoco>";
  Scene scene = load_scene(write_temporary("touching_pieces.xml", text));
  scene.qvel.assign(static_cast<std::size_t>(scene.model->nv), 0.0);
  scene.qvel[0] = 0.4, scene.qvel[6] = 0.4;    // ring and cube
  scene.qvel[12] = 0.2, scene.qvel[15] = 3.0;  // the rod rolls and slides
  scene.qvel[18] = 0.3, scene.qvel[24] = 0.2, scene.step_size = 0.005;
  return scene;
}

}  // namespace stiction::test
