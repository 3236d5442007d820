// A proximal point iteration whose inner problems are solved by nonsmooth Newton, for every law and cone and for a
// singular H.
//
//   H v = g + Jᵀλ,  (λ_i, J_i v + b_i + φ_i/h e_n) on the law's graph                                        (1)
//   inner   H v − g − Jᵀλ⁺ + Q (v − v_c) = 0,  (λ_i⁺, J_i v + b_i + φ_i/h e_n + (λ_i⁺ − λ_i)/ρ_i) on the graph  (2)
//   outer   v_c ← v,  λ ← λ⁺;  if the residual is above 0.3 of the last: ρ ← 5ρ, or Q ← Q/5 if the motion lags  (3)
//   if Newton steps do not solve the inner problem: v ← v_c,  ρ ← ρ/2,  Q ← 4Q                                 (4)
//
// (2) is (1) with Q added to H and 1/ρ added to the contacts' own compliance. So it has a solution even if H is
// singular or rows depend on each other, and λ⁺ is a function of v alone (newton_step.hpp). Under the convex laws (2)
// is the minimum of an augmented Lagrangian. Coulomb's law is not monotone, and (4) makes the iteration safe: the
// stronger the proximal terms, the smaller the steps and the easier (2). The numbers of Newton steps, of trials in
// their line searches and of outer iterations are all limited.
//
// ρ_i and Q are scaled to the impulses on the bodies (polish/inner_problem.hpp). The answer of least residual is kept.
// A start may take kNewtonStepsPerIteration times [solver] max_iterations steps, and all starts together
// max_total_iterations.
#pragma once

#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/reduced_plan.hpp"
#include "kernels/solver/polish/shift.hpp"
#include "kernels/solver/proximal/newton_step.hpp"

namespace stiction {

/// Bytes of scratch that `solve_newton` needs.
template <class Real, class Factor>
inline ScratchBytes newton_scratch(const SolverCapacity& capacity) {
  using Memory = NewtonMemory<Real, Factor>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { take_newton_memory(capacity, arena, m); });
}

constexpr int kNewtonStepsPerIteration = 20;

namespace newton_detail {

constexpr int kWarmSteps = 200;  // limit on the Newton steps from a warm start
// a warm start is given up if kWarmPatience steps did not bring the residual below kWarmShare of what it was, and it is
// above kHopeless
constexpr int kWarmPatience = 10;
constexpr double kWarmShare = 0.3;
constexpr double kHopeless = 0.1;
constexpr int kInnerSteps = 60;     // limit on the Newton steps of one inner problem
constexpr int kPatience = 10;       // number of steps in which ‖F‖ must halve
constexpr double kStiffness = 30;   // first ρ u_0, relative to the impulse on a body
constexpr double kProximal = 1e-3;  // first ε u_0, relative to the impulse on a body
constexpr double kEnough = 0.1;     // share of the residual below which max_B ‖F_B‖∞/S_B ends an inner problem
constexpr double kTighten = 5;      // factor of ρ and 1/Q in (3)
constexpr double kSoften = 2;       // factor of 1/ρ in (4)
constexpr double kRelax = 4;        // factor of Q in (4)

/// Limit on the Newton steps from one start.
ST_FN int most_steps(int max_iterations) { return kNewtonStepsPerIteration * max_iterations; }

/// max_B ‖F_B‖∞/S_B that rounding leaves.
template <class Real>
constexpr Real kLeastImbalance = sizeof(Real) == 8 ? Real(1e-13) : Real(1e-6);

template <class Real>
struct Progress {
  Real rho = Real(0), epsilon = Real(0);  // ρ and ε of (2); Q itself is in the system
  int steps = 0;                          // number of Newton steps so far
  Real least = Real(-1);                  // residual of the best answer; negative before the first
  Residual<Real> residual = {};           // residual of the last answer
};

enum class InnerEnd { kConverged, kSolved, kRounding, kLost };

/// Σ_b ‖F_b‖²/γ_b over the blocks
template <class Team, class Real>
ST_FN Real measure_imbalance(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  return team.sum(s.num_blocks, Real(0), [&](int b) {
    Real sum = Real(0);
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) sum += x.newton[j] * x.newton[j];
    return sum / x.block_force[b];
  });
}

