// How a rigid body spins on without torque: implicit midpoint of Euler's equations, in body axes.
//
//   I (ω⁺ − ω) + h ω̄ × I ω̄ = 0,   ω̄ = (ω + ω⁺)/2
//
// Multiplied by ω̄ᵀ and by (I ω̄)ᵀ, it gives ½ ω⁺ᵀIω⁺ = ½ ωᵀIω and ‖I ω⁺‖ = ‖I ω‖ for every h (ADR 0502). It is solved
// for ω̄ by Newton's method,
//
//   F(ω̄) = I (ω̄ − ω) + s ω̄ × I ω̄,   ∂F/∂ω̄ = I + s ([ω̄]× I − [I ω̄]×),   s = tan(h ‖ω‖/2)/‖ω‖,
//
// which starts at ω, in n = ⌈h ‖ω‖⌉ equal parts: with s ‖ω‖ ≤ 0.55 five iterations reach rounding, because principal
// moments obey the triangle inequality. After a turn of 64 rad the direction of the spin in the body has no meaning any
// more, and ω⁺ is that after 64 rad.
//
// s is h/2 to second order. The body is turned by Cayley's map, by 2 atan(s ‖ω̄‖), so that a spin next to a principal
// axis turns it by h ‖ω‖, as a spin about that axis does.
//
//   symbol  variable  shape    unit
//   I       inertia   (3, 3)   about a point that no torque-free spin moves [kg m²]
//   ω       spin      (3)      body axes [rad/s]
//   -       mean      (3)      body axes; exp(h mean) turns the body as all parts together do [rad/s]
#pragma once

#include "kernels/linalg/rotation.hpp"
#include "kernels/linalg/scalar.hpp"

namespace stiction {

/// A spin over a step.
template <class Real>
struct SpinMotion {
  Vec3<Real> mean, end;  // body axes [rad/s]
};

namespace dynamics_detail {

constexpr int kMostSpinParts = 64;
constexpr int kMostSpinIterations = 8;

/// A few rounding errors, relative [-].
template <class Real>
constexpr Real kSpinRounding = sizeof(Real) == 8 ? Real(1e-15) : Real(5e-7);

/// ∂F/∂ω̄.
template <class Real>
ST_FN Mat3<Real> spin_derivative(const Mat3<Real>& inertia, const Vec3<Real>& mean, Real s) {
  const Vec3<Real> momentum = inertia * mean;
  Mat3<Real> J;
  for (int k = 0; k < 3; ++k) {
    Vec3<Real> axis = {Real(0), Real(0), Real(0)};
    axis[k] = Real(1);
    const Vec3<Real> own = inertia.column(k);
    const Vec3<Real> column = own + s * (cross(mean, own) - cross(momentum, axis));
    for (int i = 0; i < 3; ++i) J(i, k) = column[i];
  }
  return J;
}

/// J⁻¹ b by cross products of rows.
template <class Real>
ST_FN Vec3<Real> solve3(const Mat3<Real>& J, const Vec3<Real>& b) {
  const Vec3<Real> a0 = cross(J.row(1), J.row(2)), a1 = cross(J.row(2), J.row(0)), a2 = cross(J.row(0), J.row(1));
  return (Real(1) / dot(J.row(0), a0)) * (b.x * a0 + b.y * a1 + b.z * a2);
}

/// ω⁺ and ω̄ of one part; energy that rounding adds is removed again.
template <class Real>
ST_APART SpinMotion<Real> spin_by_midpoint(const Mat3<Real>& inertia, const Vec3<Real>& spin, Real h) {
  const Real s = Real(0.5) * h;
  const Vec3<Real> momentum = inertia * spin;
  Vec3<Real> mean = spin;
  for (int k = 0; k < kMostSpinIterations; ++k) {
    const Vec3<Real> turned = inertia * mean;
    const Vec3<Real> residual = turned - momentum + s * cross(mean, turned);
    const Vec3<Real> change = solve3(spin_derivative(inertia, mean, s), residual);
    mean -= change;
    if (norm(change) <= kSpinRounding<Real> * norm(mean)) break;
  }
  const Vec3<Real> next = Real(2) * mean - spin;
  const Real before = dot(spin, momentum), after = dot(next, inertia * next);
  if (after <= before) return {mean, next};
  if (!(after < Real(4) * before)) return {spin, spin};  // NaN, or no solution
  return {mean, std::sqrt(before / after) * next};
}

}  // namespace dynamics_detail

/// False for a spin about a principal axis, which does not change.
template <class Real>
ST_FN bool spin_changes(const Mat3<Real>& inertia, const Vec3<Real>& spin) {
  const Vec3<Real> momentum = inertia * spin;
  return norm(cross(spin, momentum)) > Real(4) * dynamics_detail::kSpinRounding<Real> * norm(spin) * norm(momentum);
}

/// The motion over h [s]. A spin about a principal axis keeps all its bits.
template <class Real>
ST_FN SpinMotion<Real> spin_without_torque(const Mat3<Real>& inertia, const Vec3<Real>& spin, Real h) {
  const Real trace = inertia(0, 0) + inertia(1, 1) + inertia(2, 2);
  if (!(trace > Real(0))) return {spin, spin};
  Mat3<Real> scaled;  // so that no product of three moments underflows
  for (int i = 0; i < 9; ++i) scaled.m[i] = inertia.m[i] / trace;
  if (!spin_changes(scaled, spin)) return {spin, spin};
  const Real rate = norm(spin), turn = h * rate, most = Real(dynamics_detail::kMostSpinParts);
  const int parts = turn < most ? static_cast<int>(std::ceil(turn)) : dynamics_detail::kMostSpinParts;
  const Real part = (turn < most ? h : most / rate) / Real(parts);
  Quat<Real> turned = {Real(1), Real(0), Real(0), Real(0)};
  Vec3<Real> way = {Real(0), Real(0), Real(0)}, next = spin;
  const Real stretched = Real(2) * std::tan(Real(0.5) * part * rate) / rate;  // 2 s
  for (int i = 0; i < parts; ++i) {
    const SpinMotion<Real> motion = dynamics_detail::spin_by_midpoint(scaled, next, stretched);
    turned = turned * cayley_quat(stretched * motion.mean);
    way += part * motion.mean;
    next = motion.end;
  }
  return {(Real(1) / (part * Real(parts))) * whole_rotation_vector(turned, way), next};
}

}  // namespace stiction
