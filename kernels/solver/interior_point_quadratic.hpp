// One contact with a quadratic cone in a Newton step of the interior point. With M = diag(1, μ_t, μ_o) both
//
//   s = M û + τ e_n  and  z = M⁻¹ λ                                                                   (1)
//
// are kept inside of the second-order cone L = {‖x_1‖ < x_0}, x = (x_0; x_1), in place of a facet's slack and
// multiplier. With the product x∘y = (x·y; x_0 y_1 + y_0 x_1), e = (1; 0), J = diag(1, −1, −1), det x = xᵀJ x and
// Nesterov and Todd's scaling W (W z = W⁻¹ s = ω) the central path is s∘z = t, linearised as
//
//   W⁻¹ Δs + W Δz = ω\t − ω,  Δs = M J Δv + e_n Δτ + r,  r = M û + τ e_n − s                            (2)
//   Δz = W⁻¹(ω\t) − z − W⁻² Δs                                                                        (3)
//   W_i = M W⁻² M,  f = M (W⁻¹(ω\t) − W⁻² r)                                                          (4)
//   W⁻² = (2 q qᵀ − J)/η²,  q = J w,  w = (s̄ + J z̄)/√(2 + 2 s̄·z̄),  η² = √(det s/det z)                 (5)
//   corrector: t = σμ e − (W⁻¹ Δs)∘(W Δz),  one product s·z a cone                                    (6)
//
// (s̄, z̄: divided by the root of their det.) Softening by the elastic τ as in interior_point_contact.hpp (4) to (6). An
// axis with μ = 0 has s_1 = 0 and so z_1 = 0 on the path: nothing special is needed.
//
//   symbol  variable       shape
//   s, z    slack, beta    (contacts, 3)
//   w       inverse_slack  (contacts, 3)
//   η       scaling        (contacts)
#pragma once

#include "kernels/solver/interior_point_state.hpp"

