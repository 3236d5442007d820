// Variables of the primal-dual interior point, in the units of ScaledProblem.
//
//   symbol  variable        shape              meaning
//   v       v               (nv)
//   s_ik    slack           (contacts, k)      g_k·(J_i v + b_i + φ_i/h e_n) + τ_i = s_ik > 0
//   β_ik    beta            (contacts, k)      impulse along generator k, > 0;  λ_i = Σ_k β_ik g_k
//   τ_i     give            (contacts)         elastic only: slack of the normal row, > 0, at cost c
//   η_i     give_dual       (contacts)         elastic only: c − Σ_k β_ik = η_i > 0
//   λ_r     row_lambda      (rows)             l_r < λ_r < u_r
//   z⁻, z⁺  z_low, z_high   (rows)             multipliers of the row's bounds, > 0 where the bound is finite
//   t       target_*        as the pair        what a complementarity product is driven to
#pragma once

#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct ShiftMemory;

/// Uniform numbers of one run, kept beside the arrays so that no lane has to hold them.
template <class Real>
struct InteriorPointOptions {
  Real epsilon;    // ε of the proximal term
  Real give_cost;  // c of the elastic mode; 0: contacts are rigid
  Real tolerance;  // on the estimate of the residual
  int max_iterations;
  Array<ShiftMemory<Real>> shift = nullptr;  // set: Newton steps take the shift with them (shift_coupling.hpp)
};

enum class InteriorPointEnd { kNone, kConverged, kStalled, kIterationLimit, kNotFinite };

template <class Real>
struct InteriorPointReport {
  InteriorPointEnd end;
  int iterations;
  Real estimate;  // of the residual
  Real best;      // least estimate: of InteriorPointState's best
};

/// Where a run is, kept like the options.
template <class Real>
struct InteriorPointProgress {
  Real products;    // number of complementarity products
  Real mu;          // their mean
  int short_steps;  // in a row
  InteriorPointReport<Real> report;
};

template <class Real>
struct InteriorPointState {
  Array<Real> v, center, direction, base, force_v;  // (nv) v, proximal centre, Δv, g − (H + εP) v + εP v_c, Jᵀλ
  Array<Real> u, du, force;                         // (contacts, dim) J v, J Δv, λ + Δλ without its part in Δv
  Array<Real> slack, beta, d_slack, d_beta, target;                // (contacts, k)
  Array<Real> inverse_slack;                                       // (contacts, k) 1/s
  Array<Real> scaling;                                             // (contacts) of quadratic cones: path/quadratic.hpp
  Array<Real> give, give_dual, d_give, d_give_dual, target_give;   // (contacts)
  Array<Real> u_row, du_row, row_lambda, d_row_lambda, row_force;  // (rows)
  Array<Real> z_low, z_high, dz_low, dz_high, target_low, target_high;
  Array<Real> lambda;  // (contacts, dim)

  AnswerArrays<Real> best;                    // (v, λ) of the least estimate of the residual
  Array<InteriorPointOptions<Real>> options;  // of the present run
  Array<InteriorPointProgress<Real>> progress;

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }
  ST_FN bool elastic() const { return options->give_cost > Real(0); }
};

template <class Real>
ST_FN InteriorPointState<Real> take_interior_point(const SolverCapacity& c, Arena& arena) {
  InteriorPointState<Real> x{};
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const int facets = c.max_contacts * c.shape.facets;
  x.v = take(c.nv), x.center = take(c.nv), x.direction = take(c.nv), x.base = take(c.nv), x.force_v = take(c.nv);
  const int impulses = c.max_contacts * c.shape.dimension;
  x.u = take(impulses), x.du = take(impulses), x.force = take(impulses), x.lambda = take(impulses);
  x.slack = take(facets), x.beta = take(facets), x.d_slack = take(facets), x.d_beta = take(facets);
  x.target = take(facets), x.inverse_slack = take(facets), x.scaling = take(c.max_contacts);
  x.give = take(c.max_contacts), x.give_dual = take(c.max_contacts);
  x.d_give = take(c.max_contacts), x.d_give_dual = take(c.max_contacts), x.target_give = take(c.max_contacts);
  x.u_row = take(c.max_rows), x.du_row = take(c.max_rows), x.row_lambda = take(c.max_rows);
  x.d_row_lambda = take(c.max_rows), x.row_force = take(c.max_rows);
  x.z_low = take(c.max_rows), x.z_high = take(c.max_rows), x.dz_low = take(c.max_rows), x.dz_high = take(c.max_rows);
  x.target_low = take(c.max_rows), x.target_high = take(c.max_rows);
  x.best = take_answer<Real>(c, arena);
  x.options = arena.take<InteriorPointOptions<Real>>(1), x.progress = arena.take<InteriorPointProgress<Real>>(1);
  return x;
}

/// Dual proximal weight of rows without a bound: keeps their D finite, moves with λ and so leaves no bias.
template <class Real>
ST_FN Real coupling_compliance() {
  return Real(1e-7);
}

template <class Real>
ST_FN bool has_low(const ScaledProblem<Real>& s, int r) {
  return !std::isinf(s.row_lower[r]);
}
template <class Real>
ST_FN bool has_high(const ScaledProblem<Real>& s, int r) {
  return !std::isinf(s.row_upper[r]);
}
/// No bound on its force.
template <class Real>
ST_FN bool is_coupling(const ScaledProblem<Real>& s, int r) {
  return !has_low(s, r) && !has_high(s, r);
}
/// l = u: λ is given, the row restricts nothing.
template <class Real>
ST_FN bool is_fixed(const ScaledProblem<Real>& s, int r) {
  return !(s.row_upper[r] > s.row_lower[r]);
}

}  // namespace stiction
