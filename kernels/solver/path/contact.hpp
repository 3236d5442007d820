// One contact in a Newton step of the interior point. With d_k = β_k/s_k, a_k = g_kᵀJ and r_k = a_k v + c_k + τ − s_k:
//
//   Δs_k = a_k Δv + Δτ + r_k                                                            (1)
//   Δβ_k = t_k/s_k − β_k − d_k Δs_k                                                     (2)
//   rigid (Δτ = 0):  W = Σ d_k g_k g_kᵀ,  f = Σ g_k (t_k/s_k − d_k r_k)                 (3)
//   elastic: λ_n + η = c and η τ = t_τ eliminate Δτ = (A − w·J Δv)/E                    (4)
//     E = w_n + η/τ,  A = f_n + t_τ/τ − c,  w = Σ d_k g_k, the first column of W        (5)
//     W −= w wᵀ/E,  f −= w A/E                                                          (6)
//
// f is λ + Δλ without its part in Δv. (1) to (3) are for cones with facets; path/twisting.hpp has them with torsion,
// and path/quadratic.hpp has their counterparts for quadratic cones. (4) to (6) hold for all.
#pragma once

#include "kernels/solver/path/quadratic.hpp"
#include "kernels/solver/path/twisting.hpp"

namespace stiction {

/// u_i + b_i + φ_i/h e_n, plus the slack τ_i e_n in elastic mode
template <class Real>
ST_FN ContactVector<Real> shifted_velocity(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                           bool elastic, int i) {
  ContactVector<Real> u = s.load(x.u, i) + s.load(s.offset, i);
  if (elastic) u.n += x.give[i];
  return u;
}

/// The same for a contact with facets and without torsion.
template <class Real>
ST_FN Vec3<Real> facet_velocity(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, int i) {
  Vec3<Real> u = load3(x.u + 3 * i) + load3(s.offset + 3 * i);
  if (elastic) u.x += x.give[i];
  return u;
}

/// N facets of one contact side by side, so that the compiler can use vector registers.
template <int N, class Real>
struct FacetChunk {
  int ik;               // first entry in the (contacts, k) arrays
  Real g_t[N], g_o[N];  // the generators are (1, g_t, g_o)
};

template <int N, class Real>
ST_FN FacetChunk<N, Real> load_chunk(const ScaledProblem<Real>& s, int i, int first) {
  FacetChunk<N, Real> c;
  c.ik = i * s.facets + first;
  const Real mu_t = s.mu[2 * i], mu_o = s.mu[2 * i + 1];
  for (int j = 0; j < N; ++j) c.g_t[j] = mu_t * s.table.cosine[first + j], c.g_o[j] = mu_o * s.table.sine[first + j];
  return c;
}

/// Calls f(chunk) for all facets of contact i, four facets at a time and then one by one.
template <class Real, class F>
ST_FN void each_chunk(const ScaledProblem<Real>& s, int i, F f) {
  int k = 0;
  for (; k + 4 <= s.facets; k += 4) f(load_chunk<4>(s, i, k));
  for (; k < s.facets; ++k) f(load_chunk<1>(s, i, k));
}

/// g_k·u of a chunk
template <int N, class Real>
ST_FN void multiply_generators(const FacetChunk<N, Real>& chunk, const Vec3<Real>& u, Real (&out)[N]) {
  for (int j = 0; j < N; ++j) out[j] = u.x + (chunk.g_t[j] * u.y + chunk.g_o[j] * u.z);
}

/// Σ_k weight_k g_k of a chunk, added to sum
template <int N, class Real>
ST_FN void add_generators(const FacetChunk<N, Real>& chunk, const Real (&weight)[N], Vec3<Real>& sum) {
  Real t[N], o[N];
  for (int j = 0; j < N; ++j) t[j] = weight[j] * chunk.g_t[j], o[j] = weight[j] * chunk.g_o[j];
  for (int j = 0; j < N; ++j) sum.x += weight[j], sum.y += t[j], sum.z += o[j];
}

template <class Real>
ST_FN bool is_quadratic(const ScaledProblem<Real>& s) {
  return is_round(s.table.cone);
}

/// W of (3); 1/s is left in inverse_slack
template <class Real>
ST_FN Sym3<Real> weigh_facets(const ScaledProblem<Real>& s, int i, InteriorPointState<Real>& x) {
  Sym3<Real> w{};
  Vec3<Real> dg{};
  each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
    Real inverse[N], d[N], tt[N], to[N], oo[N];
    for (int j = 0; j < N; ++j) {
      inverse[j] = Real(1) / x.slack[chunk.ik + j];
      d[j] = x.beta[chunk.ik + j] * inverse[j];
      tt[j] = d[j] * chunk.g_t[j] * chunk.g_t[j], to[j] = d[j] * chunk.g_t[j] * chunk.g_o[j],
      oo[j] = d[j] * chunk.g_o[j] * chunk.g_o[j];
    }
    add_generators(chunk, d, dg);
    for (int j = 0; j < N; ++j) x.inverse_slack[chunk.ik + j] = inverse[j];
    for (int j = 0; j < N; ++j) w.tt += tt[j], w.to += to[j], w.oo += oo[j];
  });
  w.nn = dg.x, w.nt = dg.y, w.no = dg.z;  // the generators' normal part is 1
  return w;
}

