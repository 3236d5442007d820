// Proximal augmented Lagrangian with semismooth Newton steps, which takes a good (v, λ) to the accuracy that double
// allows.
//
//   λ_i⁺(v) = P_K(λ_i − ρ û_i(v))                                                              (1)
//   λ_r⁺(v) = clamp((λ_r/ρ − J_r v − b_r)/(R_r + 1/ρ), l_r, u_r)                               (2)
//   0 = F(v) = g − H v − εP (v − v_c) + Jᵀλ⁺(v)                                                (3)
//   (H + εP + Σ ρ J_iᵀ DP_K J_i + Σ D_r J_rᵀJ_r) d = F,  v ← v + α d                           (4)
//   first step from a start that is far off (polish/prediction.hpp): (4) with λ⁺ linear on the faces that hold λ
//   outer step: λ ← λ⁺, v_c ← v.  If the residual did not fall to 0.3 of the last one: ρ ← 5ρ (25ρ if it hardly fell),
//   or ε ← ε/10 if the motion lags (a small force moves a body a long way before a contact holds it).  If only rounding
//   is left of F: ρ ← ρ/5
// The matrix of (4) is factored again only if the faces that hold λ⁺ changed
// (docs/adr/0803-polish-on-the-same-faces.md).
//
// −F is the gradient of a convex, piecewise quadratic function, so the Newton steps end after finitely many sets of
// active facets. The line search for α looks at the slope of that function along d, which needs projections only. No
// dual matrix is ever formed, so dependent rows do no harm. In least-motion mode P is the mass and v_c = v_s
// (least_motion.hpp).
#pragma once

#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/polish/inner_problem.hpp"
#include "kernels/solver/polish/prediction.hpp"
#include "kernels/team/meeting.hpp"

