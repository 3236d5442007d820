// A bare model with the choices of convex steps: no momentum, Anitescu's law, pyramids. For claims that hold of these,
// or that friction has no part in; tests set what else they need.
#pragma once

#include <string>

#include "host/scene/scene.hpp"

namespace stiction::test {

inline Scene load_convex_scene(const std::string& path) {
  Scene scene = load_scene(path);
  scene.physics.dynamics = Dynamics::kQuasidynamic;
  scene.physics.law = ContactLaw::kAnitescu;
  scene.physics.cone = ConeType::kPyramid;
  return scene;
}

}  // namespace stiction::test
