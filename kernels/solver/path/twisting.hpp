// One contact with facets and torsion in a Newton step of the interior point: (1) to (3) of path/contact.hpp with the
// generators of twisting_generator (problem/facets.hpp). A contact without torsional friction has none of the last two,
// so that its part of the step is that of a problem without torsion; what the arrays reserve for them stays 0.
#pragma once

#include "kernels/solver/path/state.hpp"

namespace stiction {

/// True if contacts have facets and four rows.
template <class Real>
ST_FN bool is_twisting(const ScaledProblem<Real>& s) {
  return s.dim == 4 && !is_round(s.table.cone);
}

/// Calls f(entry in the (contacts, k) arrays, generator) for the generators of contact i.
template <class Real, class F>
ST_FN void each_generator(const ScaledProblem<Real>& s, int i, F f) {
  const Friction<Real> mu = s.friction(i);
  const int count = count_generators(s.table, mu);
  ST_ROLLED
  for (int k = 0; k < count; ++k) f(i * s.facets + k, twisting_generator(s.table, k, mu));
}

/// The number of complementarity products of contact i.
template <class Real>
ST_FN int twisting_products(const ScaledProblem<Real>& s, bool elastic, int i) {
  return count_generators(s.table, s.friction(i)) + (elastic ? 1 : 0);
}

/// Starts with s = max(g·û, 1) and β = 1; in elastic mode the multipliers are at most half of the cost.
template <class Real>
ST_APART void start_twisting(const ScaledProblem<Real>& s, Real cost, ContactVector<Real> u, int i,
                             InteriorPointState<Real>& x) {
  const Real most = cost > Real(0) ? Real(0.5) * cost / Real(count_generators(s.table, s.friction(i))) : Real(1);
  ST_ROLLED
  for (int ik = i * s.facets; ik < (i + 1) * s.facets; ++ik)
    x.slack[ik] = x.beta[ik] = x.d_slack[ik] = x.d_beta[ik] = x.inverse_slack[ik] = Real(0);
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    x.slack[ik] = larger(dot(g, u), Real(1));
    x.beta[ik] = smaller(Real(1), most);
  });
}

/// W of (3); 1/s is left in inverse_slack
template <class Real>
ST_APART Sym4<Real> weigh_twisting(const ScaledProblem<Real>& s, int i, InteriorPointState<Real>& x) {
  Sym4<Real> w{};
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    x.inverse_slack[ik] = Real(1) / x.slack[ik];
    w = w + scaled_outer(x.beta[ik] * x.inverse_slack[ik], g);
  });
  return w;
}

/// w of (5)
template <class Real>
ST_APART ContactVector<Real> twisting_push(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  ContactVector<Real> dg{};
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) { dg = dg + (x.beta[ik] * x.inverse_slack[ik]) * g; });
  return dg;
}

/// f of (3)
template <class Real>
ST_APART ContactVector<Real> twisting_force_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                                   ContactVector<Real> u, int i) {
  ContactVector<Real> f{};
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    const Real residual = dot(g, u) - x.slack[ik];
    f = f + (x.inverse_slack[ik] * (x.target[ik] - x.beta[ik] * residual)) * g;
  });
  return f;
}

/// Δs and Δβ of (1) and (2), with `moved` = û + τ e_n + J Δv + Δτ e_n
template <class Real>
ST_APART void twisting_direction(const ScaledProblem<Real>& s, ContactVector<Real> moved, int i,
                                 InteriorPointState<Real>& x) {
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    const Real change = dot(g, moved) - x.slack[ik];
    x.d_slack[ik] = change;
    x.d_beta[ik] = x.inverse_slack[ik] * (x.target[ik] - x.beta[ik] * change) - x.beta[ik];
  });
}

/// The largest relative decrease −Δx/x of the slacks and multipliers.
template <class Real>
ST_APART Real twisting_shrinkage(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  Real worst = Real(0);
  each_generator(s, i, [&](int ik, const ContactVector<Real>&) {
    const Real slack = -x.d_slack[ik] * x.inverse_slack[ik];
    worst = larger(worst, larger(slack, -x.d_beta[ik] / x.beta[ik]));
  });
  return worst;
}

/// Σ s β after a step of length alpha
template <class Real>
ST_APART Real twisting_gap(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real alpha, int i) {
  Real sum = Real(0);
  each_generator(s, i, [&](int ik, const ContactVector<Real>&) {
    sum += (x.slack[ik] + alpha * x.d_slack[ik]) * (x.beta[ik] + alpha * x.d_beta[ik]);
  });
  return sum;
}

/// λ_i = Σ β_ik g_k
template <class Real>
ST_APART ContactVector<Real> twisting_impulse(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  ContactVector<Real> lambda{};
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) { lambda = lambda + x.beta[ik] * g; });
  return lambda;
}

/// The largest min(β/λ_max, s/u_max), or the primal residual over u_max if that is larger, with u = û + τ e_n.
template <class Real>
ST_APART Real twisting_estimate(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, ContactVector<Real> u,
                                Real per_lambda, Real per_u, int i) {
  Real worst = Real(0);
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    const Real gap = std::fabs(dot(g, u) - x.slack[ik]) * per_u;
    worst = larger(worst, larger(gap, smaller(x.beta[ik] * per_lambda, x.slack[ik] * per_u)));
  });
  return worst;
}

}  // namespace stiction
