// Starts that are nearly right: joints outside their limits, bodies that overlap.
#pragma once

#include <string>
#include <vector>

#include "host/api/infeasibility.hpp"

namespace stiction {

/// What the scene's start violates by more than 1e-5 m or rad before anything is drawn, worst first.
std::vector<Infeasibility> find_start_violations(const Scene& scene);

/// "at the start joint elbow is beyond its limit by 0.52 rad, and 2 more; ..." with a way out where the model has
/// keyframes; empty without violations.
std::string describe_start_violations(const Scene& scene, const std::vector<Infeasibility>& violations);

}  // namespace stiction
