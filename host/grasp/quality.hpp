// How well grasps hold: force closure, the largest wrench that any disturbance may have, and the volume of what can be
// resisted. The wrenches are those of wrenches.hpp, ε is that of wrench_hull.hpp.
#pragma once

#include <cstdint>
#include <vector>

namespace stiction {

/// Grasps, each with up to `contacts` contacts.
struct Grasps {
  int batch = 0;
  int contacts = 0;   // room for contacts of a grasp
  int dimension = 3;  // 3, or 2 in a plane
  int facets = 8;     // edges of a friction cone in space, at least 3

  std::vector<double> position;  // [m]                                                (batch, contacts, dimension)
  std::vector<double> normal;    // into the object, of any length but zero            (batch, contacts, dimension)
  std::vector<double> friction;  // μ >= 0 [-]                                         (batch, contacts)
  std::vector<double> torsion;   // τ >= 0 [m], 0 in a plane                           (batch, contacts)
  std::vector<double> tangent;   // of the first edge; empty: MuJoCo's frame           (batch, contacts, 3)
  std::vector<double> center;    // that torques are about [m]                         (batch, dimension)
  std::vector<double> length;    // ρ > 0 that torques are divided by [m]              (batch)
  std::vector<int> count;        // contacts of a grasp, the first ones; empty: all    (batch)
};

struct GraspQualityOptions {
  bool volume = false;
  int threads = 0;  // 0: all cores
};

/// One value a grasp.
struct GraspQuality {
  std::vector<std::uint8_t> closure;  // the origin is inside the hull of the wrenches, by more than 1e-9 of the longest
  std::vector<double> epsilon;        // ε, the distance of the hull's border from the origin; 0 without closure
  std::vector<double> lower, upper;   // that bracket ε
  std::vector<double> volume;  // of the hull; NaN if it has hundreds of thousands of facets; empty unless asked for
};

/// Throws InputError with the grasp and contact of the first number that is not finite or out of range.
GraspQuality grasp_quality(const Grasps& grasps, const GraspQualityOptions& options);

}  // namespace stiction
