#include "host/cli/start_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

constexpr double kLeastViolation = 1e-5;  // below it a step undoes it unseen [m, rad]
constexpr std::size_t kNamed = 3;
constexpr std::size_t kMostVariants = 64;  // whose starts are looked at

std::string named_keyframes(const Model& model) {
  std::string names;
  const std::size_t count = model.keyframe_names.size();
  for (std::size_t k = 0; k < std::min(count, kNamed); ++k)
    names += (k == 0 ? "'" : ", '") + model.keyframe_names[k] + "'";
  return fmt::format("the model has the keyframe{} {}{}: --keyframe '{}'", count == 1 ? "" : "s", names,
                     count > kNamed ? ", ..." : "", model.keyframe_names.front());
}

}  // namespace

std::vector<Infeasibility> find_start_violations(const Scene& scene) {
  Scene alone = scene;
  alone.randomize = {};
  const int batch = static_cast<int>(std::clamp<std::size_t>(scene.variants.size(), 1, kMostVariants));
  try {
    Simulator simulator(alone, {.batch = batch, .device = "cpu", .threads = 1});
    std::vector<Infeasibility> all;
    for (int env = 0; env < batch; ++env) {
      for (Infeasibility& found : find_violations(simulator, env, kLeastViolation)) {
        if (batch > 1) found.what += " (with " + scene.variants[static_cast<std::size_t>(env)].name + ")";
        all.push_back(std::move(found));
      }
    }
    return all;
  } catch (const OutOfMemory&) {
    return {};
  }
}

std::string describe_start_violations(const Scene& scene, const std::vector<Infeasibility>& violations) {
  if (violations.empty()) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(violations.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + violations[i].what + " by " + violations[i].amount();
  if (violations.size() > kNamed) text += fmt::format(", and {} more", violations.size() - kNamed);
  const bool offers = scene.keyframe.empty() && !scene.model->keyframe_names.empty();
  return "at the start " + text + (offers ? "; " + named_keyframes(*scene.model) : "");
}

}  // namespace stiction
