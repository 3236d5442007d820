// What a scene was read from, so that it can be made again elsewhere, to the last bit, without its files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/scene/scene.hpp"

namespace stiction {

struct SceneSources {
  // as compiled, attachments and meshes included, in MuJoCo's binary format: one, or one for every variant
  std::vector<std::vector<std::byte>> models;
  std::vector<std::string> file_names;  // names of the table files in scene.toml, as written there
  std::vector<std::string> file_texts;
};

/// The sources of a scene that `load_scene(path)` returned. Throws InputError.
SceneSources read_scene_sources(const Scene& scene, const std::string& path);

}  // namespace stiction
