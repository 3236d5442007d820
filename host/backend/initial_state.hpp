// The start of an environment: the scene's state and parameters, changed by the environment's own random numbers.
#pragma once

#include "host/backend/backend.hpp"
#include "host/scene/keyframes.hpp"

namespace stiction {

/// Environments of a batch, each with the variant that it has or is to have (0 where the scene has none).
struct EnvironmentList {
  std::uint64_t first_id;  // global id of environment 0 of the batch
  std::span<const int> ids;
  std::span<const int> variants;  // one for each id
};

/// Writes the start of the environments, each as global environment first_id + id and with an empty history, and
/// those of their parameters that the scene draws at random; other parameters do not change.
void write_start(const Scene& scene, const EnvironmentList& list, FieldWriter& out);

/// The same, from keyframe k of the model; its control is held, unless the scene has a command of its own.
void write_keyframe(const Scene& scene, int k, const EnvironmentList& list, FieldWriter& out);

/// Gives the environments their variants: the parameters of variant_parameters.inc.
void write_variants(const Scene& scene, const EnvironmentList& list, FieldWriter& out);

/// Writes all parameters and the start, with the variants that the environments have at first.
void write_initial_state(const Scene& scene, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out);

}  // namespace stiction
