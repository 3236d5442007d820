// Anitescu's law throws bodies upwards that are set sliding: whether this can happen in a scene, and what the user can
// do.
#pragma once

#include <optional>
#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// One line if steps have momentum, the law is Anitescu's and a pair of geoms has friction: it names the pair that is
/// thrown up fastest, and its speed. Otherwise nothing.
std::optional<std::string> launch_warning(const Scene& scene);

}  // namespace stiction
