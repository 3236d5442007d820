// Memory that a simulator takes, and that there is.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>

#include "host/api/simulator.hpp"

namespace stiction {

/// Of the model's arrays, in double.
std::size_t model_bytes(const Model& model);
/// Of what one environment keeps between steps (kernels/model/env_fields.inc).
std::size_t env_bytes(const Scene& scene, Dtype dtype);
/// That the system can give to this process; none where it does not say.
std::optional<std::size_t> available_bytes();

/// Throws OutOfMemory if a batch on the host would not fit, with the number of environments that would.
void check_memory(const Scene& scene, const SimulatorOptions& options);

/// More memory than there is: exit code 1.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stiction
