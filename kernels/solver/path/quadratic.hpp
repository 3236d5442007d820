// One contact with a quadratic cone in a Newton step of the interior point. In place of a facet's slack and multiplier
// it has two vectors. With M = diag(1, μ_t, μ_o, μ_r) both
//
//   s = M û + τ e_n  and  z = M⁻¹ λ                                                                   (1)
//
// are kept inside the second-order cone L = {‖x_1‖ < x_0}, x = (x_0; x_1). With the product x∘y = (x·y; x_0 y_1 +
// y_0 x_1), e = (1; 0), J = diag(1, −1, −1, −1), det x = xᵀJ x and Nesterov and Todd's scaling W (W z = W⁻¹ s = ω) the
// central path is s∘z = t, linearised as
//
//   W⁻¹ Δs + W Δz = ω\t − ω,  Δs = M J Δv + e_n Δτ + r,  r = M û + τ e_n − s                            (2)
//   Δz = W⁻¹(ω\t) − z − W⁻² Δs                                                                        (3)
//   W_i = M W⁻² M,  f = M (W⁻¹(ω\t) − W⁻² r)                                                          (4)
//   W⁻² = (2 q qᵀ − J)/η²,  q = J w,  w = (s̄ + J z̄)/√(2 + 2 s̄·z̄),  η² = √(det s/det z)                 (5)
//   corrector: t = σμ e − (W⁻¹ Δs)∘(W Δz),  one product s·z per cone                                  (6)
//
// Here s̄ and z̄ are s and z divided by the square root of their det. The elastic τ softens the contact as in
// path/contact.hpp (4) to (6). An axis with μ = 0 has s_1 = 0 and so z_1 = 0 on the path; it needs no special case.
//
//   symbol  variable       shape
//   s, z    slack, beta    (contacts, dim)  without torsion the fourth entry is 0 in all computations
//   w       inverse_slack  (contacts, dim)
//   η       scaling        (contacts)
#pragma once

#include "kernels/solver/path/state.hpp"

namespace stiction {

/// det x, bounded below by what rounding may leave of it
template <class Real>
ST_PHASE Real lorentz(ContactVector<Real> x) {
  const Real length = norm_of_friction(x);
  const Real rounding = sizeof(Real) == 8 ? Real(1e-16) : Real(1e-7);
  return larger(x.n - length, rounding * x.n) * (x.n + length);
}

template <class Real>
ST_FN ContactVector<Real> scale_by_friction(const ScaledProblem<Real>& s, int i, const ContactVector<Real>& x) {
  const Friction<Real> mu = s.friction(i);
  return {x.n, mu.mu_t * x.t, mu.mu_o * x.o, mu.mu_r * x.r};
}

template <class Real>
ST_FN ContactVector<Real> reflect(const ContactVector<Real>& w) {
  return {w.n, -w.t, -w.o, -w.r};
}

namespace quadratic_detail {

/// x∘y
template <class Real>
ST_FN ContactVector<Real> multiply_jordan(const ContactVector<Real>& x, const ContactVector<Real>& y) {
  return {dot(x, y), x.n * y.t + y.n * x.t, x.n * y.o + y.n * x.o, x.n * y.r + y.n * x.r};
}

/// W x/η; if called with J w in place of w: η W⁻¹ x
template <class Real>
ST_FN ContactVector<Real> apply_scaling(const ContactVector<Real>& w, const ContactVector<Real>& x) {
  const Real along = w.t * x.t + w.o * x.o + w.r * x.r, share = x.n + along / (Real(1) + w.n);
  return {w.n * x.n + along, x.t + share * w.t, x.o + share * w.o, x.r + share * w.r};
}

/// W⁻² x
template <class Real>
ST_PHASE ContactVector<Real> apply_inverse_square(ContactVector<Real> w, Real eta, ContactVector<Real> x) {
  const ContactVector<Real> q = reflect(w);
  const Real inverse = Real(1) / (eta * eta), along = Real(2) * dot(q, x);
  return inverse * (along * q - reflect(x));
}

/// W⁻¹(ω\t) of contact i
template <class Real>
ST_PHASE ContactVector<Real> unscaled_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  const ContactVector<Real> w = s.load(x.inverse_slack, i), z = s.load(x.beta, i), t = s.load(x.target, i);
  const Real eta = x.scaling[i];
  const ContactVector<Real> omega = eta * apply_scaling(w, z);
  const Real det = std::sqrt(lorentz(s.load(x.slack, i)) * lorentz(z));
  const Real first = dot(reflect(omega), t) / det;
  const ContactVector<Real> quotient{first, (t.t - first * omega.t) / omega.n, (t.o - first * omega.o) / omega.n,
                                     (t.r - first * omega.r) / omega.n};
  return (Real(1) / eta) * apply_scaling(reflect(w), quotient);
}

/// Least a >= 0 with x + d/a in L.
template <class Real>
ST_PHASE Real shrink_in_cone(ContactVector<Real> x, ContactVector<Real> d) {
  const Real inverse = Real(1) / std::sqrt(lorentz(x));
  const ContactVector<Real> a = inverse * x, b = inverse * d;
  const Real along = dot(reflect(a), b), share = (along + b.n) / (a.n + Real(1));
  return larger(norm_of_friction(b - share * a) - along, Real(0));
}

}  // namespace quadratic_detail

