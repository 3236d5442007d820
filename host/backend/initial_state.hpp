// The start of an environment: the scene's state and parameters, changed by the environment's own random numbers.
#pragma once

#include "host/backend/backend.hpp"
#include "host/scene/keyframes.hpp"

namespace stiction {

/// Writes the start of environments `ids`, each as global environment first_id + id and with an empty history, and
/// those of their parameters that the scene draws at random; other parameters do not change.
void write_start(const Scene& scene, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out);

/// The same, from keyframe k of the model; its control is held, unless the scene has a command of its own.
void write_keyframe(const Scene& scene, int k, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out);

/// Writes all parameters and the start.
void write_initial_state(const Scene& scene, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out);

}  // namespace stiction
