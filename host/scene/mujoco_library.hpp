// MuJoCo's library, loaded when its first function is called. Nothing is linked with it, so that every patch release of
// the minor release whose headers were compiled in serves.
#pragma once

#include <string>

namespace stiction {

/// Takes this file as MuJoCo's library. Has an effect only before the first call of a function of MuJoCo.
void use_mujoco_library(const std::string& file);

/// The address of a function by its number in mujoco_functions.hpp. The first call loads the library: the file given
/// above, that of the environment variable STICTION_MUJOCO_LIBRARY, or the newest that fits in the folders of
/// find_mujoco.cmake, which are relative to the file that holds this code. Throws InputError if there is none, or if
/// it is of another minor release.
void* mujoco_function(int number);

}  // namespace stiction