/// Starts s in L with a margin of at least 1, and z = e, or half of the elastic cost times e if that is smaller.
template <class Real>
ST_APART void start_quadratic(const ScaledProblem<Real>& s, Real cost, ContactVector<Real> u, int i,
                              InteriorPointState<Real>& x) {
  const ContactVector<Real> reach = scale_by_friction(s, i, u);
  const ContactVector<Real> slack{larger(reach.n, norm_of_friction(reach) + Real(1)), reach.t, reach.o, reach.r};
  const Real z = cost > Real(0) ? smaller(Real(1), Real(0.5) * cost) : Real(1);
  s.store(x.slack, i, slack);
  s.store(x.beta, i, {z, Real(0), Real(0), Real(0)});
  s.store(x.d_slack, i, ContactVector<Real>{});
  s.store(x.d_beta, i, ContactVector<Real>{});
}

/// W_i of (4) and (5) without softening; w and η are left in inverse_slack and scaling.
template <class Real>
ST_APART Sym4<Real> weigh_quadratic(const ScaledProblem<Real>& s, int i, InteriorPointState<Real>& x) {
  using namespace quadratic_detail;
  const ContactVector<Real> slack = s.load(x.slack, i), z = s.load(x.beta, i);
  const Real det_s = lorentz(slack), det_z = lorentz(z);
  const ContactVector<Real> a = (Real(1) / std::sqrt(det_s)) * slack, b = (Real(1) / std::sqrt(det_z)) * z;
  const ContactVector<Real> w = (Real(1) / std::sqrt(Real(2) + Real(2) * dot(a, b))) * (a + reflect(b));
  x.scaling[i] = std::sqrt(std::sqrt(det_s / det_z));
  s.store(x.inverse_slack, i, w);
  const Real inverse = Real(1) / (x.scaling[i] * x.scaling[i]);
  const Friction<Real> mu = s.friction(i);
  const Real t = mu.mu_t, o = mu.mu_o, r = mu.mu_r;
  const Sym3<Real> nto{inverse * (Real(2) * w.n * w.n - Real(1)), inverse * (Real(-2) * w.n * w.t) * t,
                       inverse * (Real(-2) * w.n * w.o) * o,      inverse * (Real(2) * w.t * w.t + Real(1)) * t * t,
                       inverse * (Real(2) * w.t * w.o) * t * o,   inverse * (Real(2) * w.o * w.o + Real(1)) * o * o};
  return {nto,
          {inverse * (Real(-2) * w.n * w.r) * r, inverse * (Real(2) * w.t * w.r) * t * r,
           inverse * (Real(2) * w.o * w.r) * o * r, inverse * (Real(2) * w.r * w.r + Real(1)) * r * r}};
}

