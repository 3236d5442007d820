// The choices of `preset = "ecp"` for scenes that tests make: the law of Xie and Chakraborty.
#pragma once

#include "host/scene/scene.hpp"

namespace stiction::test {

inline void choose_ecp(PhysicsConfig& physics) {
  physics.dynamics = Dynamics::kDynamic;
  physics.law = ContactLaw::kCoulomb;
  physics.cone = ConeType::kQuadratic;
  physics.contact = ContactModel::kPatch;
  physics.geometry = ContactGeometry::kEnd;
  physics.rotation = Rotation::kLinear;
}

}  // namespace stiction::test
