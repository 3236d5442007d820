// The variables of the primal-dual interior point method, in the units of ScaledProblem.
//
//   symbol  variable        shape              meaning
//   v       v               (nv)
//   s_ik    slack           (contacts, k)      g_k·(J_i v + b_i + φ_i/h e_n) + τ_i = s_ik > 0
//   β_ik    beta            (contacts, k)      impulse along generator k, > 0;  λ_i = Σ_k β_ik g_k
//   τ_i     give            (contacts)         elastic only: slack of the normal row, > 0, at cost c
//   η_i     give_dual       (contacts)         elastic only: c − Σ_k β_ik = η_i > 0
//   λ_r     row_lambda      (rows)             l_r < λ_r < u_r
//   z⁻, z⁺  z_low, z_high   (rows)             multipliers of the row's bounds, > 0 where the bound is finite
//   t       target_*        as its pair        value to which a complementarity product is driven
#pragma once

#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct ShiftMemory;

/// Settings of one run, the same for all lanes; they are in memory so that no lane has to hold them.
template <class Real>
struct InteriorPointOptions {
  Real epsilon;    // ε of the proximal term
  Real give_cost;  // c of the elastic mode; 0: contacts are rigid
  Real tolerance;  // bounds the estimate of the residual
  int max_iterations;
  Array<ShiftMemory<Real>> shift = nullptr;  // if set, Newton steps couple the shift to v (shift_coupling.hpp)
};

enum class InteriorPointEnd { kNone, kConverged, kStalled, kIterationLimit, kNotFinite };

template <class Real>
struct InteriorPointReport {
  InteriorPointEnd end;
  int iterations;
  Real estimate;  // of the residual at the present iterate
  Real best;      // least estimate so far, which InteriorPointState's `best` has; negative: none yet
};

/// The progress of a run; in memory like the options.
template <class Real>
struct InteriorPointProgress {
  Real products;    // number of complementarity products
  Real mu;          // mean of the products at the present iterate
  int short_steps;  // number of very short steps in a row
  InteriorPointReport<Real> report;
};

template <class Real>
struct InteriorPointState {
  // v, u = J v and the positive variables are the iterate, valid from the start on. lambda, base and force_v belong to
  // the iterate that was judged last; inverse_slack and scaling to the last Newton matrix; d_*, du, direction and force
  // to the last direction.
  Array<Real> v, center, direction, base, force_v;  // (nv) v, proximal centre, Δv, g − (H + εP) v + εP v_c, Jᵀλ
  Array<Real> u, du, force;                         // (contacts, dim) J v, J Δv, λ + Δλ without its part in Δv
  Array<Real> slack, beta, d_slack, d_beta, target;                     // (contacts, k)
  Array<Real> inverse_slack;                                            // (contacts, k) 1/s; quadratic cones: w
  Array<Real> scaling;                                                  // (contacts) η of path/quadratic.hpp
  Array<Real> give, give_dual, d_give, d_give_dual, target_give;        // (contacts) in elastic mode only
  Array<Real> u_row, du_row, row_lambda, d_row_lambda, row_force;       // (rows)
  Array<Real> z_low, z_high, dz_low, dz_high, target_low, target_high;  // (rows)
  Array<Real> lambda;                                                   // (contacts, dim)

  AnswerArrays<Real> best;                      // (v, λ) of the least estimate of the residual so far
  Array<InteriorPointOptions<Real>> options;    // of the present run
  Array<InteriorPointProgress<Real>> progress;  // of the present run

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }
  ST_FN bool elastic() const { return options->give_cost > Real(0); }
};

template <class Real>
ST_FN InteriorPointState<Real> take_interior_point(const SolverCapacity& capacity, Arena& arena) {
  InteriorPointState<Real> x{};
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const int facets = capacity.max_contacts * capacity.shape.facets;
  x.v = take(capacity.nv), x.center = take(capacity.nv), x.direction = take(capacity.nv), x.base = take(capacity.nv),
  x.force_v = take(capacity.nv);
  const int impulses = capacity.max_contacts * capacity.shape.dimension;
  x.u = take(impulses), x.du = take(impulses), x.force = take(impulses), x.lambda = take(impulses);
  x.slack = take(facets), x.beta = take(facets), x.d_slack = take(facets), x.d_beta = take(facets);
  x.target = take(facets), x.inverse_slack = take(facets), x.scaling = take(capacity.max_contacts);
  x.give = take(capacity.max_contacts), x.give_dual = take(capacity.max_contacts);
  x.d_give = take(capacity.max_contacts), x.d_give_dual = take(capacity.max_contacts),
  x.target_give = take(capacity.max_contacts);
  x.u_row = take(capacity.max_rows), x.du_row = take(capacity.max_rows), x.row_lambda = take(capacity.max_rows);
  x.d_row_lambda = take(capacity.max_rows), x.row_force = take(capacity.max_rows);
  x.z_low = take(capacity.max_rows), x.z_high = take(capacity.max_rows), x.dz_low = take(capacity.max_rows),
  x.dz_high = take(capacity.max_rows);
  x.target_low = take(capacity.max_rows), x.target_high = take(capacity.max_rows);
  x.best = take_answer<Real>(capacity, arena);
  x.options = arena.take<InteriorPointOptions<Real>>(1), x.progress = arena.take<InteriorPointProgress<Real>>(1);
  return x;
}

/// Dual proximal weight of rows without a bound, which keeps their D finite. Its centre moves with λ, so it leaves no
/// bias.
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
/// True for a row whose force has no bound.
template <class Real>
ST_FN bool is_coupling(const ScaledProblem<Real>& s, int r) {
  return !has_low(s, r) && !has_high(s, r);
}
/// True for a row with l = u: its λ is given, and it does not restrict the motion.
template <class Real>
ST_FN bool is_fixed(const ScaledProblem<Real>& s, int r) {
  return !(s.row_upper[r] > s.row_lower[r]);
}

}  // namespace stiction