/// W of (6): W − w wᵀ/(w_n + η/τ), where `yields` is η/τ
template <class Real>
ST_APART Sym4<Real> soften(Sym4<Real> w, Real yields) {
  const ContactVector<Real> column = first_column(w);
  return w + scaled_outer(Real(-1) / (column.n + yields), column);
}

/// W of (3), softened by (6) in elastic mode
template <class Real>
ST_FN Sym4<Real> weigh_contact(const ScaledProblem<Real>& s, bool elastic, int i, InteriorPointState<Real>& x) {
  const Sym4<Real> w = is_quadratic(s)  ? weigh_quadratic(s, i, x)
                       : is_twisting(s) ? weigh_twisting(s, i, x)
                                        : Sym4<Real>{weigh_facets(s, i, x), {}};
  if (!elastic) return w;
  return soften(w, x.give_dual[i] / x.give[i]);
}

/// w of (5)
template <class Real>
ST_FN Vec3<Real> facet_push(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  Vec3<Real> dg{};
  each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
    Real d[N];
    for (int j = 0; j < N; ++j) d[j] = x.inverse_slack[chunk.ik + j] * x.beta[chunk.ik + j];
    add_generators(chunk, d, dg);
  });
  return dg;
}

template <class Real>
ST_APART ContactVector<Real> elastic_push(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  if (is_quadratic(s)) return quadratic_push(s, x, i);
  return is_twisting(s) ? twisting_push(s, x, i) : without_torsion(facet_push(s, x, i));
}

/// f of (3)
template <class Real>
ST_FN Vec3<Real> facet_force_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                    const Vec3<Real>& u, int i) {
  Vec3<Real> f{};
  each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
    Real gu[N], weight[N];
    multiply_generators(chunk, u, gu);
    for (int j = 0; j < N; ++j) {
      const Real beta = x.beta[chunk.ik + j], inverse = x.inverse_slack[chunk.ik + j];
      weight[j] = inverse * (x.target[chunk.ik + j] - beta * (gu[j] - x.slack[chunk.ik + j]));
    }
    add_generators(chunk, weight, f);
  });
  return f;
}

/// f of (3)
template <class Real>
ST_FN ContactVector<Real> rigid_force_target(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                                             bool elastic, int i) {
  if (is_quadratic(s)) return quadratic_force_target(s, x, shifted_velocity(s, x, elastic, i), i);
  if (is_twisting(s)) return twisting_force_target(s, x, shifted_velocity(s, x, elastic, i), i);
  return without_torsion(facet_force_target(s, x, facet_velocity(s, x, elastic, i), i));
}

/// f of (3), in elastic mode by (5) and (6); the elastic A/E is left in d_give.
template <class Real>
ST_FN ContactVector<Real> contact_force_target(const ScaledProblem<Real>& s, Real cost, int i,
                                               InteriorPointState<Real>& x) {
  const bool elastic = cost > Real(0);
  const ContactVector<Real> f = rigid_force_target(s, x, elastic, i);
  if (!elastic) return f;
  const ContactVector<Real> push = elastic_push(s, x, i);
  const Real E = push.n + x.give_dual[i] / x.give[i];
  const Real A = f.n + x.target_give[i] / x.give[i] - cost;
  x.d_give[i] = A / E;
  return f - (A / E) * push;
}