/// True if F is small compared with the residual that the outer iteration has left.
template <class Team, class Real>
ST_FN bool is_solved(const Team& team, const ScaledProblem<Real>& s, Real residual, const PolishState<Real>& x) {
  const Real imbalance = largest_relative(team, s, x.scale, [&](int j) { return x.newton[j]; });
  return imbalance <= larger(Real(kEnough) * residual, kLeastImbalance<Real>);
}

/// Where F no longer falls: kRounding if only rounding is left of it, else kLost.
template <class Team, class Real>
ST_FN InnerEnd judge_flat(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  const Real imbalance = largest_relative(team, s, x.scale, [&](int j) { return x.newton[j]; });
  return imbalance <= kRoundingImbalance<Real> ? InnerEnd::kRounding : InnerEnd::kLost;
}

/// Solves (2), beginning at the state's v; v and λ⁺ are left in the state.
template <class Team, class Real, class Factor>
ST_BODY InnerEnd solve_inner(const Team& team, const ContactProblem<Real>& p, Real tolerance, int max_steps,
                             NewtonMemory<Real, Factor>& m, Progress<Real>& now, ContactSolution<Real>& out) {
  PolishState<Real>& x = m.state;
  Real checkpoint = Real(-1);
  for (int step = 0;; ++step) {
    evaluate(team, p.law, now.rho, m);
    const AnswerArrays<Real> answer{x.v, x.trial, x.row_trial};
    now.residual = write_answer(team, p, m.scaled, answer, m.residual, out);
    now.least = keep_best(team, m.scaled, answer, now.residual.total, now.least, x.best);
    if (now.least >= Real(0) && now.least <= tolerance) return InnerEnd::kConverged;
    if (!std::isfinite(now.residual.total)) return InnerEnd::kLost;
    if (step > 0 && is_solved(team, m.scaled, now.residual.total, x)) return InnerEnd::kSolved;
    if (step == kInnerSteps || now.steps >= max_steps) return InnerEnd::kLost;
    if (step % kPatience == 0) {
      const Real imbalance = measure_imbalance(team, m.scaled, x);
      if (step > 0 && imbalance > Real(0.25) * checkpoint) return judge_flat(team, m.scaled, x);
      checkpoint = imbalance;
    }
    newton_step(team, p.law, now.rho, m);
    ++now.steps;
  }
}

/// Changes ρ or Q by (3) after an inner problem that left the share `ratio` of the residual
template <class Team, class Real, class Factor>
ST_FN void tighten(const Team& team, Real ratio, NewtonMemory<Real, Factor>& m, Progress<Real>& now) {
  if (!(ratio > Real(0.3))) return;
  if (larger(now.residual.contact, now.residual.row) >= now.residual.motion) {
    now.rho *= Real(kTighten);
  } else if (now.epsilon > kLeastProximal<Real>) {
    now.epsilon /= Real(kTighten);
    scale_proximal(team, m.scaled, Real(1 / kTighten), m.system);
  }
}

/// Goes back to the centre and strengthens the proximal terms by (4).
template <class Team, class Real, class Factor>
ST_FN void relax(const Team& team, NewtonMemory<Real, Factor>& m, Progress<Real>& now) {
  PolishState<Real>& x = m.state;
  now.rho /= Real(kSoften), now.epsilon *= Real(kRelax);
  scale_proximal(team, m.scaled, Real(kRelax), m.system);
  team.each(m.scaled.nv, [&](int j) { x.v[j] = x.center[j]; });
  multiply_J(team, m.scaled, x.v, x.u, x.u_row);
}

/// Fills what shift_coupling.hpp and the choice of the least motion read in the shift memory.
template <class Team, class Real>
ST_FN void start_coupling(const Team& team, const ScaledProblem<Real>& s, ShiftMemory<Real>& shift) {
  keep_gaps(team, s, shift);
  team.each(s.num_rows, [&](int r) { shift.no_rows[r] = Real(0); });
}

