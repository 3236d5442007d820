// How the environments of a scene differ: [randomize].
#include <algorithm>

#include "host/model/error.hpp"
#include "host/scene/scene_keys.hpp"
#include "host/scene/scene_sections.hpp"

namespace stiction {
namespace {

JointNoise joint_noise(const Model& model, const TomlTable& table, const std::string& joint) {
  const auto found = std::find(model.joint_names.begin(), model.joint_names.end(), joint);
  const int id = static_cast<int>(found - model.joint_names.begin());
  const auto widths = table.numbers(joint, static_cast<std::size_t>(dofs_of(model.joint_type[id])));
  if (std::any_of(widths->begin(), widths->end(), [](double width) { return width < 0.0; })) {
    table.reject(joint, "half widths of at least 0");
  }
  return {id, *widths};
}

void read_qpos_noise(const TomlTable& randomize, const Model& model, Randomize& out) {
  if (!randomize.has("qpos_noise")) return;
  if (randomize.raw().get("qpos_noise")->is_number()) {
    const double width = *randomize.number("qpos_noise");
    if (width < 0.0) randomize.reject("qpos_noise", "a half width of at least 0");
    for (int j = 0; j < model.njoint; ++j)
      out.qpos_noise.push_back({j, std::vector<double>(static_cast<std::size_t>(dofs_of(model.joint_type[j])), width)});
    return;
  }
  const toml::table* entries = randomize.table("qpos_noise");
  if (model.njoint == 0 && !entries->empty()) randomize.fail("qpos_noise", "the model has no joints");
  const TomlTable table(*entries, randomize.file(), "randomize.qpos_noise", model.joint_names);
  for (const auto& [key, value] : *entries) out.qpos_noise.push_back(joint_noise(model, table, std::string(key.str())));
}

std::optional<Range> read_range(const TomlTable& table, const std::string& key, bool may_be_zero) {
  const auto ends = table.numbers(key, 2);
  if (!ends) return std::nullopt;
  const double lowest = (*ends)[0], highest = (*ends)[1];
  const bool positive = may_be_zero ? lowest >= 0.0 : lowest > 0.0;
  if (!positive || lowest > highest) {
    table.reject(key, std::string("[lower, upper], ") + (may_be_zero ? "at least 0" : "more than 0") + ", ordered");
  }
  return Range{lowest, highest};
}

}  // namespace

void read_randomize(const TomlTable& top, const Model& model, Randomize& out) {
  const TomlTable table = section(top, "randomize", known_keys("randomize"));
  read_qpos_noise(table, model, out);
  out.friction = read_range(table, "friction", true);
  out.mass_scale = read_range(table, "mass_scale", false);
}

}  // namespace stiction
