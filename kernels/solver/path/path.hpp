// Mehrotra's predictor-corrector on the contact problem, without a factor of H alone.
//
//   (H + εP) v − g − εP v_c − Jᵀλ = 0,  a_k v + c_k = s_k,  s_k β_k = t_k                (1)
//   S Δv = g − (H + εP) v + εP v_c + Jᵀ f                                               (2)  path/contact.hpp
//   t = 0: predictor;  σ = (μ_aff/μ)³;  t = σμ − Δs Δβ: corrector                       (3)
//
// The run ends when the estimate is below the tolerance: the largest of min(β/λ_max, s/u_max) over all products and of
// the linear residuals. It bounds the natural map from above, in the solver's own units, so that the certified residual
// has to be computed only once.
#pragma once

#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/path/contact.hpp"
#include "kernels/solver/path/row.hpp"
#include "kernels/solver/polish/shift_coupling.hpp"

namespace stiction {

/// Once the estimate was below this value, the path approaches a solution. If it then grows to 30 times its least value
/// while the mean product is below kRoundingMu, rounding has taken over.
template <class Real>
constexpr Real kPromisingEstimate = Real(1e-2);

namespace path_detail {

/// Sets base = g − (H + εP) v + εP v_c, lambda and force_v = Jᵀλ. Returns ‖base + Jᵀλ‖∞.
template <class Team, class Real, class Factor>
ST_FN Real motion_residual(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                           InteriorPointState<Real>& x) {
  team.each(s.num_contacts, [&](int i) { s.store(x.lambda, i, contact_impulse(s, x, i)); });
  each_range(team, s, [&](const DofRange& dofs) {
    write_motion_base(s, system, dofs, x.v, x.center, x.direction, x.base);
    write_JT(team, s, system, dofs, x.lambda, x.row_lambda, x.force_v);
  });
  return team.max(s.nv, Real(0), [&](int j) { return std::fabs(x.base[j] + x.force_v[j]); });
}

/// The largest min(β/λ_max, s/u_max), or the largest primal residual over u_max if that is larger.
template <class Team, class Real>
ST_FN Real complementarity_estimate(const Team& team, const ScaledProblem<Real>& s, bool elastic, Real lambda_max,
                                    Real u_max, const InteriorPointState<Real>& x) {
  const Real a = Real(1) / lambda_max, b = Real(1) / u_max;
  const Real contacts =
      team.max(s.num_contacts, Real(0), [&](int i) { return contact_estimate(s, x, elastic, a, b, i); });
  const Real rows = team.max(s.num_rows, Real(0), [&](int r) {
    Real worst = std::fabs(row_residual(s, x, r)) * b;
    if (is_fixed(s, r)) return Real(0);
    if (has_low(s, r)) worst = larger(worst, smaller((x.row_lambda[r] - s.row_lower[r]) * a, x.z_low[r] * b));
    if (has_high(s, r)) worst = larger(worst, smaller((s.row_upper[r] - x.row_lambda[r]) * a, x.z_high[r] * b));
    return worst;
  });
  return larger(contacts, rows);
}

/// Upper bound of the residual in the solver's units; λ_max and u_max as in the residual.
template <class Team, class Real, class Factor>
ST_PHASE Real estimate_residual(const Team& team, const ScaledProblem<Real>& s,
                                const ReducedSystem<Real, Factor>& system, InteriorPointState<Real>& x) {
  const Real motion = motion_residual(team, s, system, x);
  const Real force_max = team.max(s.nv, Real(0), [&](int j) { return std::fabs(x.force_v[j]); });
  const Real g_max = team.max(s.nv, Real(0), [&](int j) { return std::fabs(s.g[j]); });
  const Real scale = larger(g_max, Real(1e-3));
  const Real lambda_max =
      larger(team.max(s.dim * s.num_contacts, Real(0), [&](int i) { return std::fabs(x.lambda[i]); }),
             larger(team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(x.row_lambda[r]); }), scale));
  const Real u_max =
      larger(team.max(s.dim * s.num_contacts, Real(0), [&](int i) { return std::fabs(x.u[i]); }),
             larger(team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(x.u_row[r]); }), Real(1e-3)));
  const Real products = complementarity_estimate(team, s, x.elastic(), lambda_max, u_max, x);
  return larger(products, motion / larger(scale, force_max));
}

template <class Team, class Real, class Factor>
ST_PHASE void factor_newton_matrix(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                                   InteriorPointState<Real>& x) {
  const bool elastic = x.elastic();
  team.each(s.num_contacts, [&](int i) { store_weight(i, weigh_contact(s, elastic, i, x), system); });
  team.each(s.num_rows, [&](int r) { system.weight[s.num_contacts + r].nn = weigh_row(s, x, r); });
  factor_reduced_system(team, s, system);
}

