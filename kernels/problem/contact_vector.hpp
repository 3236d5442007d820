// An impulse or a velocity of one contact, and symmetric matrices of them.
//
//   n, t, o   normal and the two tangents                                 [N s], [m/s]
//   r         about the normal: torque over the contact's radius, spin times it; 0 without torsion   [N s], [m/s]
//
// Arrays hold `dim` entries per contact, 3 or 4, the dimension of the problem
// (docs/adr/0402-torsion-is-a-fourth-row.md).
#pragma once

#include "kernels/linalg/vec3.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct ContactVector {
  Real n, t, o, r;

  ST_FN Vec3<Real> nto() const { return {n, t, o}; }
};

template <class Real>
ST_FN ContactVector<Real> without_torsion(const Vec3<Real>& a) {
  return {a.x, a.y, a.z, Real(0)};
}

template <class Real>
ST_FN ContactVector<Real> operator+(const ContactVector<Real>& a, const ContactVector<Real>& b) {
  return {a.n + b.n, a.t + b.t, a.o + b.o, a.r + b.r};
}
template <class Real>
ST_FN ContactVector<Real> operator-(const ContactVector<Real>& a, const ContactVector<Real>& b) {
  return {a.n - b.n, a.t - b.t, a.o - b.o, a.r - b.r};
}
template <class Real>
ST_FN ContactVector<Real> operator*(Real s, const ContactVector<Real>& a) {
  return {s * a.n, s * a.t, s * a.o, s * a.r};
}
template <class Real>
ST_FN Real dot(const ContactVector<Real>& a, const ContactVector<Real>& b) {
  return a.n * b.n + a.t * b.t + a.o * b.o + a.r * b.r;
}
template <class Real>
ST_FN Real norm(const ContactVector<Real>& a) {
  return std::sqrt(dot(a, a));
}
/// ‖(t, o, r)‖
template <class Real>
ST_FN Real norm_of_friction(const ContactVector<Real>& a) {
  return std::sqrt(a.t * a.t + a.o * a.o + a.r * a.r);
}

/// Contact i of an array with `dim` entries per contact.
template <class Real>
ST_FN ContactVector<Real> load_contact(const Real* a, int dim, int i) {
  const Real* p = a + static_cast<std::ptrdiff_t>(dim) * i;
  return {p[0], p[1], p[2], dim == 4 ? p[3] : Real(0)};
}
template <class Real>
ST_FN void store_contact(Pointer<Real> a, int dim, int i, const ContactVector<Real>& x) {
  Real* p = a + static_cast<std::ptrdiff_t>(dim) * i;
  p[0] = x.n, p[1] = x.t, p[2] = x.o;
  if (dim == 4) p[3] = x.r;
}

/// Symmetric 3 x 3 matrix: nn, nt, no, tt, to, oo.
template <class Real>
struct Sym3 {
  Real nn, nt, no, tt, to, oo;
};

/// s a aᵀ
template <class Real>
ST_FN Sym3<Real> scaled_outer(Real s, const Vec3<Real>& a) {
  return {s * a.x * a.x, s * a.x * a.y, s * a.x * a.z, s * a.y * a.y, s * a.y * a.z, s * a.z * a.z};
}

/// a S
template <class Real>
ST_FN Sym3<Real> scaled(Real a, const Sym3<Real>& s) {
  return {a * s.nn, a * s.nt, a * s.no, a * s.tt, a * s.to, a * s.oo};
}

template <class Real>
ST_FN Vec3<Real> operator*(const Sym3<Real>& s, const Vec3<Real>& a) {
  return {s.nn * a.x + s.nt * a.y + s.no * a.z, s.nt * a.x + s.tt * a.y + s.to * a.z,
          s.no * a.x + s.to * a.y + s.oo * a.z};
}

/// Symmetric 4 x 4 matrix: the 3 x 3 matrix of n, t, o, and the column of r.
template <class Real>
struct Sym4 {
  Sym3<Real> nto;
  ContactVector<Real> r;
};

/// s a aᵀ
template <class Real>
ST_FN Sym4<Real> scaled_outer(Real s, const ContactVector<Real>& a) {
  return {scaled_outer(s, a.nto()), (s * a.r) * a};
}

template <class Real>
ST_FN Sym4<Real> operator+(const Sym4<Real>& a, const Sym4<Real>& b) {
  const Sym3<Real>&x = a.nto, &y = b.nto;
  return {{x.nn + y.nn, x.nt + y.nt, x.no + y.no, x.tt + y.tt, x.to + y.to, x.oo + y.oo}, a.r + b.r};
}

/// a S
template <class Real>
ST_FN Sym4<Real> scaled(Real a, const Sym4<Real>& s) {
  return {scaled(a, s.nto), a * s.r};
}

template <class Real>
ST_FN ContactVector<Real> operator*(const Sym4<Real>& s, const ContactVector<Real>& a) {
  const Vec3<Real> nto = s.nto * a.nto() + a.r * s.r.nto();
  return {nto.x, nto.y, nto.z, dot(s.r, a)};
}

/// First column of S.
template <class Real>
ST_FN ContactVector<Real> first_column(const Sym4<Real>& s) {
  return {s.nto.nn, s.nto.nt, s.nto.no, s.r.n};
}

}  // namespace stiction
