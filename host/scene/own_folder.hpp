// Where this code lies, for what is installed beside it: MuJoCo's library, and the scenes of a wheel.
#pragma once

#include <filesystem>

namespace stiction {

/// The folder of the program or library that holds this code; empty if it can not be told.
std::filesystem::path own_folder();

}  // namespace stiction
