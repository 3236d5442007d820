// What a scene says about itself before it runs, in `stiction run` and `stiction info` alike.
#pragma once

#include "host/scene/scene.hpp"

namespace stiction {

/// Prints each warning as one line to standard error, so that it is seen even if the figures go to a file.
void print_scene_warnings(const Scene& scene);

}  // namespace stiction