/// Computes the directions of all variables for the targets in x, by (2).
template <class Team, class Real, class Factor>
ST_PHASE void find_direction(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                             InteriorPointState<Real>& x) {
  const Real cost = x.options->give_cost;
  team.each(s.num_contacts, [&](int i) { s.store(x.force, i, contact_force_target(s, cost, i, x)); });
  team.each(s.num_rows,
            [&](int r) { x.row_force[r] = row_force_target(s, system.weight[s.num_contacts + r].nn, r, x); });
  each_range(team, s, [&](const DofRange& dofs) {
    for (int j = dofs.begin; j < dofs.end; ++j) x.direction[j] = x.base[j];
    add_JT(team, s, system, dofs, x.force, x.row_force, x.direction);
  });
  solve_reduced_system(team, s, system, x.direction);
  multiply_J(team, s, x.direction, x.du, x.du_row);
  ShiftMemory<Real>* shift = x.options->shift;
  if (shift) couple_direction(team, s, system, kPathForcing<Real>, *shift, x);
  team.each(s.num_contacts, [&](int i) {
    const Real lift = shift ? shift->y[i] : Real(0);
    x.du[s.dim * i] += lift;
    contact_direction(s, cost, i, x);
    x.du[s.dim * i] -= lift;
  });
  team.each(s.num_rows, [&](int r) { row_direction(s, system.weight[s.num_contacts + r].nn, r, x); });
}

/// `keep` times the length of the longest step that keeps all products positive; at most 1.
template <class Team, class Real>
ST_PHASE Real step_length(const Team& team, const ScaledProblem<Real>& s, bool elastic, Real keep,
                          const InteriorPointState<Real>& x) {
  const Real contacts = team.max(s.num_contacts, Real(0), [&](int i) { return contact_shrinkage(s, x, elastic, i); });
  const Real rows = team.max(s.num_rows, Real(0), [&](int r) { return row_shrinkage(s, x, r); });
  const Real shrinkage = larger(contacts, rows);
  return shrinkage > keep ? keep / shrinkage : Real(1);
}

template <class Team, class Real>
ST_PHASE Real total_gap(const Team& team, const ScaledProblem<Real>& s, bool elastic, Real alpha,
                        const InteriorPointState<Real>& x) {
  return team.sum(s.num_contacts, Real(0), [&](int i) { return contact_gap(s, x, elastic, alpha, i); }) +
         team.sum(s.num_rows, Real(0), [&](int r) { return row_gap(s, x, alpha, r); });
}

template <class Team, class Real>
ST_FN void set_targets(const Team& team, const ScaledProblem<Real>& s, bool elastic, Real centered, bool correct,
                       InteriorPointState<Real>& x) {
  team.each(s.num_contacts, [&](int i) {
    if (correct) return correct_contact_target(s, elastic, centered, i, x);
    set_contact_target(s, centered, i, x);
  });
  team.each(s.num_rows, [&](int r) {
    if (correct) return correct_row_target(s, centered, r, x);
    x.target_low[r] = x.target_high[r] = centered;
  });
}

/// Mean products below this are rounding: the Newton matrix has lost the rows that are not active.
template <class Real>
ST_FN Real least_mu() {
  return sizeof(Real) == 8 ? Real(1e-18) : Real(1e-9);
}

template <class Real>
constexpr Real kRoundingMu = sizeof(Real) == 8 ? Real(1e-7) : Real(1e-3);

/// So many very short steps in a row end the run: there is no interior, or the directions are lost in rounding.
constexpr int kShortSteps = 8;

template <class Real>
ST_FN InteriorPointEnd classify_iterate(const InteriorPointReport<Real>& report,
                                        const InteriorPointOptions<Real>& options, Real mu, int short_steps) {
  if (!std::isfinite(report.estimate) || !std::isfinite(mu)) return InteriorPointEnd::kNotFinite;
  if (report.estimate <= options.tolerance) return InteriorPointEnd::kConverged;
  if (report.iterations >= options.max_iterations) return InteriorPointEnd::kIterationLimit;
  const bool at_floor = report.iterations > 0 && mu > Real(0) && mu < least_mu<Real>();
  const bool lost =
      mu < kRoundingMu<Real> && report.best < kPromisingEstimate<Real> && report.estimate > Real(30) * report.best;
  return at_floor || lost || short_steps >= kShortSteps ? InteriorPointEnd::kStalled : InteriorPointEnd::kNone;
}

template <class Team, class Real, class Factor>
ST_PHASE void start_run(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                        InteriorPointState<Real>& x) {
  const bool elastic = x.elastic();
  const Real products = team.sum(s.num_contacts, Real(0), [&](int i) {
    return Real(contact_products(s, elastic, i));
  }) + team.sum(s.num_rows, Real(0), [&](int r) { return Real(row_products(s, r)); });
  set_least_motion_proximal(team, s, x.options->epsilon, system);
  team.once([&] { *x.progress = {products, Real(0), 0, {InteriorPointEnd::kNone, 0, Real(0), Real(-1)}}; });
}