/// Sets ρ, Q and their scales from (v, λ); `least_speed` bounds u_0 from below.
template <class Team, class Real, class Factor>
ST_FN void start_proximal(const Team& team, Real least_speed, NewtonMemory<Real, Factor>& m, Progress<Real>& now) {
  PolishState<Real>& x = m.state;
  const ScaledProblem<Real>& s = m.scaled;
  multiply_J(team, s, x.v, x.u, x.u_row);
  const Real speed = largest_speed(team, s, x.u, x.u_row, least_speed);
  now.rho = Real(kStiffness) / speed, now.epsilon = Real(kProximal) / speed;
  scale_to_blocks(team, s, now.epsilon, m.system, x);
}

/// The steps and the least residual of a start when `leads_nowhere` last looked at them.
template <class Real>
struct Checkpoint {
  int steps;
  Real least;
};

/// True if the run is far from an answer and hardly nearer to it than kWarmPatience steps ago.
template <class Real>
ST_FN bool leads_nowhere(const Progress<Real>& now, Checkpoint<Real>& last) {
  if (now.steps < last.steps + kWarmPatience) return false;
  const bool nearer = last.least < Real(0) || now.least < Real(kWarmShare) * last.least;
  last = {now.steps, now.least};
  return !nearer && now.least > Real(kHopeless);
}

/// Repeats (3) and (4) from the state's (v, λ) until the residual is within the tolerance. `another`: another start
/// follows, so this one is given up if it leads nowhere.
template <class Team, class Real, class Factor>
ST_FN void iterate(const Team& team, const ContactProblem<Real>& p, Real tolerance, int max_steps, bool another,
                   NewtonMemory<Real, Factor>& m, Progress<Real>& now, ContactSolution<Real>& out) {
  PolishState<Real>& x = m.state;
  Real last = Real(-1);
  Checkpoint<Real> checkpoint{now.steps, Real(-1)};
  for (int outer = 0; outer <= max_steps; ++outer) {
    team.each(m.scaled.nv, [&](int j) { x.center[j] = x.v[j]; });
    const InnerEnd end = solve_inner(team, p, tolerance, max_steps, m, now, out);
    if (end == InnerEnd::kConverged || now.steps >= max_steps) return;
    if (another && leads_nowhere(now, checkpoint)) return;
    if (end == InnerEnd::kSolved) {
      accept_multipliers(team, m.scaled, x);
      if (last > Real(0)) tighten(team, now.residual.total / last, m, now);
      last = now.residual.total;
    } else if (end == InnerEnd::kRounding) {  // rounding grows with ρ
      accept_multipliers(team, m.scaled, x);
      now.rho /= Real(kTighten);
      last = Real(-1);
    } else {
      relax(team, m, now);
      last = Real(-1);
    }
  }
}

/// Finds an answer from the warm start, or from the problem's start if the warm start leads nowhere. Under Coulomb's
/// law a start that the problem names replaces the warm start: a contact that sticks there sticks if it can.
template <class Team, class Real, class Factor>
ST_FN void find_answer(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                       const WarmStart<Real>& warm, Real speed_floor, NewtonMemory<Real, Factor>& m,
                       Progress<Real>& now, ContactSolution<Real>& out) {
  const PolishState<Real>& x = m.state;
  const Real tolerance = static_cast<Real>(config.tolerance);
  const bool starts_there = p.start && shifts_gap(p.law);
  const bool warms = warm.v && warm.lambda && !starts_there;
  for (int start = warms ? 0 : 1; start < 2; ++start) {
    const bool is_warm = start == 0;
    AnswerArrays<Real> from{x.v, x.lambda, x.row_lambda};
    scale_warm_start(team, p, is_warm ? &warm : nullptr, m.scaled, from);
    start_proximal(team, is_warm ? speed_floor : larger(speed_floor, Real(1)), m, now);
    const int most = most_steps(config.max_iterations);
    const int steps = is_warm ? smaller(kWarmSteps, most) : now.steps + most;
    iterate(team, p, tolerance, smaller(steps, most_iterations(config)), is_warm, m, now, out);
    if (now.least >= Real(0) && (now.least <= tolerance || now.steps >= most_iterations(config))) return;
  }
}

