// From the name of a device to what runs there.
#pragma once

#include <memory>

#include "host/api/simulator.hpp"
#include "host/backend/backend.hpp"

namespace stiction {

/// auto: a usable GPU, else the host. Throws InputError for an unknown device, or one that is not usable here.
std::unique_ptr<Backend> make_backend(const Scene& scene, const Capacity& capacity, const SimulatorOptions& options);

}  // namespace stiction
