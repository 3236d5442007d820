// What scene.toml adds to a model before it is compiled: settings of the compiler, position actuators.
#pragma once

#include <vector>

#include "host/scene/model_reading.hpp"
#include "host/scene/mujoco_functions.hpp"

namespace stiction {

/// Replaces the model's settings of MuJoCo's compiler by those that are given.
void apply_settings(const CompilerSettings& settings, mjSpec* spec);

/// Adds the actuators, each called after its joint: first those that name a joint, then those of all joints that are
/// left: hinges and slides that no actuator acts on and no equality ties to another joint. Throws InputError.
void add_actuators(const std::vector<AddedActuator>& actuators, mjSpec* spec);

}  // namespace stiction
