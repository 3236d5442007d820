// Scenes and models with keys that a program gives; they replace those of the scene and the defaults.
//
// `keys` is TOML text as in scene.toml, such as "[physics]\nlaw = 'coulomb'"; empty: none. A wrong key is reported as
// one of "the given keys". All functions throw InputError.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// A scene folder, a scene.toml or a bare model (.xml, .mjcf, .urdf). "scenes/..", where that is not there, is one of
/// the scenes that a wheel brings.
Scene load_scene(const std::string& path, const std::string& keys);

/// MJCF or URDF text; asset files are relative to the working directory.
Scene load_scene_of_text(const std::string& xml, const std::string& keys);

/// A model that MuJoCo compiled and saved (mj_saveModel, the same version).
struct BinaryModel {
  std::span<const std::byte> mjb;
  std::string xml;   // its text, for recordings and pictures
  std::string name;  // of the variant, where there are several
};

/// The scene of one compiled model, or of several that share a batch as those of lists do.
Scene load_scene_of_binaries(std::span<const BinaryModel> models, const std::string& keys,
                             const std::string& name = "model");

}  // namespace stiction
