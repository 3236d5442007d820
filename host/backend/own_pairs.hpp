// Candidate pairs of a robot with itself, whose links stay near each other wherever they go, and of two robots, which
// work at one place.
#pragma once

#include <vector>

#include "host/model/model.hpp"

namespace stiction {

/// Pairs whose geoms both belong to one kinematic tree, or to trees and geoms of the static or mocap body that carries
/// them. The world itself carries nothing, except in a URDF (as in host/scene/resting_overlaps.cpp). Trees that have
/// such pairs are robots, and the pairs of two robots count as well.
struct OwnPairs {
  int count = 0;           // of both kinds
  int wide_between = 0;    // of two robots, with more than kFewPoints contact points each
  int moving_geoms = 0;    // number of geoms of the trees that have such pairs
  std::vector<char> tree;  // 1 if the tree has such pairs (ntree)
};

OwnPairs find_own_pairs(const Model& model);

}  // namespace stiction
