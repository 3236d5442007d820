// The version of MuJoCo: of the headers that were compiled in, and of the library that is loaded.
#pragma once

#include <string>

namespace stiction {

struct MujocoVersion {
  std::string header, library;
};

MujocoVersion mujoco_version();

}  // namespace stiction
