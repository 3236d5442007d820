// The cone with facets and torsion, for μ_r > 0: K of the generators (1, D_k, 0) of a pyramid or a box and (1, 0, 0,
// ±μ_r), which is {γ(λ_t, λ_o) + |λ_r|/μ_r <= λ_n} with γ the gauge of the polygon of D_k (Miller and Christensen 2003,
// section 2.1: the columns of D may hold torsion). Its section is the polygon's double pyramid with the tips ±μ_r.
//
// By symmetry only the tip on the side of x_r counts: e = (1, 0, 0, ±μ_r). With K_3 the cone without torsion, the
// projection is that onto K_3 and one more ray:
//
//   p = q + α e,  q = P_K3(x − α e),  α >= 0,  0 = e·(x − α e − q)  or  α = 0 and 0 > e·(x − q)        (1)
//   A = DP_K3,  w = (I − A) e:   DP = A + w wᵀ/(e·w) if the ray takes part, else A                     (2)
//
// The nearest point of the section at λ_n = N to z_f = (z_t, z_r), where ν of N belongs to the tip:
//
//   m_t = P_(N − ν)C(z_t),  m_r = ±ν μ_r,  0 = h(z_t − m_t) − μ_r (|z_r| − ν μ_r),  0 <= ν <= N        (3)
//   d = ∂m_t/∂(N − ν),  K_t = ∂m_t/∂z_t,  a = (d, ∓μ_r),  b = d·d + μ_r²
//   K = K_t + a aᵀ/b,   ∂m/∂N = (μ_r²/b) d + (±μ_r d·d/b) e_r                                          (4)
//
// h is the support function of the polygon C. (1) and (3) are piecewise linear, and their slopes grow towards the start
// of Newton's method, the largest α or ν that there may be. So the method ends after a few pieces, with the exact root.
#pragma once

#include "kernels/problem/cone_facets.hpp"

