// What the command line says about how a scene and its model are read, as keys of scene.toml.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stiction {

struct GivenKeys {
  std::vector<std::string> packages;    // NAME=DIR
  std::vector<std::string> ignore;      // features of the model that are left out
  std::optional<std::string> keyframe;  // where the scene starts
};

/// Adds --package, --ignore and --keyframe.
void add_given_keys(CLI::App& app, GivenKeys& keys);

/// The TOML text of these keys, for load_scene. Throws InputError for a --package without a name or a folder.
std::string toml_text(const GivenKeys& keys);

}  // namespace stiction
