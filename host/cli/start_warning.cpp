#include "host/cli/start_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

constexpr double kLeastViolation = 1e-5;  // below it a step undoes it unseen [m, rad]
constexpr std::size_t kNamed = 3;

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
  try {
    Simulator simulator(alone, {.device = "cpu", .threads = 1});
    return find_violations(simulator, 0, kLeastViolation);
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
