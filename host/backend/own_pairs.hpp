// Candidate pairs of a robot with itself: the links of a hand stay near each other wherever they go.
#pragma once

#include <vector>

#include "host/model/model.hpp"

namespace stiction {

/// Both geoms of one kinematic tree, or of trees and geoms of the static or mocap body that carries them; nothing is
/// carried by the world itself, except in a URDF (as in host/scene/resting_overlaps.cpp).
struct OwnPairs {
  int count = 0;
  int moving_geoms = 0;    // geoms of the trees below
  std::vector<char> tree;  // whether the tree has any (ntree)
};

OwnPairs find_own_pairs(const Model& model);

}  // namespace stiction