namespace stiction {

namespace polish_detail {

/// λ⁺(α)·J d of a contact with torsion.
template <class Real>
ST_APART Real torsion_slope(const ScaledProblem<Real>& s, Real rho, Real alpha, const PolishState<Real>& x, int i) {
  const ContactVector<Real> du = s.load(x.du, i);
  return dot(project_contact_point(s, s.load(x.lambda, i), s.load(x.from_u, i) + alpha * du, rho, i), du);
}

/// Slope of the augmented Lagrangian at x.from_v + α d, from its linear part and the projections.
template <class Team, class Real>
ST_PHASE Real slope_along(const Team& team, const ScaledProblem<Real>& s, Real rho, Real linear, Real alpha,
                          const PolishState<Real>& x) {
  return linear - team.sum(s.num_contacts, Real(0), [&](int i) {
    const Real rho_i = rho * x.stiffness[i];
    if (s.dim == 4) return torsion_slope(s, rho_i, alpha, x, i);
    const Vec3<Real> du = load3(x.du + 3 * i);
    const auto p = project_contact(s, load3(x.lambda + 3 * i), load3(x.from_u + 3 * i) + alpha * du, rho_i, i);
    return dot(p.point, du);
  }) - team.sum(s.num_rows, Real(0), [&](int r) {
    const Real rho_r = rho * x.stiffness[s.num_contacts + r];
    const Real free = free_row_impulse(s, x.row_lambda[r], x.from_u_row[r] + alpha * x.du_row[r], rho_r, r);
    return clamp_row(s, free, r) * x.du_row[r];
  });
}

template <class Team, class Real>
ST_FN void keep_best(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.best.v[j] = x.v[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { x.best.lambda[i] = x.trial[i]; });
  team.each(s.num_rows, [&](int r) { x.best.row_lambda[r] = x.row_trial[r]; });
}

/// Newton steps of the least-motion mode with the least ε, before it begins again with a larger one.
constexpr int kDirectSteps = 12;
/// The pull εP (v − v_s) at the end of the least-motion mode, as a share of the tolerance.
template <class Real>
constexpr Real kLeastPull = Real(0.2);
/// The pull, relative to S_B, with which the least-motion mode begins again if the direct steps did not solve (3).
template <class Real>
constexpr Real kFirstPull = Real(2e-3);

/// An outer step may move multipliers by this share of the largest impulse. Faces that contradict each other slightly,
/// such as the eight corners of a box that rounding has tilted, release only once their multipliers have moved far
/// enough.
template <class Real>
constexpr Real kMultiplierStep = Real(0.3);

/// After an outer step: makes ρ larger if the contacts lag, and ε smaller if the motion lags.
template <class Team, class Real, class Factor>
ST_FN void tighten(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                   PolishState<Real>& x) {
  PolishProgress<Real>& now = *x.progress;
  const Real ratio = now.residual / now.last_outer;
  if (now.last_outer < Real(0) || !(ratio > Real(0.3))) return;
  const bool contact_lags = now.contact >= now.motion;
  const bool weakens = !contact_lags && now.epsilon > kLeastProximal<Real>;
  if (weakens) scale_proximal(team, s, Real(0.1), system);
  team.once([&] {
    const Real stiffer = now.rho * (ratio > Real(0.8) ? Real(25) : Real(5));
    if (contact_lags) now.rho = larger(now.rho, smaller(stiffer, kMultiplierStep<Real> / (now.speed * now.contact)));
    if (weakens) now.epsilon *= Real(0.1), now.changed = true;
  });
}

/// Number of steps without halving the imbalance after which a small imbalance counts as rounding.
constexpr int kFlatSteps = 6;

/// Keeps track of the imbalance of the inner problem, to notice when only rounding is left of it.
template <class Real>
ST_FN void notice_rounding(const PolishOptions<Real>& options, Real imbalance, PolishProgress<Real>& now) {
  const bool falls = now.least_imbalance < Real(0) || imbalance < Real(0.5) * now.least_imbalance;
  now.flat = falls ? 0 : now.flat + 1;
  if (falls) now.least_imbalance = imbalance;
  now.rounding = !options.least_motion && now.flat >= kFlatSteps && imbalance <= kRoundingImbalance<Real>;
}

template <class Team, class Real, class Factor>
ST_PHASE void start_polish(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                           PolishState<Real>& x) {
  const PolishOptions<Real>& options = *x.options;
  multiply_J(team, s, x.v, x.u, x.u_row);
  const Real speed = largest_speed(team, s, x.u, x.u_row, options.speed_floor);
  team.once([&] {
    PolishProgress<Real>& now = *x.progress;
    now.rho = options.stiffness / speed, now.epsilon = options.epsilon, now.speed = speed;
    now.last_outer = now.checkpoint = Real(-1);
    now.outers = 0;
    now.changed = true, now.shortens = now.solved = now.rounding = false;
    now.least_imbalance = Real(-1), now.flat = 0;
    now.report = {};
  });
  scale_to_blocks(team, s, options.epsilon / speed, system, x);
  if (options.least_motion) set_least_motion_proximal(team, s, options.epsilon, system);
}

/// True if the best residual has not fallen to 0.3 of what it was `patience` Newton steps ago.
template <class Real>
ST_FN bool is_out_of_patience(const PolishOptions<Real>& options, PolishProgress<Real>& now) {
  if (options.patience == 0 || now.report.iterations % options.patience != 0) return false;
  if (now.checkpoint >= Real(0) && now.report.residual > Real(0.3) * now.checkpoint) return true;
  now.checkpoint = now.report.residual;
  return false;
}

/// Computes the residual of (v, λ⁺), and keeps the iterate if it is the best. False if the run ends here.
template <class Team, class Real, class Factor>
ST_PHASE bool judge_iterate(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                            PolishState<Real>& x) {
  const PolishOptions<Real>& options = *x.options;
  PolishProgress<Real>& now = *x.progress;
  measure_scales(team, s, x.trial, x.row_trial, x.newton, system, x.scale);
  finish_newton_vector(team, s, x);
  const auto motion = measure_motion(team, s, x);
  const Real speed = largest_speed(team, s, x.u, x.u_row, options.speed_floor);
  const Real contact = natural_residual(team, s, system.impulse, speed, x), residual = larger(contact, motion.exact);
  if (!std::isfinite(residual)) return false;
  const bool eligible = !options.least_motion || now.outers >= kSettledOuters;
  const bool better = eligible && (now.report.residual < Real(0) || residual < now.report.residual);
  if (better) keep_best(team, s, x);
  const Real enough =
      options.least_motion ? settled_imbalance(team, s, x) : Real(0.1) * larger(contact, options.tolerance);
  team.once([&] {
    PolishReport<Real>& report = now.report;
    now.residual = residual, now.contact = contact, now.motion = motion.exact;
    notice_rounding(options, motion.proximal, now);
    now.settled = now.solved || now.rounding || motion.proximal <= enough;
    if (better) report.residual = residual;
    report.converged = report.residual >= Real(0) && report.residual <= options.tolerance;
    now.ended = report.converged || report.iterations >= options.max_iterations || is_out_of_patience(options, now);
  });
  return !now.ended;
}

/// True in least-motion mode if the steps with the least ε did not solve (3).
template <class Real>
ST_FN bool is_stuck(const PolishState<Real>& x) {
  const PolishProgress<Real>& now = *x.progress;
  return x.options->least_motion && now.outers == 0 && now.report.iterations == kDirectSteps;
}

/// Changes ε in least-motion mode: to a larger one if (3) is not solved, else to a smaller one until the pull is
/// kLeastPull of the tolerance.
template <class Team, class Real, class Factor>
ST_FN void change_epsilon(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                          PolishState<Real>& x) {
  const Real pull = largest_pull(team, s, x), enough = kLeastPull<Real> * x.options->tolerance;
  const bool settled = x.progress->settled;
  if (settled && !(pull > Real(1.5) * enough)) return;
  const Real factor = settled ? larger(Real(0.01), enough / pull) : larger(Real(1), kFirstPull<Real> / pull);
  scale_proximal(team, s, factor, system);
  team.once([&] { x.progress->epsilon *= factor, x.progress->changed = true, x.progress->outers = -1; });
}

/// The outer step: λ ← λ⁺, v_c ← v, and F for these.
template <class Team, class Real, class Factor>
ST_PHASE void step_outwards(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                            PolishState<Real>& x) {
  accept_multipliers(team, s, x);
  const bool rounding = x.progress->rounding;
  if (!x.options->least_motion) {
    team.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
    if (!rounding) tighten(team, s, system, x);
    team.once([&] {
      x.progress->last_outer = x.progress->residual;
      if (rounding) x.progress->rho *= Real(0.2);
    });
  } else {
    change_epsilon(team, s, system, x);
  }
  team.once([&] { x.progress->outers += 1, x.progress->least_imbalance = Real(-1), x.progress->flat = 0; });
  evaluate(team, s, system, x);
  finish_newton_vector(team, s, x);
}

/// v + α d, computed from the point where the step began, so that a small α keeps its digits.
template <class Team, class Real>
ST_PHASE void move_along(const Team& team, const ScaledProblem<Real>& s, Real alpha, PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.v[j] = x.from_v[j] + alpha * x.direction[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { x.u[i] = x.from_u[i] + alpha * x.du[i]; });
  team.each(s.num_rows, [&](int r) { x.u_row[r] = x.from_u_row[r] + alpha * x.du_row[r]; });
}

/// Takes the step (4) with α = 1. The factor of the last step is used again unless a weight has changed since, so that
/// a step on the same faces costs two triangular solves.
template <class Team, class Real, class Factor>
ST_PHASE void newton_step(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                          PolishState<Real>& x) {
  team.meet(Meeting::kFactor);
  if (x.progress->changed) factor_reduced_system(team, s, system);
  team.meet(Meeting::kSubstitute);
  team.each(s.nv, [&](int j) { x.direction[j] = x.newton[j]; });
  solve_reduced_system(team, s, system, x.direction);
  multiply_J(team, s, x.direction, x.du, x.du_row);
  team.each(s.nv, [&](int j) { x.from_v[j] = x.v[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { x.from_u[i] = x.u[i]; });
  team.each(s.num_rows, [&](int r) { x.from_u_row[r] = x.u_row[r]; });
  const Real descent = team.sum(s.nv, Real(0), [&](int j) { return x.newton[j] * x.direction[j]; });
  const Real linear = team.sum(s.nv, Real(0), [&](int j) { return x.base[j] * x.direction[j]; });
  team.once([&] {
    PolishProgress<Real>& now = *x.progress;
    now.descent = descent, now.linear = linear;
    now.changed = false, now.shortens = true;
    now.report.iterations += 1;
  });
  move_along(team, s, Real(1), x);
}

/// To be called after `evaluate` at v + d. If the augmented Lagrangian rises there, goes back along d to a point where
/// it is flat, and returns true. Its slope along d is −base·d − λ⁺·J d, and base is linear in α.
template <class Team, class Real>
ST_PHASE bool shorten_step(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  PolishProgress<Real>& now = *x.progress;
  if (!now.shortens) return false;
  const Real linear = team.sum(s.nv, Real(0), [&](int j) { return x.base[j] * x.direction[j]; });
  const Real slope = -linear - team.sum(s.nv, Real(0), [&](int j) { return x.newton[j] * x.direction[j]; });
  const bool rises = slope > kFlat<Real> * now.descent;
  team.once([&] { now.solved = !rises && !now.changed; });
  if (!rises) return false;
  const Real alpha = find_flat_point(now.descent, slope, [&](Real a) {
    return slope_along(team, s, now.rho, -(now.linear + a * (linear - now.linear)), a, x);
  });
  move_along(team, s, alpha, x);
  return true;
}

/// The share of the largest λ in `is_far_off`.
template <class Real>
constexpr Real kFarOff = Real(0.1);

/// True for a warm start whose λ does not match its v: λ⁺ − λ exceeds a share of the largest λ.
template <class Team, class Real>
ST_PHASE bool is_far_off(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  if (!x.options->predicts || x.progress->report.iterations > 0) return false;
  const int m = s.dim * s.num_contacts;
  const Real change = team.max(m, Real(0), [&](int i) { return std::fabs(x.trial[i] - x.lambda[i]); });
  return change > kFarOff<Real> * team.max(m, Real(0), [&](int i) { return std::fabs(x.lambda[i]); });
}

/// v_c ← v. The predicted step is never shortened, wherever it has led.
template <class Team, class Real>
ST_PHASE void keep_predicted_step(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
  team.once([&] { x.progress->changed = true, x.progress->shortens = false; });
}

/// Takes the step on the predicted faces, with α = 1.
template <class Team, class Real, class Factor>
ST_FN void predicted_step(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                          PolishState<Real>& x) {
  predict(team, s, system, x);
  newton_step(team, s, system, x);
  keep_predicted_step(team, s, x);
}

}  // namespace polish_detail

/// Polishes x.v, x.lambda, x.row_lambda around x.center with x.options. The result is in x.best, its report in
/// x.progress.
template <class Team, class Real, class Factor>
ST_BODY void polish(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                    PolishState<Real>& x) {
  using namespace polish_detail;
  start_polish(team, s, system, x);
  for (;;) {
    team.meet(Meeting::kEvaluate);
    evaluate(team, s, system, x);
    if (shorten_step(team, s, x)) evaluate(team, s, system, x);
    team.meet(Meeting::kJudge);
    if (!judge_iterate(team, s, system, x)) return;
    if (is_far_off(team, s, x)) {
      predicted_step(team, s, system, x);
      continue;
    }
    if (x.progress->settled || is_stuck(x)) step_outwards(team, s, system, x);
    newton_step(team, s, system, x);
  }
}

}  // namespace stiction
