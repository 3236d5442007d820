// Checks of grasps that a caller hands in.
#pragma once

#include "host/grasp/quality.hpp"

namespace stiction {

/// Throws InputError unless sizes, signs and directions are as quality.hpp says. What is beyond a grasp's count is not
/// looked at.
void check_grasps(const Grasps& grasps);

/// The number of contacts of a grasp.
int contacts_of(const Grasps& grasps, int grasp);

}  // namespace stiction
