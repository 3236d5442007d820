// Where an environment starts: the scene's state and parameters, changed by its own random numbers.
#pragma once

#include "host/backend/backend.hpp"

namespace stiction {

/// Writes start, parameters and an empty history of environment `env`, randomised as global environment `id`.
void write_initial_state(const Scene& scene, std::uint64_t id, int env, Backend& backend);

}  // namespace stiction
