// A TOML file as text and as a table.
#pragma once

#include <string>

#include "host/scene/toml_library.hpp"

namespace stiction {

/// What messages name as the file of keys that a program gives.
inline const std::string kGivenKeys = "the given keys";

std::string read_text(const std::string& file);

/// Throws InputError with file:line for text that is not well-formed.
toml::table parse_toml(const std::string& text, const std::string& file);

}  // namespace stiction
