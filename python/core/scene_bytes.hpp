// A scene as bytes and back, to the last bit, for pickles: model, hulls and tables included, so that no file is needed.
#pragma once

#include <span>
#include <string>

#include "host/scene/scene.hpp"

namespace stiction::python {

std::string bytes_of(const Scene& scene);

/// Throws InputError for bytes that end early or late.
Scene scene_of_bytes(std::span<const char> bytes);

}  // namespace stiction::python
