#include "host/cli/scene_warnings.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "host/cli/launch_warning.hpp"
#include "host/cli/model_text.hpp"
#include "host/cli/one_line.hpp"
#include "host/cli/torsion_warning.hpp"

namespace stiction {

void print_scene_warnings(const Scene& scene) {
  for (const auto& warning : {launch_warning(scene), torsion_warning(scene)})
    if (warning) fmt::print(stderr, "stiction: {}\n", make_one_line(*warning));
  if (const std::string text = describe_ignored(*scene.model); !text.empty())
    fmt::print(stderr, "stiction: warning: {}\n", make_one_line(text));
  if (const std::string text = describe_bulges(*scene.model); !text.empty())
    fmt::print(stderr, "stiction: warning: {}\n", make_one_line(text));
}

}  // namespace stiction