namespace stiction {

namespace cone_detail {

/// Most steps of Newton's method on (1) and (3), one for each piece that it passes.
constexpr int kMostTwistSteps = 40;
/// Steps below this share of x are only rounding [-].
template <class Real>
constexpr Real kTwistRounding = sizeof(Real) == 8 ? Real(1e-15) : Real(5e-7);

/// The root in [0, most] of a value that falls with α, by Newton's method from `most`; 0 if the value is negative
/// there. measure(α) returns −value/slope; it is called with the root last.
template <class Real, class Measure>
ST_FN Real find_twist(Real most, Real rounding, Measure measure) {
  Real low = Real(0), high = most, alpha = most;
  ST_ROLLED
  for (int step = 0;; ++step) {
    const Real change = measure(alpha);
    const bool ends = !(std::fabs(change) > rounding) || (alpha == Real(0) && change < Real(0));
    if (ends || step == kMostTwistSteps) return alpha;
    if (change > Real(0)) low = alpha;
    if (change < Real(0)) high = alpha;
    const Real newton = alpha + change, middle = Real(0.5) * (low + high);
    alpha = newton < high && newton > low ? newton : (newton <= low && low == Real(0) ? Real(0) : middle);
  }
}

/// Where the search for α of (1) is. It is in memory where its parts are not inlined, so that it takes few registers.
template <class Real>
struct TwistSearch {
  Friction<Real> mu;  // with the sign of x.r in μ_r: e = (1, 0, 0, μ_r)
  ContactVector<Real> x;
  Real alpha;
};

/// q and A of (1) and (2)
template <class Real>
ST_FN ConeProjection<Real> project_without_twist(const FacetTable<Real>& table, const TwistSearch<Real>& search) {
  return project_to_pyramid(table, search.mu.mu_t, search.mu.mu_o,
                            Vec3<Real>{search.x.n - search.alpha, search.x.t, search.x.o});
}

/// e·(x − α e − q) of (1)
template <class Real>
ST_FN Real miss_of_twist(const TwistSearch<Real>& search, const Vec3<Real>& q) {
  return (search.x.n - search.alpha - q.x) + search.mu.mu_r * (search.x.r - search.alpha * search.mu.mu_r);
}

/// The step of Newton's method on (1) from search.alpha.
template <class Real>
ST_TIGHT Real measure_twist(const FacetTable<Real>& table, const TwistSearch<Real>& search) {
  const ConeProjection<Real> q = project_without_twist(table, search);
  return miss_of_twist(search, q.point) / (Real(1) - q.derivative.nn + search.mu.mu_r * search.mu.mu_r);
}

/// Leaves α of (1) in `search`.
template <class Real>
ST_TIGHT void search_twist(const FacetTable<Real>& table, TwistSearch<Real>& search) {
  find_twist(search.x.r / search.mu.mu_r, kTwistRounding<Real> * norm(search.x), [&](Real alpha) {
    search.alpha = alpha;
    return measure_twist(table, search);
  });
}

/// (2). It takes q by value because a reference would keep it in memory.
template <class Real>
ST_TIGHT ContactProjection<Real> join_twist(const TwistSearch<Real>& search, ConeProjection<Real> q) {
  const Sym3<Real>& A = q.derivative;
  const Sym4<Real> flat{A, {}};
  if (search.alpha == Real(0) && miss_of_twist(search, q.point) < Real(0)) return {without_torsion(q.point), flat};
  const ContactVector<Real> w{Real(1) - A.nn, -A.nt, -A.no, search.mu.mu_r};
  return {{q.point.x + search.alpha, q.point.y, q.point.z, search.alpha * search.mu.mu_r},
          flat + scaled_outer(Real(1) / (w.n + search.mu.mu_r * search.mu.mu_r), w)};
}

/// P_K(x)
template <class Real>
ST_APART ContactProjection<Real> project_to_double_pyramid(const FacetTable<Real>& table, Friction<Real> mu,
                                                           ContactVector<Real> x) {
  mu.mu_r = std::copysign(mu.mu_r, x.r);
  TwistSearch<Real> search{mu, x, Real(0)};
  search_twist(table, search);
  return join_twist(search, project_without_twist(table, search));
}

/// The point alone.
template <class Real>
ST_APART ContactVector<Real> project_point_to_double_pyramid(const FacetTable<Real>& table, Friction<Real> mu,
                                                             ContactVector<Real> x) {
  mu.mu_r = std::copysign(mu.mu_r, x.r);
  TwistSearch<Real> search{mu, x, Real(0)};
  search_twist(table, search);
  const Vec3<Real> q = project_without_twist(table, search).point;
  return {q.x + search.alpha, q.y, q.z, search.alpha * search.mu.mu_r};
}

/// The nearest point of the section by (3) and (4).
template <class Real>
ST_FN TorsionSectionPoint<Real> nearest_on_double_pyramid(const FacetTable<Real>& table, const Friction<Real>& mu,
                                                          const ContactVector<Real>& z) {
  const Real side = z.r < Real(0) ? Real(-1) : Real(1), r = side * z.r, mu_r = mu.mu_r;
  SectionPoint<Real> p{};
  Real missing = Real(0);
  const Real nu = find_twist(smaller(r / mu_r, z.n), kTwistRounding<Real> * norm(z), [&](Real at) {
    p = FacetCone<Real>::nearest(table, mu.mu_t, mu.mu_o, {z.n - at, z.t, z.o});
    const Vec3<Real> back{Real(0), p.t - z.t, p.o - z.o};
    missing = mu_r * (r - at * mu_r) - FacetCone<Real>::support(table, mu.mu_t, mu.mu_o, back);
    if (at == z.n && missing > Real(0)) return Real(0);
    return missing / (p.d_t * p.d_t + p.d_o * p.d_o + mu_r * mu_r);
  });
  const Real none = Real(0);
  if (nu == z.n && missing > none) return {{none, none, side * nu * mu_r}, {none, none, side * mu_r}, {}};
  if (nu == none && missing < none)
    return {{p.t, p.o, none}, {p.d_t, p.d_o, none}, {p.tt, p.to, none, p.oo, none, none}};
  const Real square = p.d_t * p.d_t + p.d_o * p.d_o, inverse = Real(1) / (square + mu_r * mu_r);
  const Real share = mu_r * mu_r * inverse, turn = side * mu_r * inverse;
  return {{p.t, p.o, side * nu * mu_r},
          {share * p.d_t, share * p.d_o, turn * square},
          {p.tt + inverse * p.d_t * p.d_t, p.to + inverse * p.d_t * p.d_o, -turn * p.d_t,
           p.oo + inverse * p.d_o * p.d_o, -turn * p.d_o, share}};
}

/// s without torsion joined with ±μ_r u_r, as s is joined from the D_k.
template <class Real>
ST_APART SmoothSupport<Real> join_twist_support(SmoothSupport<Real> flat, Real mu_r, Real u_r, Real delta) {
  const Real turn = u_r < Real(0) ? -mu_r : mu_r, twist = turn * u_r, most = larger(flat.s, twist);
  if (!(delta > Real(0))) return twist > flat.s ? SmoothSupport<Real>{twist, {Real(0), Real(0), Real(0), turn}} : flat;
  const Real polygon = std::exp((flat.s - most) / delta), with = std::exp((twist - most) / delta);
  const Real against = std::exp((-twist - most) / delta), sum = polygon + with + against;
  ContactVector<Real> slope = (polygon / sum) * flat.slope;
  slope.r = turn * (with - against) / sum;
  return {most + delta * std::log(sum), slope};
}

}  // namespace cone_detail

/// A pyramid or a box with torsion.
template <class Real>
struct FacetTorsionCone {
  ST_FN static ContactProjection<Real> project(const FacetTable<Real>& table, const Friction<Real>& mu,
                                               const ContactVector<Real>& x) {
    return cone_detail::project_to_double_pyramid(table, mu, x);
  }

  ST_FN static ContactVector<Real> project_point(const FacetTable<Real>& table, const Friction<Real>& mu,
                                                 const ContactVector<Real>& x) {
    return cone_detail::project_point_to_double_pyramid(table, mu, x);
  }

  ST_FN static Real support(const FacetTable<Real>& table, const Friction<Real>& mu, const ContactVector<Real>& u) {
    const Real flat = FacetCone<Real>::support(table, mu.mu_t, mu.mu_o, u.nto()), twist = mu.mu_r * std::fabs(u.r);
    return (twist > flat || twist != twist) ? twist : flat;
  }

  ST_FN static TorsionSectionPoint<Real> nearest(const FacetTable<Real>& table, const Friction<Real>& mu,
                                                 const ContactVector<Real>& z) {
    return cone_detail::nearest_on_double_pyramid(table, mu, z);
  }
};

}  // namespace stiction
