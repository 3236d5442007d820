// Where an environment starts: the scene's state and parameters, changed by its own random numbers.
#pragma once

#include "host/backend/backend.hpp"

namespace stiction {

/// Writes the start of environment `env` as global environment `id`, with an empty history, and those of its parameters
/// that the scene draws at random; the others stay.
void write_start(const Scene& scene, std::uint64_t id, int env, FieldWriter& out);

/// Writes all parameters and the start.
void write_initial_state(const Scene& scene, std::uint64_t id, int env, FieldWriter& out);

}  // namespace stiction
