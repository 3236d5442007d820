// Friction of patches acts at one point. Without torsional friction nothing resists a turn about the normal there:
// whether this is so in a scene, and what the user can do.
#pragma once

#include <optional>
#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// One line if friction is that of patches and none has torsion: it names the first pair with friction that may touch
/// in more than a point. Otherwise nothing.
std::optional<std::string> torsion_warning(const Scene& scene);

}  // namespace stiction
