#include "host/cli/physics_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <utility>

#include "host/cli/choices.hpp"
#include "host/cli/whole_number.hpp"
#include "host/scene/presets.hpp"

namespace stiction {
namespace {

/// The options that are given, by their keys; --preset and --law are known words.
ChosenWords words_of(const PhysicsOptions& o) {
  if (o.preset) find_choice(preset_choice(), *o.preset);
  if (o.law) find_choice(law_words(), *o.law);
  ChosenWords words;
  const std::pair<const char*, const std::optional<std::string>&> given[] = {
      {"preset", o.preset},     {"dynamics", o.dynamics},
      {"law", o.law},           {"cone", o.cone},
      {"contact", o.contact},   {"geometry", o.geometry},
      {"rotation", o.rotation}, {"torsion_radius", o.torsion_radius},
      {"equality", o.equality}, {"order", o.order},
      {"regions", o.regions}};
  for (const auto& [key, word] : given)
    if (word) words.emplace(key, *word);
  if (are_points_and_patches(words))
    throw InputError("--contact points: it excludes --law patch; leave one of them out");
  return words;
}

/// Sets a choice if the words have its key.
template <class Enum>
void choose(const ChosenWords& words, const char* key, const Choice& choice, Enum& value) {
  const auto word = words.find(key);
  if (word != words.end()) value = parse_choice<Enum>(choice, word->second);
}

double checked_mass_ratio(double value) {
  if (std::isfinite(value) && value >= 0.0) return value;
  throw InputError(fmt::format("--mass-ratio {}: it takes numbers >= 0; 0: true mass", value));
}

}  // namespace

void add_physics_options(CLI::App& app, PhysicsOptions& o) {
  app.add_option(
      "--preset", o.preset,
      "A paper's choices for all from --dynamics to --torsion-radius but --facets: " + alternatives(preset_choice()));
  app.add_option("--dynamics", o.dynamics, alternatives(dynamics_choice()));
  app.add_option("--law", o.law,
                 "Contact law: " + alternatives(law_words()) +
                     " (patch: coulomb, contact patch, and unless said otherwise cone quadratic, geometry end)");
  app.add_option("--cone", o.cone, "Friction cone: " + alternatives(cone_choice()));
  app.add_option("--facets", o.facets, "Facets of a pyramid, >= 3");
  app.add_option("--contact", o.contact,
                 "Friction at every point of a pair, or of its patch: " + alternatives(contact_choice()));
  app.add_option("--geometry", o.geometry, "Gaps and arms are those of a step's: " + alternatives(geometry_choice()));
  app.add_option("--rotation", o.rotation, "How free bodies turn in a step: " + alternatives(rotation_choice()));
  app.add_option("--torsion-radius", o.torsion_radius,
                 "Torsional friction of a patch: " + alternatives(torsion_radius_choice()));
  app.add_option("--mass-ratio", o.mass_ratio, "s of quasidynamic, >= 0; 0: true mass");
  app.add_option("--regions", o.regions,
                 "Points of touching pieces in one plane are one region: " + alternatives(regions_choice()));
  app.add_option("--equality", o.equality, "Welds and connects: " + alternatives(equality_choice()));
  app.add_option("--order", o.order,
                 "Of a step: solve velocities, or move bodies first: " + alternatives(order_choice()));
}

void apply_to_physics(const PhysicsOptions& options, PhysicsConfig& physics) {
  const ChosenWords words = spell_out(words_of(options));
  choose(words, "dynamics", dynamics_choice(), physics.dynamics);
  choose(words, "law", law_choice(), physics.law);
  choose(words, "cone", cone_choice(), physics.cone);
  choose(words, "contact", contact_choice(), physics.contact);
  choose(words, "geometry", geometry_choice(), physics.geometry);
  choose(words, "rotation", rotation_choice(), physics.rotation);
  choose(words, "torsion_radius", torsion_radius_choice(), physics.torsion_radius);
  if (options.mass_ratio) physics.mass_ratio = checked_mass_ratio(*options.mass_ratio);
  choose(words, "regions", regions_choice(), physics.regions);
  choose(words, "equality", equality_choice(), physics.equality);
  choose(words, "order", order_choice(), physics.order);
  if (!options.facets) return;
  physics.facets = checked_int("facets", *options.facets, 3);
  if (!takes_facets(physics.cone))
    throw InputError("--facets " + std::to_string(physics.facets) + ": cone " +
                     choice_name(cone_choice(), physics.cone) + " has none; add --cone pyramid, or leave it out");
}

}  // namespace stiction
