// The versions of MuJoCo's headers that were compiled in, and of its library that is loaded.
#pragma once

#include <string>

namespace stiction {

struct MujocoVersion {
  std::string header, library;
};

/// Loads the library; throws InputError where it is missing or does not fit (mujoco_library.hpp).
MujocoVersion mujoco_version();

}  // namespace stiction
