// Spatial vectors and inertias, in world axes about one point c per kinematic tree.
//
//   twist  V = (ω, v_c)        wrench F = (τ_c, f)        inertia I = (m, m p_cC, Ī_c)
//   I V = (Ī_c ω + m p × v_c,  m v_c + ω × m p)
//   V × S = (ω × s_ω, ω × s_v + v_c × s_ω)        V ×* F = (ω × τ + v_c × f, ω × f)
//
// (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 2)
#pragma once

#include "kernels/linalg/vec3.hpp"

namespace stiction {

template <class Real>
struct Spatial {
  Vec3<Real> ang, lin;

  ST_SMALL Spatial& operator+=(const Spatial& b) {
    ang += b.ang;
    lin += b.lin;
    return *this;
  }
};

template <class Real>
ST_SMALL Spatial<Real> operator*(Real s, const Spatial<Real>& a) {
  return {s * a.ang, s * a.lin};
}
template <class Real>
ST_SMALL Real dot(const Spatial<Real>& a, const Spatial<Real>& b) {
  return dot(a.ang, b.ang) + dot(a.lin, b.lin);
}
template <class Real>
ST_SMALL Spatial<Real> cross_motion(const Spatial<Real>& V, const Spatial<Real>& S) {
  return {cross(V.ang, S.ang), cross(V.ang, S.lin) + cross(V.lin, S.ang)};
}
template <class Real>
ST_SMALL Spatial<Real> cross_force(const Spatial<Real>& V, const Spatial<Real>& F) {
  return {cross(V.ang, F.ang) + cross(V.lin, F.lin), cross(V.ang, F.lin)};
}

template <class Real>
struct SpatialInertia {
  Real mass;                    // [kg]
  Vec3<Real> moment;            // mass * p_cC [kg m]
  Real xx, yy, zz, xy, xz, yz;  // rotational inertia about c [kg m²]

  ST_SMALL SpatialInertia& operator+=(const SpatialInertia& b) {
    mass += b.mass;
    moment += b.moment;
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
};

template <class Real>
ST_SMALL Spatial<Real> operator*(const SpatialInertia<Real>& I, const Spatial<Real>& V) {
  const Vec3<Real>& w = V.ang;
  const Vec3<Real> turned = {I.xx * w.x + I.xy * w.y + I.xz * w.z, I.xy * w.x + I.yy * w.y + I.yz * w.z,
                             I.xz * w.x + I.yz * w.y + I.zz * w.z};
  return {turned + cross(I.moment, V.lin), I.mass * V.lin + cross(w, I.moment)};
}

/// Inertia of a body: principal moments along the columns of R_WI at the offset p = p_cC from the point c.
template <class Real>
ST_FN SpatialInertia<Real> body_inertia_about(Real mass, const Vec3<Real>& principal, const Mat3<Real>& R_WI,
                                              const Vec3<Real>& p) {
  Real about[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Real sum = -mass * p[i] * p[j];
      for (int k = 0; k < 3; ++k) sum += R_WI(i, k) * principal[k] * R_WI(j, k);
      about[i][j] = sum + (i == j ? mass * norm_squared(p) : Real(0));
    }
  return {mass, mass * p, about[0][0], about[1][1], about[2][2], about[0][1], about[0][2], about[1][2]};
}

}  // namespace stiction
