// The logarithm of a rotation.
#pragma once

#include <cmath>

#include "kernels/linalg/vec3.hpp"

namespace stiction {

/// Rotation vector of a unit quaternion [rad], angle in [0, π].
template <class Real>
ST_FN Vec3<Real> rotation_vector(const Quat<Real>& q) {
  const Real sign = q.w < Real(0) ? Real(-1) : Real(1);
  const Vec3<Real> imaginary = {sign * q.x, sign * q.y, sign * q.z};
  const Real s = norm(imaginary);
  const Real scale = s > Real(1e-6) ? Real(2) * std::atan2(s, sign * q.w) / s : Real(2);
  return scale * imaginary;
}

/// The rotation vector of q, with as many whole turns added as bring it nearest to `way` [rad].
template <class Real>
ST_FN Vec3<Real> whole_rotation_vector(const Quat<Real>& q, const Vec3<Real>& way) {
  const Vec3<Real> least = rotation_vector(q);
  const Real angle = norm(least), full = Real(6.283185307179586476925);
  if (!(angle > Real(0))) return way;
  const Vec3<Real> axis = (Real(1) / angle) * least;
  return (angle + full * std::round((dot(way, axis) - angle) / full)) * axis;
}

}  // namespace stiction
