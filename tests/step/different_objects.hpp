// A pusher and, in each environment, a ball, a body of bars or a prism.
#pragma once

#include "host/scene/scene.hpp"

namespace stiction::test {

inline Scene different_objects() { return load_scene(STICTION_SOURCE_DIR "/tests/step/different_objects"); }

}  // namespace stiction::test
