#include "host/scene/presets.hpp"

namespace stiction {
namespace {

/// A word for every choice of [physics].
struct Preset {
  const char *name, *dynamics, *law, *cone;
  const char *contact = "points", *geometry = "start", *rotation = "exact", *torsion_radius = "model",
             *order = "solve_first";
  std::optional<double> step_size = {};  // [s]

  ChosenWords words() const {
    return {{"dynamics", dynamics},
            {"law", law},
            {"cone", cone},
            {"contact", contact},
            {"geometry", geometry},
            {"rotation", rotation},
            {"torsion_radius", torsion_radius},
            {"order", order}};
  }
};

constexpr Preset kPresets[] = {
    {"quasistatic_lcp", "quasistatic", "coulomb", "pyramid"},              // 2021, (6)
    {"quasistatic_qp", "quasistatic", "anitescu", "pyramid"},              // 2021, (10)
    {"kinematic_lcp", "kinematic", "coulomb", "pyramid"},                  // 2021, (1)
    {"dlc", "kinematic", "coulomb", "pyramid"},                            // 2005, Model-DLC
    {"dqc", "kinematic", "coulomb", "quadratic"},                          // 2005, Model-DQC
    {"ecp", "dynamic", "coulomb", "quadratic", "patch", "end", "linear"},  // Xie and Chakraborty, (18), (19)
    {"graspit", "dynamic", "coulomb", "pyramid", "points", "start", "exact", "model", "move_first",
     2.5e-3}  // 2003, section 4
};

constexpr const char* kPatchLaw = "patch";

bool holds(const ChosenWords& words, const std::string& key, const std::string& word) {
  const auto found = words.find(key);
  return found != words.end() && found->second == word;
}

}  // namespace

const Choice& preset_choice() {
  static const Choice choice = [] {
    Choice all{"preset", {}};
    for (const Preset& preset : kPresets) all.built.push_back(preset.name);
    return all;
  }();
  return choice;
}

const Choice& law_words() {
  static const Choice choice = [] {
    Choice all = law_choice();
    all.built.push_back(kPatchLaw);
    return all;
  }();
  return choice;
}

bool are_points_and_patches(const ChosenWords& words) {
  return holds(words, "law", kPatchLaw) && holds(words, "contact", "points");
}

std::optional<double> preset_step(const std::string& preset) {
  for (const Preset& known : kPresets)
    if (preset == known.name) return known.step_size;
  return std::nullopt;
}

ChosenWords spell_out(ChosenWords words) {
  if (holds(words, "law", kPatchLaw)) {
    words["law"] = "coulomb";
    words.insert({{"cone", "quadratic"}, {"contact", "patch"}, {"geometry", "end"}});
  }
  for (const Preset& preset : kPresets) {
    if (!holds(words, "preset", preset.name)) continue;
    words.merge(preset.words());
  }
  words.erase("preset");
  return words;
}

}  // namespace stiction
