// The table of a scripted body.
#pragma once

#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// Reads rows `time, x, y, z, qw, qx, qy, qz [, vx, vy, vz, wx, wy, wz]`, all of the same width, for a body. Throws
/// InputError with file:line.
MocapTrack read_mocap_file(const std::string& file, int body);

}  // namespace stiction
