// The wrenches that the contacts of a grasp can exert on the object, one per edge of each friction cone.
//
//   edge of a cone     f_k = n + μ (cos(2πk/m) t + sin(2πk/m) o),  k = 0 ... m−1;   in a plane n ± μ t
//   wrench             w = (f_k, (p − c) × f_k / ρ);                                in a plane the torque is a number
//   torsion τ          two more: (n, ((p − c) × n ± τ n) / ρ)
//
//   symbol  meaning
//   n       normal of the contact, unit, into the object
//   p, c    the contact, and the point that torques are about [m]
//   ρ       length that torques are divided by [m]
//   t, o    tangents, right-handed with n
//
// After (7) of Miller and Christensen; every contact presses with a normal force of at most 1.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "kernels/collision/contact_frame.hpp"

namespace stiction {

/// A contact of a grasp in space; in a plane z is 0.
struct GraspContact {
  Vec3<double> position, normal, tangent;  // tangent: t, unit
  double friction, torsion;                // μ [-], τ [m]
};

/// Points of a D-dimensional space, one component after the other.
template <int D>
struct Points {
  std::array<std::vector<double>, D> component;

  int size() const { return static_cast<int>(component[0].size()); }
  void clear() {
    for (std::vector<double>& values : component) values.clear();
  }
  void get(int i, double (&point)[D]) const {
    for (int d = 0; d < D; ++d) point[d] = component[d][static_cast<std::size_t>(i)];
  }
  void add(const double (&point)[D]) {
    for (int d = 0; d < D; ++d) component[d].push_back(point[d]);
  }
};

/// About which point torques are, and what they are divided by.
struct TorqueUnit {
  Vec3<double> center;
  double length;  // [m]
};

/// Adds a force at a contact, and a torque of `twist` times its normal.
inline void add_wrench(const GraspContact& contact, const Vec3<double>& force, double twist, const TorqueUnit& unit,
                       Points<3>& wrenches) {
  const Vec3<double> torque = cross(contact.position - unit.center, force) + twist * contact.normal;
  wrenches.add({force.x, force.y, torque.z / unit.length});
}
inline void add_wrench(const GraspContact& contact, const Vec3<double>& force, double twist, const TorqueUnit& unit,
                       Points<6>& wrenches) {
  const Vec3<double> torque =
      (1.0 / unit.length) * (cross(contact.position - unit.center, force) + twist * contact.normal);
  wrenches.add({force.x, force.y, force.z, torque.x, torque.y, torque.z});
}

/// Adds the wrenches of a contact whose cone has `facets` edges; in a plane it has two.
template <int D>
void add_wrenches(const GraspContact& contact, int facets, const TorqueUnit& unit, Points<D>& wrenches) {
  const Vec3<double> n = contact.normal, t = contact.tangent, o = cross(n, t);
  if (contact.friction == 0.0) add_wrench(contact, n, 0.0, unit, wrenches);
  const int edges = contact.friction == 0.0 ? 0 : D == 3 ? 2 : facets;
  for (int k = 0; k < edges; ++k) {
    const double angle = 2.0 * M_PI * k / edges;
    const double along = D == 3 ? 1.0 - 2.0 * k : std::cos(angle), across = D == 3 ? 0.0 : std::sin(angle);
    add_wrench(contact, n + contact.friction * (along * t + across * o), 0.0, unit, wrenches);
  }
  if (contact.torsion == 0.0) return;
  for (const double sign : {1.0, -1.0}) add_wrench(contact, n, sign * contact.torsion, unit, wrenches);
}

}  // namespace stiction