/// Estimates the residual and keeps the best iterate. Returns why the run ends here, or kNone if it goes on.
template <class Team, class Real, class Factor>
ST_PHASE InteriorPointEnd judge_iterate(const Team& team, const ReducedSystem<Real, Factor>& system,
                                        ScaledProblem<Real>& s, InteriorPointState<Real>& x) {
  InteriorPointProgress<Real>& now = *x.progress;
  ShiftMemory<Real>* shift = x.options->shift;
  const Real mu = now.products > Real(0) ? total_gap(team, s, x.elastic(), Real(0), x) / now.products : Real(0);
  if (shift) follow_shift(team, mu, x.u, s, *shift);
  const Real estimate = estimate_residual(team, s, system, x), least = now.report.best;
  const bool finite = std::isfinite(estimate) && std::isfinite(mu);
  const bool better = finite && (!(least >= Real(0)) || estimate < least);
  if (better) copy_answer(team, s, x.answer(), x.best);
  team.once([&] {
    now.mu = mu, now.report.estimate = estimate;
    if (better) now.report.best = estimate;
    now.report.end = classify_iterate(now.report, *x.options, mu, now.short_steps);
  });
  return now.report.end;
}

/// The predictor: directions that aim straight at complementarity, with all targets 0.
template <class Team, class Real, class Factor>
ST_PHASE void predict(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                      InteriorPointState<Real>& x) {
  set_targets(team, s, x.elastic(), Real(0), false, x);
  find_direction(team, s, system, x);
}

/// The corrector: directions back towards the central path, with the second-order term.
template <class Team, class Real, class Factor>
ST_PHASE void correct(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                      InteriorPointState<Real>& x) {
  const bool elastic = x.elastic();
  const Real affine_alpha = step_length(team, s, elastic, Real(1), x);
  const Real mu = x.progress->mu;
  const Real ratio = total_gap(team, s, elastic, affine_alpha, x) / (x.progress->products * mu);
  set_targets(team, s, elastic, ratio * ratio * ratio * mu, true, x);
  find_direction(team, s, system, x);
}

template <class Team, class Real>
ST_PHASE void advance(const Team& team, const ScaledProblem<Real>& s, InteriorPointState<Real>& x) {
  const bool elastic = x.elastic();
  const Real alpha = step_length(team, s, elastic, Real(0.995), x);
  team.each(s.nv, [&](int j) { x.v[j] += alpha * x.direction[j]; });
  team.each(s.num_contacts, [&](int i) { step_contact(s, elastic, alpha, i, x); });
  team.each(s.num_rows, [&](int r) { step_row(alpha, r, x); });
  team.once([&] {
    x.progress->short_steps = alpha < Real(1e-2) ? x.progress->short_steps + 1 : 0;
    x.progress->report.iterations += 1;
  });
}

}  // namespace path_detail

/// Sets the start. Contacts begin with s = max(a v + c, 1) and β = 1, an impulse of the problem's size even where the
/// gap is large, because otherwise nothing would hold back a body without stiffness. Rows begin with products of 1.
template <class Team, class Real>
ST_FN void start_interior_point(const Team& team, const ScaledProblem<Real>& s, Real cost,
                                InteriorPointState<Real>& x) {
  multiply_J(team, s, x.v, x.u, x.u_row);
  team.each(s.num_contacts, [&](int i) { start_contact(s, cost, i, x); });
  team.each(s.num_rows, [&](int r) {
    const Real low = s.row_lower[r], high = s.row_upper[r];
    x.z_low[r] = x.z_high[r] = Real(1);
    x.d_row_lambda[r] = x.dz_low[r] = x.dz_high[r] = Real(0);
    if (is_fixed(s, r)) {
      x.row_lambda[r] = low;
    } else if (has_low(s, r) && has_high(s, r)) {
      x.row_lambda[r] = Real(0.5) * (low + high);
      x.z_low[r] = x.z_high[r] = Real(1) / larger(Real(0.5) * (high - low), Real(1e-3));
    } else {
      const Real reach = x.u_row[r] + s.row_offset[r];
      x.z_low[r] = reach > Real(1) ? reach : Real(1);
      x.z_high[r] = -reach > Real(1) ? -reach : Real(1);
      x.row_lambda[r] = has_low(s, r)    ? low + Real(1) / x.z_low[r]
                        : has_high(s, r) ? high - Real(1) / x.z_high[r]
                                         : Real(0);
    }
  });
}

/// Runs from a start (`start_interior_point`) with the proximal centre x.center and x.options. Leaves v, λ and all
/// products in x, so that another call continues from there, and the report in x.progress.
template <class Team, class Real, class Factor>
ST_BODY void run_interior_point(const Team& team, ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                                InteriorPointState<Real>& x) {
  using namespace path_detail;
  start_run(team, s, system, x);
  while (judge_iterate(team, system, s, x) == InteriorPointEnd::kNone) {
    factor_newton_matrix(team, s, system, x);
    predict(team, s, system, x);
    if (x.progress->products > Real(0)) correct(team, s, system, x);
    advance(team, s, x);
  }
}

}  // namespace stiction