namespace stiction {

namespace quadratic_detail {

/// det x, never below what rounding leaves of it
template <class Real>
ST_FN Real lorentz(const Vec3<Real>& x) {
  const Real length = std::sqrt(x.y * x.y + x.z * x.z);
  const Real rounding = sizeof(Real) == 8 ? Real(1e-16) : Real(1e-7);
  return larger(x.x - length, rounding * x.x) * (x.x + length);
}

template <class Real>
ST_FN Vec3<Real> scale_by_friction(const ScaledProblem<Real>& s, int i, const Vec3<Real>& x) {
  return {x.x, s.mu[2 * i] * x.y, s.mu[2 * i + 1] * x.z};
}

/// x∘y
template <class Real>
ST_FN Vec3<Real> multiply_jordan(const Vec3<Real>& x, const Vec3<Real>& y) {
  return {dot(x, y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z};
}

/// W x/η; with J w for w: η W⁻¹ x
template <class Real>
ST_FN Vec3<Real> apply_scaling(const Vec3<Real>& w, const Vec3<Real>& x) {
  const Real along = w.y * x.y + w.z * x.z, share = x.x + along / (Real(1) + w.x);
  return {w.x * x.x + along, x.y + share * w.y, x.z + share * w.z};
}

template <class Real>
ST_FN Vec3<Real> reflect(const Vec3<Real>& w) {
  return {w.x, -w.y, -w.z};
}

/// W⁻² x
template <class Real>
ST_FN Vec3<Real> apply_inverse_square(const Vec3<Real>& w, Real eta, const Vec3<Real>& x) {
  const Vec3<Real> q = reflect(w);
  const Real inverse = Real(1) / (eta * eta), along = Real(2) * dot(q, x);
  return inverse * (along * q - reflect(x));
}

/// W⁻¹(ω\t) of contact i
template <class Real>
ST_FN Vec3<Real> unscaled_target(const InteriorPointState<Real>& x, int i) {
  const Vec3<Real> w = load3(x.inverse_slack + 3 * i), z = load3(x.beta + 3 * i), t = load3(x.target + 3 * i);
  const Real eta = x.scaling[i];
  const Vec3<Real> omega = eta * apply_scaling(w, z);
  const Real det = std::sqrt(lorentz(load3(x.slack + 3 * i)) * lorentz(z));
  const Real first = (omega.x * t.x - omega.y * t.y - omega.z * t.z) / det;
  const Vec3<Real> quotient{first, (t.y - first * omega.y) / omega.x, (t.z - first * omega.z) / omega.x};
  return (Real(1) / eta) * apply_scaling(reflect(w), quotient);
}

/// Least a >= 0 with x + d/a in L.
template <class Real>
ST_FN Real shrink_in_cone(const Vec3<Real>& x, const Vec3<Real>& d) {
  const Real inverse = Real(1) / std::sqrt(lorentz(x));
  const Vec3<Real> a = inverse * x, b = inverse * d;
  const Real along = a.x * b.x - a.y * b.y - a.z * b.z, share = (along + b.x) / (a.x + Real(1));
  const Real t = b.y - share * a.y, o = b.z - share * a.z;
  return larger(std::sqrt(t * t + o * o) - along, Real(0));
}

}  // namespace quadratic_detail

/// s in L by at least 1, and z with s∘z = e, within half of an elastic cost.
template <class Real>
ST_APART void start_quadratic(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real cost,
                              const Vec3<Real>& u, int i) {
  const Vec3<Real> reach = quadratic_detail::scale_by_friction(s, i, u);
  const Real length = std::sqrt(reach.y * reach.y + reach.z * reach.z);
  const Vec3<Real> slack{larger(reach.x, length + Real(1)), reach.y, reach.z};
  Vec3<Real> z = (Real(1) / quadratic_detail::lorentz(slack)) * quadratic_detail::reflect(slack);
  if (cost > Real(0) && z.x > Real(0.5) * cost) z = (Real(0.5) * cost / z.x) * z;
  store3(x.slack + 3 * i, slack);
  store3(x.beta + 3 * i, z);
  store3(x.d_slack + 3 * i, Vec3<Real>{});
  store3(x.d_beta + 3 * i, Vec3<Real>{});
}

/// (4), (5): W_i without softening; the scaling is left in inverse_slack and scaling.
template <class Real>
ST_APART Sym3<Real> weigh_quadratic(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  using namespace quadratic_detail;
  const Vec3<Real> slack = load3(x.slack + 3 * i), z = load3(x.beta + 3 * i);
  const Real det_s = lorentz(slack), det_z = lorentz(z);
  const Vec3<Real> a = (Real(1) / std::sqrt(det_s)) * slack, b = (Real(1) / std::sqrt(det_z)) * z;
  const Vec3<Real> w = (Real(1) / std::sqrt(Real(2) + Real(2) * dot(a, b))) * (a + reflect(b));
  x.scaling[i] = std::sqrt(std::sqrt(det_s / det_z));
  store3(x.inverse_slack + 3 * i, w);
  const Real inverse = Real(1) / (x.scaling[i] * x.scaling[i]);
  const Real t = s.mu[2 * i], o = s.mu[2 * i + 1];
  return {inverse * (Real(2) * w.x * w.x - Real(1)), inverse * (Real(-2) * w.x * w.y) * t,
          inverse * (Real(-2) * w.x * w.z) * o,      inverse * (Real(2) * w.y * w.y + Real(1)) * t * t,
          inverse * (Real(2) * w.y * w.z) * t * o,   inverse * (Real(2) * w.z * w.z + Real(1)) * o * o};
}

/// First column of W_i: what the elastic slack pushes with.
template <class Real>
ST_APART Vec3<Real> quadratic_push(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  using namespace quadratic_detail;
  const Vec3<Real> e{Real(1), Real(0), Real(0)};
  return scale_by_friction(s, i, apply_inverse_square(load3(x.inverse_slack + 3 * i), x.scaling[i], e));
}

/// (4): f without softening, u = û + τ e_n
template <class Real>
ST_APART Vec3<Real> quadratic_force_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                           const Vec3<Real>& u, int i) {
  using namespace quadratic_detail;
  const Vec3<Real> r = scale_by_friction(s, i, u) - load3(x.slack + 3 * i);
  const Vec3<Real> pull = apply_inverse_square(load3(x.inverse_slack + 3 * i), x.scaling[i], r);
  return scale_by_friction(s, i, unscaled_target(x, i) - pull);
}

/// (2), (3): `moved` = û + τ e_n + J Δv + Δτ e_n
template <class Real>
ST_APART void quadratic_direction(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                  const Vec3<Real>& moved, int i) {
  using namespace quadratic_detail;
  const Vec3<Real> ds = scale_by_friction(s, i, moved) - load3(x.slack + 3 * i);
  const Vec3<Real> pull = apply_inverse_square(load3(x.inverse_slack + 3 * i), x.scaling[i], ds);
  store3(x.d_slack + 3 * i, ds);
  store3(x.d_beta + 3 * i, unscaled_target(x, i) - load3(x.beta + 3 * i) - pull);
}

/// Largest decrease of s and z in L, relative to what keeps them inside.
template <class Real>
ST_APART Real quadratic_shrinkage(const InteriorPointState<Real>& x, int i) {
  using namespace quadratic_detail;
  return larger(shrink_in_cone(load3(x.slack + 3 * i), load3(x.d_slack + 3 * i)),
                shrink_in_cone(load3(x.beta + 3 * i), load3(x.d_beta + 3 * i)));
}

/// s·z after a step of length alpha
template <class Real>
ST_APART Real quadratic_gap(const InteriorPointState<Real>& x, Real alpha, int i) {
  return dot(load3(x.slack + 3 * i) + alpha * load3(x.d_slack + 3 * i),
             load3(x.beta + 3 * i) + alpha * load3(x.d_beta + 3 * i));
}

/// (6)
template <class Real>
ST_APART void correct_quadratic_target(const InteriorPointState<Real>& x, Real centered, int i) {
  using namespace quadratic_detail;
  const Vec3<Real> w = load3(x.inverse_slack + 3 * i);  // η of W and of W⁻¹ cancel
  const Vec3<Real> second =
      multiply_jordan(apply_scaling(reflect(w), load3(x.d_slack + 3 * i)), apply_scaling(w, load3(x.d_beta + 3 * i)));
  store3(x.target + 3 * i, Vec3<Real>{centered, Real(0), Real(0)} - second);
}

/// λ_i = M z
template <class Real>
ST_APART Vec3<Real> quadratic_impulse(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  return quadratic_detail::scale_by_friction(s, i, load3(x.beta + 3 * i));
}

/// Natural map over λ_max and primal residual over u_max, given their inverses; u = û + τ e_n.
template <class Real>
ST_APART Real quadratic_estimate(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, const Vec3<Real>& u,
                                 Real per_lambda, Real per_u, int i) {
  const Vec3<Real> r = quadratic_detail::scale_by_friction(s, i, u) - load3(x.slack + 3 * i);
  const Vec3<Real> lambda = per_lambda * quadratic_impulse(s, x, i);
  const Vec3<Real> nearest = project_to_cone(s.table, s.mu[2 * i], s.mu[2 * i + 1], lambda - per_u * u).point;
  return larger(norm(lambda - nearest), norm(r) * per_u);
}

}  // namespace stiction
