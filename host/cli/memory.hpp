// The memory that a simulator needs, and whether there is enough.
#pragma once

#include <cstddef>

#include "host/api/simulator.hpp"
#include "host/backend/fitting.hpp"

namespace stiction {

/// Bytes of the model's arrays, in double.
std::size_t model_bytes(const Model& model);
/// Bytes that one environment keeps between steps (kernels/model/env_fields.inc).
std::size_t env_bytes(const Scene& scene, Dtype dtype);

/// Throws OutOfMemory if a batch on the host would not fit (host/backend/fitting.hpp).
void check_memory(const Scene& scene, const SimulatorOptions& options);

}  // namespace stiction
