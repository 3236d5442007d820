// Where the time of a step goes: one environment on the host, stage after stage.
#pragma once

#include <array>

#include "host/scene/scene.hpp"
#include "kernels/step/stages.hpp"

namespace stiction {

/// Mean seconds of every stage over `steps` steps of environment 0, in double.
std::array<double, kStages> time_stages(const Scene& scene, int steps);

}  // namespace stiction
