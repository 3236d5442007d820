// Contact regions of the reference: of the points that two bodies have in one plane, only the corners stay, if one of
// the bodies has pieces that touch (docs/adr/0228).
//
// Written in the plane and with sorted points, where the kernels add one corner after the other.
#pragma once

#include "host/reference/step.hpp"

namespace stiction::reference {

/// The points without those that are no corners of their region; their order stays.
std::vector<ContactInput> keep_corners(const Model& model, const Kinematics& kinematics, const FreeVelocity& free,
                                       const std::vector<ContactInput>& points);

}  // namespace stiction::reference