/// Δτ and Δη of (4), from du
template <class Real>
ST_APART void give_direction(const ScaledProblem<Real>& s, ContactVector<Real> du, int i, InteriorPointState<Real>& x) {
  const ContactVector<Real> push = elastic_push(s, x, i);
  const Real E = push.n + x.give_dual[i] / x.give[i];
  x.d_give[i] -= dot(push, du) / E;
  x.d_give_dual[i] = (x.target_give[i] - x.give_dual[i] * x.d_give[i]) / x.give[i] - x.give_dual[i];
}

/// The directions of (1), (2) and (4), from du = J Δv.
template <class Real>
ST_FN void contact_direction(const ScaledProblem<Real>& s, Real cost, int i, InteriorPointState<Real>& x) {
  const bool elastic = cost > Real(0);
  if (elastic) give_direction(s, s.load(x.du, i), i, x);
  const Real give = elastic ? x.d_give[i] : Real(0);
  if (is_quadratic(s) || is_twisting(s)) {
    const ContactVector<Real> u = shifted_velocity(s, x, elastic, i) + s.load(x.du, i);
    const ContactVector<Real> moved{u.n + give, u.t, u.o, u.r};
    return is_quadratic(s) ? quadratic_direction(s, moved, i, x) : twisting_direction(s, moved, i, x);
  }
  Vec3<Real> moved = facet_velocity(s, x, elastic, i) + load3(x.du + 3 * i);
  moved.x += give;
  each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
    Real gu[N], ds[N], db[N];
    multiply_generators(chunk, moved, gu);
    for (int j = 0; j < N; ++j) {
      const Real beta = x.beta[chunk.ik + j];
      ds[j] = gu[j] - x.slack[chunk.ik + j];
      db[j] = x.inverse_slack[chunk.ik + j] * (x.target[chunk.ik + j] - beta * ds[j]) - beta;
    }
    for (int j = 0; j < N; ++j) x.d_slack[chunk.ik + j] = ds[j];
    for (int j = 0; j < N; ++j) x.d_beta[chunk.ik + j] = db[j];
  });
}

/// Starts with s = max(g·û, 1) and β = 1; in elastic mode the multipliers are at most half of the cost.
template <class Real>
ST_FN void start_contact(const ScaledProblem<Real>& s, Real cost, int i, InteriorPointState<Real>& x) {
  const bool elastic = cost > Real(0);
  if (elastic) x.give[i] = Real(1), x.give_dual[i] = Real(0.5) * cost;
  x.d_give[i] = x.d_give_dual[i] = Real(0);
  const ContactVector<Real> u = shifted_velocity(s, x, elastic, i);
  if (is_quadratic(s)) return start_quadratic(s, cost, u, i, x);
  if (is_twisting(s)) return start_twisting(s, cost, u, i, x);
  for (int k = 0; k < s.facets; ++k) {
    const int ik = i * s.facets + k;
    const Real reach = dot(s.generator(i, k), u.nto());
    x.d_slack[ik] = x.d_beta[ik] = Real(0);
    x.slack[ik] = reach > Real(1) ? reach : Real(1);
    x.beta[ik] = elastic ? smaller(Real(1), Real(0.5) * cost / Real(s.facets)) : Real(1);
  }
}

/// The number of complementarity products of contact i.
template <class Real>
ST_FN int contact_products(const ScaledProblem<Real>& s, bool elastic, int i) {
  if (is_twisting(s)) return twisting_products(s, elastic, i);
  return (is_quadratic(s) ? 1 : s.facets) + (elastic ? 1 : 0);
}

/// The largest relative decrease −Δx/x of the contact's positive variables.
template <class Real>
ST_FN Real contact_shrinkage(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, int i) {
  Real worst = is_quadratic(s) ? quadratic_shrinkage(s, x, i) : Real(0);
  if (is_twisting(s))
    worst = twisting_shrinkage(s, x, i);
  else if (!is_quadratic(s))
    each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
      Real a[N];
      for (int j = 0; j < N; ++j) {
        const Real slack = -x.d_slack[chunk.ik + j] * x.inverse_slack[chunk.ik + j];
        a[j] = larger(slack, -x.d_beta[chunk.ik + j] / x.beta[chunk.ik + j]);
      }
      for (int j = 0; j < N; ++j) worst = larger(worst, a[j]);
    });
  if (!elastic) return worst;
  return larger(worst, larger(-x.d_give[i] / x.give[i], -x.d_give_dual[i] / x.give_dual[i]));
}

