// How many slots an environment gets: what the scene says, or enough for several times the usual number of contacts.
#pragma once

#include "host/scene/scene.hpp"
#include "kernels/model/env_view.hpp"

namespace stiction {

Capacity choose_capacity(const Scene& scene);

}  // namespace stiction
