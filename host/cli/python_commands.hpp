// Commands that look at recordings and simulations; the Python package has them.
#pragma once

#include <array>
#include <string_view>

namespace stiction {

constexpr std::array<std::string_view, 3> kPythonCommands = {"view", "plot", "video"};

}  // namespace stiction
