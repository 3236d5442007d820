// Tables of knots from a file: rows of time and ctrl.
#pragma once

#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// Reads comma-separated rows `time, ctrl[0], ...`, nu controls each. A first row of names is skipped, as are lines
/// that are empty or begin with #. Throws InputError with file:line.
CommandKnots read_command_file(const std::string& file, int nu);

}  // namespace stiction
