// Words that stand for several choices of [physics] at once: `preset` names the model of a paper, and the law "patch"
// is Coulomb's law between patches. scene.toml and the command line spell them out here.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "host/model/choices.hpp"

namespace stiction {

/// Words of choices by their keys in [physics], such as {"law", "coulomb"}.
using ChosenWords = std::map<std::string, std::string>;

/// The words that `preset` may be.
const Choice& preset_choice();

/// The words that `law` may be: the contact laws, and "patch".
const Choice& law_words();

/// True if the words ask for the law "patch" and for contact "points", which exclude each other.
bool are_points_and_patches(const ChosenWords& words);

/// The step size that belongs to a preset [s], if one does: that of Miller and Christensen for "graspit".
std::optional<double> preset_step(const std::string& preset);

/// The words with what `preset` and the law "patch" stand for in place of these two. A word that is there keeps its
/// place before what the law "patch" says, and that before the preset. All words must be known.
ChosenWords spell_out(ChosenWords words);

}  // namespace stiction
