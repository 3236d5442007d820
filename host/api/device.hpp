// Makes the backend for the name of a device.
#pragma once

#include <memory>

#include "host/api/simulator.hpp"
#include "host/backend/backend.hpp"

namespace stiction {

/// "auto" means a usable GPU, or the host if there is none. Throws InputError for a device that is unknown or not
/// usable here.
std::unique_ptr<Backend> make_backend(const Scene& scene, const Capacity& capacity, const SimulatorOptions& options);

}  // namespace stiction
