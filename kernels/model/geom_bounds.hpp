// Bounds of a geom of its own shape, about the origin of its frame.
//
//   r, b      radius of the bounding sphere [m], half lengths of the bounding box [m]
//   sphere    r = s0              b = (s0, s0, s0)          cylinder    r = √(s0² + s1²)   b = (s0, s0, s1)
//   capsule   r = s0 + s1         b = (s0, s0, r)           box         r = |s|            b = s
//   ellipsoid r = max s           b = s                     plane, mesh: not by their sizes; nothing is written
#pragma once

#include <cmath>

#include "kernels/linalg/scalar.hpp"
#include "kernels/linalg/vec3.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

/// r to `radius` and b to `half` (3) of a geom with sizes `size` (3).
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
    case GeomType::kPlane:  // without end
    case GeomType::kMesh:   // bounded by its vertices
      return;
  }
}

}  // namespace stiction