/// Σ of the contact's products after a step of length alpha.
template <class Real>
ST_FN Real contact_gap(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic, Real alpha,
                       int i) {
  Real sum = is_quadratic(s) ? quadratic_gap(s, x, alpha, i) : Real(0);
  if (is_twisting(s))
    sum = twisting_gap(s, x, alpha, i);
  else if (!is_quadratic(s))
    each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
      Real a[N];
      for (int j = 0; j < N; ++j) {
        const Real slack = x.slack[chunk.ik + j] + alpha * x.d_slack[chunk.ik + j];
        a[j] = slack * (x.beta[chunk.ik + j] + alpha * x.d_beta[chunk.ik + j]);
      }
      for (int j = 0; j < N; ++j) sum += a[j];
    });
  if (elastic) sum += (x.give[i] + alpha * x.d_give[i]) * (x.give_dual[i] + alpha * x.d_give_dual[i]);
  return sum;
}

/// Targets without a second-order term, as for the predictor: t = centered.
template <class Real>
ST_FN void set_contact_target(const ScaledProblem<Real>& s, Real centered, int i, InteriorPointState<Real>& x) {
  const int first = i * s.facets;
  for (int k = 0; k < s.facets; ++k) x.target[first + k] = is_quadratic(s) && k > 0 ? Real(0) : centered;
  x.target_give[i] = centered;
}

/// Targets of Mehrotra's corrector: t = σμ − Δs Δβ.
template <class Real>
ST_FN void correct_contact_target(const ScaledProblem<Real>& s, bool elastic, Real centered, int i,
                                  InteriorPointState<Real>& x) {
  if (is_quadratic(s)) {
    correct_quadratic_target(s, centered, i, x);
  } else {
    for (int ik = i * s.facets; ik < (i + 1) * s.facets; ++ik) x.target[ik] = centered - x.d_slack[ik] * x.d_beta[ik];
  }
  if (elastic) x.target_give[i] = centered - x.d_give[i] * x.d_give_dual[i];
}

template <class Real>
ST_FN void step_contact(const ScaledProblem<Real>& s, bool elastic, Real alpha, int i, InteriorPointState<Real>& x) {
  for (int ik = i * s.facets; ik < (i + 1) * s.facets; ++ik) {
    x.slack[ik] += alpha * x.d_slack[ik];
    x.beta[ik] += alpha * x.d_beta[ik];
  }
  for (int a = s.dim * i; a < s.dim * (i + 1); ++a) x.u[a] += alpha * x.du[a];
  if (!elastic) return;
  x.give[i] += alpha * x.d_give[i];
  x.give_dual[i] += alpha * x.d_give_dual[i];
}

/// λ_i = Σ β_ik g_k
template <class Real>
ST_FN ContactVector<Real> contact_impulse(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  if (is_quadratic(s)) return quadratic_impulse(s, x, i);
  if (is_twisting(s)) return twisting_impulse(s, x, i);
  Vec3<Real> lambda{};
  each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
    Real beta[N];
    for (int j = 0; j < N; ++j) beta[j] = x.beta[chunk.ik + j];
    add_generators(chunk, beta, lambda);
  });
  return without_torsion(lambda);
}

/// The largest min(β/λ_max, s/u_max), or the primal residual over u_max if that is larger, given 1/λ_max and 1/u_max.
/// It bounds the natural map from above.
template <class Real>
ST_FN Real contact_estimate(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, bool elastic,
                            Real per_lambda, Real per_u, int i) {
  Real worst = Real(0);
  if (is_quadratic(s)) {
    worst = quadratic_estimate(s, x, shifted_velocity(s, x, elastic, i), per_lambda, per_u, i);
  } else if (is_twisting(s)) {
    worst = twisting_estimate(s, x, shifted_velocity(s, x, elastic, i), per_lambda, per_u, i);
  } else {
    const Vec3<Real> u = facet_velocity(s, x, elastic, i);
    each_chunk(s, i, [&]<int N>(const FacetChunk<N, Real>& chunk) {
      Real gu[N], a[N];
      multiply_generators(chunk, u, gu);
      for (int j = 0; j < N; ++j) {
        const Real slack = x.slack[chunk.ik + j], gap = std::fabs(gu[j] - slack) * per_u;
        a[j] = larger(gap, smaller(x.beta[chunk.ik + j] * per_lambda, slack * per_u));
      }
      for (int j = 0; j < N; ++j) worst = larger(worst, a[j]);
    });
  }
  return elastic ? larger(worst, smaller(x.give[i] * per_u, x.give_dual[i] * per_lambda)) : worst;
}

}  // namespace stiction
