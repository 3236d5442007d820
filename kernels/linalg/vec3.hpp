// Vectors of three, 3 x 3 matrices (row-major) and unit quaternions (w, x, y, z).
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

template <class Real>
struct Vec3 {
  Real x, y, z;

  ST_FN Real& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  ST_FN const Real& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  ST_FN Vec3 operator-() const { return {-x, -y, -z}; }
  ST_FN Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  ST_FN Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
};

template <class Real>
ST_FN Vec3<Real> operator+(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
ST_FN Vec3<Real> operator-(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
ST_FN Vec3<Real> operator*(Real s, const Vec3<Real>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
ST_FN Vec3<Real> operator*(const Vec3<Real>& a, Real s) {
  return s * a;
}
template <class Real>
ST_FN Real dot(const Vec3<Real>& a, const Vec3<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
ST_FN Vec3<Real> cross(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
ST_FN Real norm_squared(const Vec3<Real>& a) {
  return dot(a, a);
}
template <class Real>
ST_FN Real norm(const Vec3<Real>& a) {
  return std::sqrt(dot(a, a));
}
template <class Real>
ST_FN Vec3<Real> load3(const Real* p) {
  return {p[0], p[1], p[2]};
}
template <class Real>
ST_FN void store3(Real* p, const Vec3<Real>& a) {
  p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

/// Row-major 3 x 3 matrix; as a rotation R_WB its columns are the axes of B in W.
template <class Real>
struct Mat3 {
  Real m[9];

  ST_FN Real& operator()(int row, int column) { return m[3 * row + column]; }
  ST_FN const Real& operator()(int row, int column) const { return m[3 * row + column]; }
  ST_FN Vec3<Real> row(int i) const { return {m[3 * i], m[3 * i + 1], m[3 * i + 2]}; }
  ST_FN Vec3<Real> column(int j) const { return {m[j], m[3 + j], m[6 + j]}; }
};

template <class Real>
ST_FN Vec3<Real> operator*(const Mat3<Real>& a, const Vec3<Real>& v) {
  return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
/// Aᵀ v
template <class Real>
ST_FN Vec3<Real> transpose_mul(const Mat3<Real>& a, const Vec3<Real>& v) {
  return {dot(a.column(0), v), dot(a.column(1), v), dot(a.column(2), v)};
}
template <class Real>
ST_FN Mat3<Real> operator*(const Mat3<Real>& a, const Mat3<Real>& b) {
  Mat3<Real> c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c(i, j) = dot(a.row(i), b.column(j));
  return c;
}
template <class Real>
ST_FN Mat3<Real> from_rows(const Vec3<Real>& r0, const Vec3<Real>& r1, const Vec3<Real>& r2) {
  return {{r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z}};
}

/// Unit quaternion, w first.
template <class Real>
struct Quat {
  Real w, x, y, z;
};

template <class Real>
ST_FN Quat<Real> load_quat(const Real* p) {
  return {p[0], p[1], p[2], p[3]};
}
template <class Real>
ST_FN void store_quat(Real* p, const Quat<Real>& q) {
  p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
}
template <class Real>
ST_FN Quat<Real> operator*(const Quat<Real>& a, const Quat<Real>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
/// The inverse rotation.
template <class Real>
ST_FN Quat<Real> conjugate(const Quat<Real>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class Real>
ST_FN Quat<Real> normalise(const Quat<Real>& q) {
  const Real length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(length > Real(0))) return {Real(1), Real(0), Real(0), Real(0)};
  const Real s = Real(1) / length;
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
template <class Real>
ST_FN Mat3<Real> to_matrix(const Quat<Real>& q) {
  const Real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, ww = q.w * q.w;
  const Real xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const Real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  const Real two = Real(2);
  return {{ww + xx - yy - zz, two * (xy - wz), two * (xz + wy), two * (xy + wz), ww - xx + yy - zz, two * (yz - wx),
           two * (xz - wy), two * (yz + wx), ww - xx - yy + zz}};
}
template <class Real>
ST_FN Vec3<Real> rotate(const Quat<Real>& q, const Vec3<Real>& v) {
  return to_matrix(q) * v;
}
/// exp of the rotation vector w [rad] as a quaternion.
template <class Real>
ST_FN Quat<Real> exp_quat(const Vec3<Real>& w) {
  const Real angle = norm(w);
  const Real half = Real(0.5) * angle;
  // sin(half)/angle -> 1/2 - angle²/48 near zero
  const Real s = angle > Real(1e-6) ? std::sin(half) / angle : Real(0.5) - angle * angle / Real(48);
  return {std::cos(half), s * w.x, s * w.y, s * w.z};
}

}  // namespace stiction