/// The first column of W_i: the force with which the elastic slack pushes.
template <class Real>
ST_APART ContactVector<Real> quadratic_push(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  using namespace quadratic_detail;
  const ContactVector<Real> e{Real(1), Real(0), Real(0), Real(0)};
  return scale_by_friction(s, i, apply_inverse_square(s.load(x.inverse_slack, i), x.scaling[i], e));
}

/// f of (4) without softening, with u = û + τ e_n
template <class Real>
ST_APART ContactVector<Real> quadratic_force_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                                    ContactVector<Real> u, int i) {
  using namespace quadratic_detail;
  const ContactVector<Real> r = scale_by_friction(s, i, u) - s.load(x.slack, i);
  const ContactVector<Real> pull = apply_inverse_square(s.load(x.inverse_slack, i), x.scaling[i], r);
  return scale_by_friction(s, i, unscaled_target(s, x, i) - pull);
}

/// Δs and Δz of (2) and (3), with `moved` = û + τ e_n + J Δv + Δτ e_n
template <class Real>
ST_APART void quadratic_direction(const ScaledProblem<Real>& s, ContactVector<Real> moved, int i,
                                  InteriorPointState<Real>& x) {
  using namespace quadratic_detail;
  const ContactVector<Real> ds = scale_by_friction(s, i, moved) - s.load(x.slack, i);
  const ContactVector<Real> pull = apply_inverse_square(s.load(x.inverse_slack, i), x.scaling[i], ds);
  s.store(x.d_slack, i, ds);
  s.store(x.d_beta, i, unscaled_target(s, x, i) - s.load(x.beta, i) - pull);
}

/// The larger relative decrease of s and z in L: a step of length 1/this value takes one of them to the boundary of L.
template <class Real>
ST_APART Real quadratic_shrinkage(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  using namespace quadratic_detail;
  return larger(shrink_in_cone(s.load(x.slack, i), s.load(x.d_slack, i)),
                shrink_in_cone(s.load(x.beta, i), s.load(x.d_beta, i)));
}

/// s·z after a step of length alpha
template <class Real>
ST_APART Real quadratic_gap(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real alpha, int i) {
  return dot(s.load(x.slack, i) + alpha * s.load(x.d_slack, i), s.load(x.beta, i) + alpha * s.load(x.d_beta, i));
}

/// The target of the corrector, (6)
template <class Real>
ST_APART void correct_quadratic_target(const ScaledProblem<Real>& s, Real centered, int i,
                                       InteriorPointState<Real>& x) {
  using namespace quadratic_detail;
  const ContactVector<Real> w = s.load(x.inverse_slack, i);  // η of W and of W⁻¹ cancel
  const ContactVector<Real> second =
      multiply_jordan(apply_scaling(reflect(w), s.load(x.d_slack, i)), apply_scaling(w, s.load(x.d_beta, i)));
  s.store(x.target, i, ContactVector<Real>{centered, Real(0), Real(0), Real(0)} - second);
}

/// λ_i = M z
template <class Real>
ST_APART ContactVector<Real> quadratic_impulse(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  return scale_by_friction(s, i, s.load(x.beta, i));
}

/// The larger of the natural map over λ_max and the primal residual over u_max, given 1/λ_max and 1/u_max, with
/// u = û + τ e_n.
template <class Real>
ST_APART Real quadratic_estimate(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, ContactVector<Real> u,
                                 Real per_lambda, Real per_u, int i) {
  const ContactVector<Real> r = scale_by_friction(s, i, u) - s.load(x.slack, i);
  const ContactVector<Real> lambda = per_lambda * quadratic_impulse(s, x, i);
  const ContactVector<Real> nearest = project_point_to_cone(s.table, s.friction(i), lambda - per_u * u);
  return larger(norm(lambda - nearest), norm(r) * per_u);
}

}  // namespace stiction
