// Vectors of three, 3 x 3 matrices (row-major) and unit quaternions (w, x, y, z).
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

template <class Real>
struct Vec3 {
  Real x, y, z;

  ST_SMALL Real& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  ST_SMALL const Real& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  ST_SMALL Vec3 operator-() const { return {-x, -y, -z}; }
  ST_SMALL Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  ST_SMALL Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
};

template <class Real>
ST_SMALL Vec3<Real> operator+(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
ST_SMALL Vec3<Real> operator-(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
ST_SMALL Vec3<Real> operator*(Real s, const Vec3<Real>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
ST_SMALL Vec3<Real> operator*(const Vec3<Real>& a, Real s) {
  return s * a;
}
template <class Real>
ST_SMALL Real dot(const Vec3<Real>& a, const Vec3<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
ST_SMALL Vec3<Real> cross(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
ST_SMALL Real norm_squared(const Vec3<Real>& a) {
  return dot(a, a);
}
template <class Real>
ST_SMALL Real norm(const Vec3<Real>& a) {
  return std::sqrt(dot(a, a));
}
template <class Real>
ST_SMALL Vec3<Real> load3(const Real* p) {
  return {p[0], p[1], p[2]};
}
template <class Real>
ST_SMALL void store3(Real* p, const Vec3<Real>& a) {
  p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

/// a in another precision.
template <class To, class From>
ST_SMALL Vec3<To> in_precision(const Vec3<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

/// Row-major 3 x 3 matrix; as a rotation R_WB its columns are the axes of B in W.
template <class Real>
struct Mat3 {
  Real m[9];

  ST_SMALL Real& operator()(int row, int column) { return m[3 * row + column]; }
  ST_SMALL const Real& operator()(int row, int column) const { return m[3 * row + column]; }
  ST_SMALL Vec3<Real> row(int i) const { return {m[3 * i], m[3 * i + 1], m[3 * i + 2]}; }
  ST_SMALL Vec3<Real> column(int j) const { return {m[j], m[3 + j], m[6 + j]}; }
};

template <class Real>
ST_SMALL Vec3<Real> operator*(const Mat3<Real>& a, const Vec3<Real>& v) {
  return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
/// Aᵀ v
template <class Real>
ST_SMALL Vec3<Real> transpose_mul(const Mat3<Real>& a, const Vec3<Real>& v) {
  return {dot(a.column(0), v), dot(a.column(1), v), dot(a.column(2), v)};
}
template <class Real>
ST_SMALL Mat3<Real> operator*(const Mat3<Real>& a, const Mat3<Real>& b) {
  Mat3<Real> c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c(i, j) = dot(a.row(i), b.column(j));
  return c;
}
template <class Real>
ST_SMALL Mat3<Real> from_rows(const Vec3<Real>& r0, const Vec3<Real>& r1, const Vec3<Real>& r2) {
  return {{r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z}};
}

/// Unit quaternion, w first.
template <class Real>
struct Quat {
  Real w, x, y, z;
};

}  // namespace stiction
