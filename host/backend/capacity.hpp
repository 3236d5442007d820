// How many slots an environment gets: as many as the scene says, or enough for several times the usual number of
// contacts.
#pragma once

#include "host/scene/scene.hpp"
#include "kernels/model/env_view.hpp"

namespace stiction {

/// The number of contacts if every candidate pair had as many points as it may have.
int most_points(const Scene& scene);

Capacity choose_capacity(const Scene& scene);

}  // namespace stiction
