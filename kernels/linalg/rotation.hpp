// Rotations: the exponential and the logarithm of SO(3), and what follows from them.
#pragma once

#include <cmath>

#include "kernels/linalg/vec3.hpp"

namespace stiction {

template <class Real>
ST_SMALL Quat<Real> load_quat(const Real* p) {
  return {p[0], p[1], p[2], p[3]};
}
/// q in another precision.
template <class To, class From>
ST_SMALL Quat<To> in_precision(const Quat<From>& q) {
  return {static_cast<To>(q.w), static_cast<To>(q.x), static_cast<To>(q.y), static_cast<To>(q.z)};
}
template <class Real>
ST_SMALL void store_quat(Real* p, const Quat<Real>& q) {
  p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
}
template <class Real>
ST_SMALL Quat<Real> operator*(const Quat<Real>& a, const Quat<Real>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
/// The inverse rotation.
template <class Real>
ST_SMALL Quat<Real> conjugate(const Quat<Real>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class Real>
ST_SMALL Quat<Real> normalise(const Quat<Real>& q) {
  const Real length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(length > Real(0))) return {Real(1), Real(0), Real(0), Real(0)};
  const Real s = Real(1) / length;
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
/// normalise() for a product of unit quaternions. Its square n is 1 but for rounding, and 1/√n is 1 − (n − 1)/2 to
/// second order.
template <class Real>
ST_SMALL Quat<Real> renormalise(const Quat<Real>& q) {
  constexpr Real kRounding = sizeof(Real) == 8 ? Real(1e-8) : Real(1e-4);
  const Real beyond = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - Real(1);
  if (!(std::fabs(beyond) <= kRounding)) return normalise(q);
  const Real s = Real(1) - Real(0.5) * beyond;
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
template <class Real>
ST_SMALL Mat3<Real> to_matrix(const Quat<Real>& q) {
  const Real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, ww = q.w * q.w;
  const Real xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const Real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  const Real two = Real(2);
  return {{ww + xx - yy - zz, two * (xy - wz), two * (xz + wy), two * (xy + wz), ww - xx + yy - zz, two * (yz - wx),
           two * (xz - wy), two * (yz + wx), ww - xx - yy + zz}};
}
template <class Real>
ST_SMALL Vec3<Real> rotate(const Quat<Real>& q, const Vec3<Real>& v) {
  return to_matrix(q) * v;
}
/// exp of the rotation vector w [rad] as a quaternion.
template <class Real>
ST_FN Quat<Real> exp_quat(const Vec3<Real>& w) {
  const Real angle = norm(w);
  const Real half = Real(0.5) * angle, sine = std::sin(half), cosine = std::cos(half);  // compilers call sincos
  // sin(half)/angle -> 1/2 - angle²/48 near zero
  const Real s = angle > Real(1e-6) ? sine / angle : Real(0.5) - angle * angle / Real(48);
  return {cosine, s * w.x, s * w.y, s * w.z};
}

/// The rotation by `angle` [rad] about a unit vector.
template <class Real>
ST_FN Quat<Real> turn_about(const Vec3<Real>& axis, Real angle) {
  const Real half = Real(0.5) * angle, sine = std::sin(half), cosine = std::cos(half);  // compilers call sincos
  return {cosine, sine * axis.x, sine * axis.y, sine * axis.z};
}

/// V(θ) v for the rotation vector θ [rad].
template <class Real>
ST_FN Vec3<Real> left_jacobian(const Vec3<Real>& theta, const Vec3<Real>& v) {
  const Real angle = norm(theta), squared = angle * angle;
  const bool small = angle < Real(1e-2);
  // series: (1 − cos θ)/θ² = 1/2 − θ²/24 + θ⁴/720,  (θ − sin θ)/θ³ = 1/6 − θ²/120 + θ⁴/5040
  const Real a =
      small ? Real(0.5) - squared / Real(24) + squared * squared / Real(720) : (Real(1) - std::cos(angle)) / squared;
  const Real b = small ? Real(1) / Real(6) - squared / Real(120) + squared * squared / Real(5040)
                       : (angle - std::sin(angle)) / (squared * angle);
  const Vec3<Real> turned = cross(theta, v);
  return v + a * turned + b * cross(theta, turned);
}

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

/// The rotation in body axes that turns the quaternion q to `rest` [rad].
template <class Real>
ST_FN Vec3<Real> turn_to_rest(const Real* q, const Real* rest) {
  const Quat<Real> turned = normalise(load_quat(q)), target = normalise(load_quat(rest));
  return rotation_vector(conjugate(turned) * target);
}

/// The unit quaternion of cay(θ).
template <class Real>
ST_FN Quat<Real> cayley_quat(const Vec3<Real>& theta) {
  const Vec3<Real> half = Real(0.5) * theta;
  return normalise(Quat<Real>{Real(1), half.x, half.y, half.z});
}

/// The unit quaternion of a turn by θ in one step: exp(θ), or cay(θ), which is what normalise(q + ½ θ q) turns by.
template <class Real>
ST_FN Quat<Real> turn_quat(bool linear, const Vec3<Real>& theta) {
  return linear ? cayley_quat(theta) : exp_quat(theta);
}

}  // namespace stiction
