// Anitescu's law throws up what is set sliding: whether a scene can do so, and what its user can do.
#pragma once

#include <optional>
#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// One line where steps have momentum, the law is Anitescu's and a pair of geoms has friction: it names the pair that
/// is thrown most, and its speed. Nothing otherwise.
std::optional<std::string> launch_warning(const Scene& scene);

}  // namespace stiction
