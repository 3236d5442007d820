// Rays that are cast in every environment of a batch, and what they meet, in memory of its own.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "host/model/env_field.hpp"

namespace stiction {

/// What the distance of a ray is: the way to the surface, with geom and normal, and -1 where nothing is met; or, alone,
/// the multiple of the ray's direction, and infinity where nothing is met: the depth of a picture whose rays have
/// length 1 along the optical axis.
enum class RayAnswer { kHits, kDepth };

/// Rays o + t d, t >= 0. Their frame is fixed to a body; that of the world is the default.
struct Rays {
  int count = 0;                  // of each environment
  bool own = false;               // true: every environment has its own rays
  std::vector<double> origin;     // [m]                      (count, 3), or (batch, count, 3) with `own`
  std::vector<double> direction;  // of any length but 0      as `origin`
  int frame_body = 0;
  std::array<double, 3> frame_pos = {0, 0, 0};              // in the body's frame [m]
  std::array<double, 4> frame_quat = {1, 0, 0, 0};          //
  std::vector<int> hidden_bodies;                           // rays pass through their geoms
  double cutoff = std::numeric_limits<double>::infinity();  // what is farther is not met, in units of the answer
  RayAnswer answer = RayAnswer::kHits;
};

/// What the rays of all environments met; only `distance` for RayAnswer::kDepth.
struct RayHits {
  std::shared_ptr<void> owner;  // owns the memory
  FieldMemory distance;         // [m]                              (batch, count)
  FieldMemory geom;             // -1: none                         (batch, count)
  FieldMemory normal;           // outward, world axes; 0: none     (batch, count, 3)
};

}  // namespace stiction