/// Of several v that solve the step, leaves the one nearest to the start in x.best. Under Coulomb's law this is with
/// the shift of the v that was found.
template <class Team, class Real, class Factor>
ST_BODY void prefer_nearest_motion(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                   Real speed_floor, NewtonMemory<Real, Factor>& m, Progress<Real>& now,
                                   ContactSolution<Real>& out) {
  PolishState<Real>& x = m.state;
  const int steps = smaller(config.max_iterations, most_iterations(config) - now.steps);
  copy_answer(team, m.scaled, x.best, m.kept[0]);
  if (shifts_gap(p.law)) guess_shift(team, x.best.v, m.scaled, x, m.shift);
  team.once([&] {
    *x.options = {.epsilon = Real(kProximal),
                  .tolerance = Real(0.5 * config.tolerance),
                  .speed_floor = speed_floor,
                  .stiffness = Real(kStiffness),
                  .max_iterations = steps};
  });
  team.once([&] { x.progress->report = {.converged = true, .iterations = now.steps, .residual = now.least}; });
  if (start_least_motion(team, m.scaled, steps, m.system, x, m.kept[1])) {
    polish(team, m.scaled, m.system, x);
    finish_least_motion(team, m.scaled, m.kept[1], x);
    now.steps = x.progress->report.iterations;
  }
  const Real residual = write_answer(team, p, m.scaled, x.best, m.residual, out).total;
  if (!(residual <= static_cast<Real>(config.tolerance))) copy_answer(team, m.scaled, m.kept[0], x.best);
}

}  // namespace newton_detail

/// The result of the steps from one start.
template <class Real>
struct NewtonRun {
  int steps;
  Real least;  // residual of the state's best answer; negative: there is none
};

/// Takes at most `left` steps from the state's (v, λ); `warm`: with the limits for a warm start, which is given up if
/// it leads nowhere.
template <class Team, class Real, class Factor>
ST_FN NewtonRun<Real> run_newton(const Team& team, const ContactProblem<Real>& p, Real tolerance, int max_iterations,
                                 Real least_speed, int left, bool warm, NewtonMemory<Real, Factor>& m,
                                 ContactSolution<Real>& out) {
  using namespace newton_detail;
  Progress<Real> now;
  start_proximal(team, least_speed, m, now);
  const int all = smaller(most_steps(max_iterations), left);
  iterate(team, p, tolerance, warm ? smaller(all, kWarmSteps) : all, warm, m, now, out);
  return {now.steps, now.least};
}

/// Returns the solution, or else the best iterate; the reason why there is no better one is found in proof/explain.hpp.
template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_newton(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                      const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  using namespace newton_detail;
  if (!is_well_posed(team, p)) return report_not_finite(team, p, out);
  using Memory = NewtonMemory<Real, Factor>;
  auto& m = place<Memory>(team, arena, [&](Arena& rest, Memory& m) { take_newton_memory(capacity_of(p), rest, m); });
  scale_problem(team, p, m.scaled);
  if (!plan_reduced_system(team, m.scaled, m.system)) return report_factor_full(team, p, out);
  if (shifts_gap(p.law)) start_coupling(team, m.scaled, m.shift);
  const Real speed_floor = Real(1e-3) / (p.step_size * m.scaled.units.velocity);

  Progress<Real> now;
  find_answer(team, p, config, warm, speed_floor, m, now, out);
  const bool converged = now.least >= Real(0) && now.least <= static_cast<Real>(config.tolerance);
  if (converged) prefer_nearest_motion(team, p, config, speed_floor, m, now, out);

  SolverReport<Real> report{status::kIterationLimit, now.steps, now.least, Real(0), nullptr};
  finish_report(team, p, config, m.scaled, m.state.best, m.residual, out, &report);
  return report;
}

}  // namespace stiction
