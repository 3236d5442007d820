// The choices of [physics] on the command line; unset options leave the scene's value.
#pragma once

#include <optional>
#include <string>

#include "host/scene/scene.hpp"

namespace CLI {
class App;
}

namespace stiction {

/// The words of the options by their keys in scene.toml.
struct PhysicsOptions {
  std::optional<std::string> preset, dynamics, law, cone, contact, geometry, rotation, torsion_radius, regions,
      equality, order;
  std::optional<long long> facets;
  std::optional<double> mass_ratio;
};

/// Adds --preset to --torsion-radius, and --mass-ratio.
void add_physics_options(CLI::App& app, PhysicsOptions& options);

/// Sets what the options say. --preset and --law patch set several choices of the scene; other options take precedence
/// over what these two stand for. Throws InputError.
void apply_to_physics(const PhysicsOptions& options, PhysicsConfig& physics);

}  // namespace stiction
