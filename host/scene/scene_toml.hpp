// scene.toml: from its text to a scene.
#pragma once

#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// Reads the file, its model with attachments and its command. Throws InputError.
Scene read_scene_toml(const std::string& file);

}  // namespace stiction
