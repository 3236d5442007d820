// The two phases on one scaled problem: interior point to where the active facets show, then the polish; if that does
// not reach the tolerance, further along the central path and again.
#pragma once

#include "kernels/solver/interior_point_loop.hpp"
#include "kernels/solver/least_motion.hpp"

namespace stiction {

template <class Real, class Factor>
struct SolverWorkspace {
  ReducedSystem<Real, Factor> system;
  InteriorPointState<Real> interior;
  PolishState<Real> polish;
  AnswerArrays<Real> kept;  // the best answer of earlier phases
};

template <class Real, class Factor>
ST_FN SolverWorkspace<Real, Factor> take_solver_workspace(const SolverCapacity& c, int stride, Arena& arena) {
  SolverWorkspace<Real, Factor> w{};
  w.system = take_reduced_system<Real, Factor>(c, stride, arena);
  w.interior = take_interior_point<Real>(c, arena);
  w.polish = take_polish<Real>(c, arena);
  w.kept = take_answer<Real>(c, arena);
  return w;
}

template <class Real>
struct ScaledOptions {
  Real tolerance;      // on the residual
  Real speed_floor;    // 1 mm/h in the units of the scaled problem
  Real give_cost;      // 0: rigid
  int max_iterations;  // of each phase
};

template <class Real>
struct ScaledReport {
  bool converged;
  bool out_of_iterations;
  int iterations;
  Real residual;  // of polish.best_*
};

/// Constants of the two phases; measured on generated stacks (h 0.001-0.4 s, mass ratios to 1e6).
template <class Real, class Factor = Real>
struct PhaseConstants {
  static constexpr bool kSingle = sizeof(Factor) == 4;  // weights of the path beyond 1e5 : 1 are lost
  static constexpr Real kLeastMotion = kSingle ? Real(1e-6) : Real(1e-8);  // ε of the interior point
  static constexpr Real kFirstHandover =
      kSingle ? Real(3e-3) : Real(1e-5);                                   // estimate at which the first polish starts
  static constexpr Real kNextHandover = kSingle ? Real(0.2) : Real(1e-2);  // factor from polish to polish
  static constexpr Real kStiffness = Real(30);       // ρ u_0 of the polish over the impulse of a body
  static constexpr Real kProximal = Real(1e-3);      // ε u_0 of the polish over the impulse of a body
  static constexpr int kHopelessSteps = 3;           // Newton steps of the polish then
  static constexpr int kPatience = kSingle ? 0 : 6;  // Newton steps before the path is the better way
  static constexpr int kHandovers = 3;
};

/// Polishes from w.interior.best, then takes the least motion if there is a choice.
template <class Team, class Real, class Factor>
ST_FN PolishReport<Real> polish_interior(const Team& team, const ScaledProblem<Real>& s,
                                         const ScaledOptions<Real>& options, int max_iterations, int patience,
                                         const SolverWorkspace<Real, Factor>& w) {
  using Constants = PhaseConstants<Real, Factor>;
  const AnswerArrays<Real>& from = w.interior.best;
  team.each(s.nv, [&](int j) { w.polish.v[j] = w.polish.center[j] = from.v[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { w.polish.lambda[i] = from.lambda[i]; });
  team.each(s.num_rows, [&](int r) { w.polish.row_lambda[r] = from.row_lambda[r]; });
  const PolishOptions<Real> polish_options{
      Constants::kProximal, options.tolerance, options.speed_floor, Constants::kStiffness, false,
      max_iterations,       patience};
  const PolishReport<Real> found = polish(team, s, polish_options, w.system, w.polish);
  if (!found.converged) return found;
  return choose_least_motion(team, s, polish_options, found, w.system, w.polish, w.interior.answer());
}

/// Newton steps of the polish from a warm start, most of them on the same faces and cheap; and those in which it has to
/// get on, or the interior point is as fast.
constexpr int kWarmSteps = 24;
constexpr int kWarmPatience = 6;

/// The polish from w.interior.best, the last step's answer: a few Newton steps if little has changed.
template <class Team, class Real, class Factor>
ST_FN ScaledReport<Real> polish_warm(const Team& team, const ScaledProblem<Real>& s, const ScaledOptions<Real>& options,
                                     const SolverWorkspace<Real, Factor>& w) {
  const PolishReport<Real> end = polish_interior(team, s, options, kWarmSteps, kWarmPatience, w);
  return {end.converged, false, end.iterations, end.residual};
}

namespace solve_scaled_detail {

/// best ← report if it is better; its answer is then kept beside the workspace's own.
template <class Team, class Real, class Factor>
ST_FN void keep_better(const Team& team, const ScaledProblem<Real>& s, const PolishReport<Real>& end,
                       const SolverWorkspace<Real, Factor>& w, ScaledReport<Real>& best) {
  const bool first = !(best.residual >= Real(0));
  if (!(end.residual >= Real(0)) || (!first && end.residual >= best.residual)) return;
  best.residual = end.residual;
  copy_answer(team, s, w.polish.answer(), w.kept);
}

/// The path cannot go on: the best answer so far, polished with patience.
template <class Team, class Real, class Factor>
ST_FN void polish_kept(const Team& team, const ScaledProblem<Real>& s, const ScaledOptions<Real>& options,
                       const SolverWorkspace<Real, Factor>& w, ScaledReport<Real>& report) {
  if (!(report.residual >= Real(0))) return;
  copy_answer(team, s, w.kept, w.interior.best);
  const auto end = polish_interior(team, s, options, options.max_iterations, 0, w);
  report.iterations += end.iterations;
  report.converged = end.converged;
  keep_better(team, s, end, w, report);
  copy_answer(team, s, w.kept, w.polish.answer());
}

}  // namespace solve_scaled_detail

/// From v = interior.v; the best iterate is left in w.polish.best_*.
template <class Team, class Real, class Factor>
ST_PHASE ScaledReport<Real> solve_scaled(const Team& team, const ScaledProblem<Real>& s,
                                         const ScaledOptions<Real>& options, const SolverWorkspace<Real, Factor>& w) {
  using namespace solve_scaled_detail;
  using Constants = PhaseConstants<Real, Factor>;
  InteriorPointOptions<Real> interior{Constants::kLeastMotion, options.give_cost, Constants::kFirstHandover,
                                      options.max_iterations};
  ScaledReport<Real> report{false, false, 0, Real(-1)};
  team.each(s.nv, [&](int j) { w.interior.center[j] = s.start[j]; });
  interior_point_detail::start_interior_point(team, s, options.give_cost, w.interior);
  for (int handover = 0; handover < Constants::kHandovers; ++handover) {
    const auto path = run_interior_point(team, s, interior, w.system, w.interior);
    report.iterations += path.iterations;
    report.out_of_iterations = path.end == InteriorPointEnd::kIterationLimit;
    const bool lost = path.end != InteriorPointEnd::kConverged;
    if (!(path.best >= Real(0)) || (lost && handover > 0)) break;
    const bool promising = path.best <= interior_point_detail::kPromisingEstimate<Real>;
    const int steps = promising ? options.max_iterations : Constants::kHopelessSteps;
    const auto end = polish_interior(team, s, options, steps, Constants::kPatience, w);
    report.iterations += end.iterations;
    report.converged = end.converged;
    keep_better(team, s, end, w, report);
    if (report.converged || lost) return report;
    interior.tolerance *= Constants::kNextHandover;
  }
  polish_kept(team, s, options, w, report);
  return report;
}

}  // namespace stiction
