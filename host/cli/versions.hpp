// The versions that a result depends on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stiction {

std::string stiction_version();

/// Name and version of this program, its compiler and its libraries.
std::vector<std::pair<std::string, std::string>> program_versions();

}  // namespace stiction
