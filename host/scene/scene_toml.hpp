// scene.toml: from its text to a scene.
#pragma once

#include <functional>
#include <string>

#include "host/scene/mujoco_compiler.hpp"
#include "host/scene/scene.hpp"

namespace stiction {

/// Reads the file, its model with attachments and its command; keys of the TOML text `keys` take precedence. Throws
/// InputError.
Scene read_scene_toml(const std::string& file, const std::string& keys);

/// How the TOML text `keys` has models read. Throws InputError.
ModelReading reading_of(const std::string& keys);

/// The compiled models of a scene: several where lists name them.
struct ModelChoices {
  int count;
  std::function<CompiledModel(int v)> compile;
  std::function<std::string(int v)> name;  // of several
  std::string where;                       // for messages about several
};

ModelChoices only_model(CompiledModel compiled);

/// A scene of compiled models, with the TOML text `keys` and defaults for everything else. Throws InputError.
Scene read_scene_keys(const ModelChoices& models, const std::string& name, const std::string& keys);

}  // namespace stiction
