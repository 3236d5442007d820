// Bounds of a geom from its shape and sizes, about the origin of its frame.
//
//   r, b      radius of the bounding sphere [m], half lengths of the bounding box [m]
//   sphere    r = s0              b = (s0, s0, s0)          cylinder    r = √(s0² + s1²)   b = (s0, s0, s1)
//   capsule   r = s0 + s1         b = (s0, s0, r)           box         r = |s|            b = s
//   ellipsoid r = max s           b = s                     plane, mesh: sizes do not bound them; nothing is written
#pragma once

#include <cmath>

#include "kernels/linalg/scalar.hpp"
#include "kernels/linalg/vec3.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

/// Writes r to `radius` and b to `half` (3), for a geom with sizes `size` (3).
template <class Real>
ST_FN void bound_geom(GeomType type, const Real* size, Real* radius, Real* half) {
  const Vec3<Real> s = load3(size);
  switch (type) {
    case GeomType::kSphere:
      *radius = s.x;
      return store3(half, {s.x, s.x, s.x});
    case GeomType::kCapsule:
      *radius = s.x + s.y;
      return store3(half, {s.x, s.x, s.x + s.y});
    case GeomType::kCylinder:
      *radius = std::sqrt(s.x * s.x + s.y * s.y);
      return store3(half, {s.x, s.x, s.y});
    case GeomType::kEllipsoid:
      *radius = larger(s.x, larger(s.y, s.z));
      return store3(half, s);
    case GeomType::kBox:
      *radius = norm(s);
      return store3(half, s);
    case GeomType::kPlane:  // unbounded
    case GeomType::kMesh:   // bounded by its vertices
      return;
  }
}

}  // namespace stiction
