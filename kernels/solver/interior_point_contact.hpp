// One contact in a Newton step of the interior point. With d_k = β_k/s_k, a_k = g_kᵀJ and r_k = a_k v + c_k + τ − s_k:
//
//   Δs_k = a_k Δv + Δτ + r_k                                                            (1)
//   Δβ_k = t_k/s_k − β_k − d_k Δs_k                                                     (2)
//   rigid (Δτ = 0):  W = Σ d_k g_k g_kᵀ,  f = Σ g_k (t_k/s_k − d_k r_k)                 (3)
//   elastic: Σ β_k + η = c and η τ = t_τ eliminate Δτ = (A − Σ d_k a_k Δv)/E            (4)
//     E = Σ d_k + η/τ,  A = Σ (t_k/s_k − d_k r_k) + t_τ/τ − c                           (5)
//     W −= w wᵀ/E,  f −= w A/E,  w = Σ d_k g_k                                          (6)
//
// f is λ + Δλ without its part in Δv.
#pragma once

#include "kernels/solver/interior_point_state.hpp"

namespace stiction {

/// u_i + b_i + φ_i/h e_n, and with the elastic slack
template <class Real>
ST_FN Vec3<Real> shifted_velocity(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic,
                                  int i) {
  Vec3<Real> u = load3(x.u + 3 * i) + load3(s.offset + 3 * i);
  if (elastic) u.x += x.give[i];
  return u;
}

template <class Real>
ST_FN Sym3<Real> weigh_contact(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, int i) {
  Sym3<Real> w{};
  Real sum = Real(0);
  Vec3<Real> dg{};
  for (int k = 0; k < s.facets; ++k) {
    const int ik = i * s.facets + k;
    const Vec3<Real> g = s.generator(i, k);
    x.inverse_slack[ik] = Real(1) / x.slack[ik];
    const Real d = x.beta[ik] * x.inverse_slack[ik];
    sum += d;
    dg += d * g;
    w.tt += d * g.y * g.y, w.to += d * g.y * g.z, w.oo += d * g.z * g.z;
  }
  w.nn = sum, w.nt = dg.y, w.no = dg.z;  // the generators' normal part is 1
  if (!elastic) return w;
  const Real inverse = Real(1) / (sum + x.give_dual[i] / x.give[i]);
  w.nn -= dg.x * dg.x * inverse, w.nt -= dg.x * dg.y * inverse, w.no -= dg.x * dg.z * inverse;
  w.tt -= dg.y * dg.y * inverse, w.to -= dg.y * dg.z * inverse, w.oo -= dg.z * dg.z * inverse;
  return w;
}

/// (3), (5), (6); the elastic A/E is left in d_give.
template <class Real>
ST_FN Vec3<Real> contact_force_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real cost,
                                      int i) {
  const bool elastic = cost > Real(0);
  const Vec3<Real> u = shifted_velocity(s, x, elastic, i);
  Vec3<Real> f{}, dg{};
  for (int k = 0; k < s.facets; ++k) {
    const int ik = i * s.facets + k;
    const Vec3<Real> g = s.generator(i, k);
    const Real r = dot(g, u) - x.slack[ik];
    f += (x.inverse_slack[ik] * (x.target[ik] - x.beta[ik] * r)) * g;
    dg += (x.inverse_slack[ik] * x.beta[ik]) * g;
  }
  if (!elastic) return f;
  const Real E = dg.x + x.give_dual[i] / x.give[i];
  const Real A = f.x + x.target_give[i] / x.give[i] - cost;
  x.d_give[i] = A / E;
  return f - (A / E) * dg;
}

/// (1), (2), (4) from du = J Δv.
template <class Real>
ST_FN void contact_direction(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real cost, int i) {
  const bool elastic = cost > Real(0);
  Vec3<Real> moved = shifted_velocity(s, x, elastic, i);
  const Vec3<Real> du = load3(x.du + 3 * i);
  if (elastic) {
    Real E = x.give_dual[i] / x.give[i], pushed = Real(0);
    for (int k = 0; k < s.facets; ++k) {
      const Real d = x.beta[i * s.facets + k] * x.inverse_slack[i * s.facets + k];
      E += d, pushed += d * dot(s.generator(i, k), du);
    }
    x.d_give[i] -= pushed / E;
    x.d_give_dual[i] = (x.target_give[i] - x.give_dual[i] * x.d_give[i]) / x.give[i] - x.give_dual[i];
    moved.x += x.d_give[i];
  }
  moved += du;
  for (int k = 0; k < s.facets; ++k) {
    const int ik = i * s.facets + k;
    x.d_slack[ik] = dot(s.generator(i, k), moved) - x.slack[ik];
    x.d_beta[ik] = x.inverse_slack[ik] * (x.target[ik] - x.beta[ik] * x.d_slack[ik]) - x.beta[ik];
  }
}

/// Largest relative decrease −Δx/x of the contact's positive variables.
template <class Real>
ST_FN Real contact_shrinkage(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, int i) {
  Real worst = Real(0);
  for (int k = 0; k < s.facets; ++k) {
    const int ik = i * s.facets + k;
    const Real a = -x.d_slack[ik] * x.inverse_slack[ik], b = -x.d_beta[ik] / x.beta[ik];
    worst = a > worst ? a : worst;
    worst = b > worst ? b : worst;
  }
  if (!elastic) return worst;
  const Real a = -x.d_give[i] / x.give[i], b = -x.d_give_dual[i] / x.give_dual[i];
  worst = a > worst ? a : worst;
  return b > worst ? b : worst;
}

/// Σ of the contact's products after a step of length alpha.
template <class Real>
ST_FN Real contact_gap(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, Real alpha,
                       int i) {
  Real sum = Real(0);
  for (int k = 0; k < s.facets; ++k) {
    const int ik = i * s.facets + k;
    sum += (x.slack[ik] + alpha * x.d_slack[ik]) * (x.beta[ik] + alpha * x.d_beta[ik]);
  }
  if (elastic) sum += (x.give[i] + alpha * x.d_give[i]) * (x.give_dual[i] + alpha * x.d_give_dual[i]);
  return sum;
}

/// Targets of Mehrotra's corrector: t = σμ − Δs Δβ.
template <class Real>
ST_FN void correct_contact_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic,
                                  Real centered, int i) {
  for (int ik = i * s.facets; ik < (i + 1) * s.facets; ++ik) x.target[ik] = centered - x.d_slack[ik] * x.d_beta[ik];
  if (elastic) x.target_give[i] = centered - x.d_give[i] * x.d_give_dual[i];
}

template <class Real>
ST_FN void step_contact(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, Real alpha,
                        int i) {
  for (int ik = i * s.facets; ik < (i + 1) * s.facets; ++ik) {
    x.slack[ik] += alpha * x.d_slack[ik];
    x.beta[ik] += alpha * x.d_beta[ik];
  }
  for (int a = 3 * i; a < 3 * i + 3; ++a) x.u[a] += alpha * x.du[a];
  if (!elastic) return;
  x.give[i] += alpha * x.d_give[i];
  x.give_dual[i] += alpha * x.d_give_dual[i];
}

/// λ_i = Σ β_ik g_k
template <class Real>
ST_FN Vec3<Real> contact_impulse(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  Vec3<Real> lambda{};
  for (int k = 0; k < s.facets; ++k) lambda += x.beta[i * s.facets + k] * s.generator(i, k);
  return lambda;
}

}  // namespace stiction
