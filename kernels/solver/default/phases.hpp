// The phases of solving one scaled problem. The interior point method runs until the active facets show, then the
// polish follows. If the polish does not reach the tolerance, the path is followed further and another polish tries
// again. A polish that converges is followed by one for the least motion, if several v solve the problem.
//
//   path -> polish [-> least motion] -> path ... -> polish of the best answer -> end
//
// All phases take their iterations from `left`. If `left` is used up, a phase still judges its first iterate, so that
// there is an answer.
//
// Which phase comes next is kept in memory, not in the program's control flow. `run_phases` is a single loop, so that a
// GPU lane has to hold no state of its callers.
#pragma once

#include "kernels/solver/path/path.hpp"
#include "kernels/solver/polish/least_motion.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct ScaledOptions {
  Real tolerance;      // bounds the residual
  Real speed_floor;    // 1 mm/h in the units of the scaled problem
  Real give_cost;      // c of the elastic mode; 0: contacts are rigid
  int max_iterations;  // limit for each phase
};

template <class Real>
struct ScaledReport {
  bool converged = false;
  bool out_of_iterations = false;
  int iterations = 0;
  Real residual = Real(-1);  // of the best answer, in polish.best at the end; negative: there is none

  /// True if there is an answer, with a residual.
  ST_FN bool is_answer() const { return residual >= Real(0); }
};

/// What a run of the phases is for.
enum class PhasePlan {
  kSolve,   // all phases
  kPath,    // the interior point alone
  kPolish,  // one polish, and one for the least motion
};

enum class Phase { kPath, kPolish, kLeastMotion, kEnd };

template <class Real>
struct PhaseProgress {
  PhasePlan plan;
  Phase next = Phase::kPath;
  ScaledOptions<Real> options;
  int handovers = 0;               // how often the path has handed over to the polish so far
  bool lost = false;               // the path cannot continue
  bool last = false;               // the present polish is the last one; it started from the best answer
  ScaledReport<Real> report = {};  // of the run so far
};

template <class Real, class Factor>
struct SolverWorkspace {
  ReducedSystem<Real, Factor> system;
  InteriorPointState<Real> interior;
  PolishState<Real> polish;
  AnswerArrays<Real> kept;  // the best answer of earlier phases
  Array<PhaseProgress<Real>> now;
  Array<int> left;  // (1) iterations that all following phases and starts may take together
};

template <class Real, class Factor>
ST_PHASE void take_solver_workspace(const SolverCapacity& capacity, int stride, Arena& arena,
                                    SolverWorkspace<Real, Factor>& w) {
  w.system = take_reduced_system<Real, Factor>(capacity, stride, arena);
  w.interior = take_interior_point<Real>(capacity, arena);
  w.polish = take_polish<Real>(capacity, arena);
  w.kept = take_answer<Real>(capacity, arena);
  w.now = arena.take<PhaseProgress<Real>>(1);
  w.left = arena.take<int>(1);
}

/// Constants of the two phases; measured on generated stacks (h 0.001-0.4 s, mass ratios to 1e6).
template <class Real, class Factor = Real>
struct PhaseConstants {
  static constexpr bool kSingle = sizeof(Factor) == 4;  // the factor then loses weights whose ratio is beyond 1e5
  static constexpr Real kLeastMotion = kSingle ? Real(1e-6) : Real(1e-8);  // ε of the interior point
  static constexpr Real kFirstHandover =
      kSingle ? Real(3e-3) : Real(1e-5);                                   // estimate at which the first polish starts
  static constexpr Real kNextHandover = kSingle ? Real(0.2) : Real(1e-2);  // factor from polish to polish
  static constexpr Real kStiffness = Real(30);       // ρ u_0 of the polish, relative to the impulse on a body
  static constexpr Real kWarmStiffness = Real(100);  // the same for a warm start, whose first faces are predicted
  static constexpr Real kProximal = Real(1e-3);      // ε u_0 of the polish, relative to the impulse on a body
  static constexpr int kHopelessSteps = 3;           // Newton steps of a polish if the path's estimate is not promising
  static constexpr int kPatience = kSingle ? 0 : 6;  // `patience` of a polish, after which the path takes fewer steps
  static constexpr int kHandovers = 3;               // limit on the handovers, after which the last polish follows
};

namespace phases_detail {

/// Prepares a polish from w.interior.best; `warm`: that is the answer of another problem.
template <class Team, class Real, class Factor>
ST_FN void start_polish_phase(const Team& team, const ScaledProblem<Real>& s, bool warm, int max_iterations,
                              int patience, SolverWorkspace<Real, Factor>& w) {
  using Constants = PhaseConstants<Real, Factor>;
  const AnswerArrays<Real>& from = w.interior.best;
  team.each(s.nv, [&](int j) { w.polish.v[j] = w.polish.center[j] = from.v[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { w.polish.lambda[i] = from.lambda[i]; });
  team.each(s.num_rows, [&](int r) { w.polish.row_lambda[r] = from.row_lambda[r]; });
  team.once([&] {
    const ScaledOptions<Real>& options = w.now->options;
    *w.polish.options = {.epsilon = Constants::kProximal,
                         .tolerance = options.tolerance,
                         .speed_floor = options.speed_floor,
                         .stiffness = warm ? Constants::kWarmStiffness : Constants::kStiffness,
                         .predicts = warm,
                         .max_iterations = max_iterations,
                         .patience = patience};
    w.now->next = Phase::kPolish;
  });
}

/// Where the path cannot continue: prepares a polish of the best answer so far, without a limit of patience.
template <class Team, class Real, class Factor>
ST_FN void start_last_polish(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  const bool found = w.now->report.is_answer();
  team.once([&] { w.now->last = true, w.now->next = Phase::kEnd; });
  if (!found) return;
  copy_answer(team, s, w.kept, w.interior.best);
  start_polish_phase(team, s, false, w.now->options.max_iterations, 0, w);
}

/// After the interior point method: prepares the polish.
template <class Team, class Real, class Factor>
ST_PHASE void leave_path(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  using Constants = PhaseConstants<Real, Factor>;
  PhaseProgress<Real>& now = *w.now;
  const InteriorPointReport<Real>& path = w.interior.progress->report;
  team.once([&] {
    now.report.iterations += path.iterations;
    now.report.out_of_iterations = path.end == InteriorPointEnd::kIterationLimit;
    now.lost = path.end != InteriorPointEnd::kConverged;
    now.next = Phase::kEnd;
  });
  if (now.plan == PhasePlan::kPath) return;
  if (!(path.best >= Real(0)) || (now.lost && now.handovers > 0)) return start_last_polish(team, s, w);
  const bool promising = path.best <= kPromisingEstimate<Real>;
  const int steps = promising ? now.options.max_iterations : Constants::kHopelessSteps;
  start_polish_phase(team, s, false, steps, Constants::kPatience, w);
}

/// Adds the polish to the report; if its answer is the best so far, copies it to w.kept.
template <class Team, class Real, class Factor>
ST_FN void keep_better(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  const PolishReport<Real>& end = w.polish.progress->report;
  ScaledReport<Real>& best = w.now->report;
  const bool better = end.residual >= Real(0) && (!best.is_answer() || end.residual < best.residual);
  if (better) copy_answer(team, s, w.polish.best, w.kept);
  team.once([&] {
    best.iterations += end.iterations;
    best.converged = end.converged;
    if (better) best.residual = end.residual;
  });
}

/// After a polish and the choice of the least motion: ends the run or continues along the path.
template <class Team, class Real, class Factor>
ST_PHASE void leave_polish(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  using Constants = PhaseConstants<Real, Factor>;
  PhaseProgress<Real>& now = *w.now;
  keep_better(team, s, w);
  if (now.last) copy_answer(team, s, w.kept, w.polish.best);
  const bool ends = now.last || now.plan == PhasePlan::kPolish || now.report.converged || now.lost;
  if (!ends && now.handovers + 1 == Constants::kHandovers) return start_last_polish(team, s, w);
  team.once([&] {
    now.next = ends ? Phase::kEnd : Phase::kPath;
    now.handovers += 1;
    if (!ends) w.interior.options->tolerance *= Constants::kNextHandover;
  });
}

template <class Team, class Real, class Factor>
ST_PHASE bool chooses_least_motion(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  AnswerArrays<Real> kept = w.interior.answer();
  const bool again = w.polish.progress->report.converged &&
                     start_least_motion(team, s, w.now->options.max_iterations, w.system, w.polish, kept);
  if (again) team.once([&] { w.now->next = Phase::kLeastMotion; });
  return again;
}

template <class Team, class Real, class Factor>
ST_FN void run_path_phase(const Team& team, ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  team.once([&] { w.interior.options->max_iterations = smaller(w.interior.options->max_iterations, *w.left); });
  run_interior_point(team, s, w.system, w.interior);
  team.once([&] { *w.left -= w.interior.progress->report.iterations; });
}

template <class Team, class Real, class Factor>
ST_FN void run_polish_phase(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  team.once([&] { w.polish.options->max_iterations = smaller(w.polish.options->max_iterations, *w.left); });
  polish(team, s, w.system, w.polish);
  team.once([&] { *w.left -= w.polish.progress->report.iterations; });
}

/// Runs a polish, or the choice of the least motion after it.
template <class Team, class Real, class Factor>
ST_FN void run_polish_or_choice(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  run_polish_phase(team, s, w);
  if (w.now->next == Phase::kLeastMotion)
    finish_least_motion(team, s, w.interior.answer(), w.polish);
  else if (chooses_least_motion(team, s, w))
    return;
  leave_polish(team, s, w);
}

/// Runs the phases from w.now->next to the end.
template <class Team, class Real, class Factor>
ST_PHASE void run_phases(const Team& team, ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  while (w.now->next != Phase::kEnd) {
    if (w.now->next == Phase::kPath) {
      run_path_phase(team, s, w);
      leave_path(team, s, w);
    } else {
      run_polish_or_choice(team, s, w);
    }
  }
}

/// The same where no path is planned, without its code.
template <class Team, class Real, class Factor>
ST_PHASE void run_polishes(const Team& team, const ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  while (w.now->next != Phase::kEnd) run_polish_or_choice(team, s, w);
}

template <class Team, class Real, class Factor>
ST_FN void plan_phases(const Team& team, PhasePlan plan, const ScaledOptions<Real>& options,
                       SolverWorkspace<Real, Factor>& w) {
  team.once([&] { *w.now = {.plan = plan, .options = options}; });
}

template <class Team, class Real, class Factor>
ST_PHASE void plan_polish(const Team& team, const ScaledProblem<Real>& s, const ScaledOptions<Real>& options,
                          int max_iterations, int patience, SolverWorkspace<Real, Factor>& w) {
  plan_phases(team, PhasePlan::kPolish, options, w);
  start_polish_phase(team, s, true, max_iterations, patience, w);
}

template <class Team, class Real, class Factor>
ST_PHASE void plan_path(const Team& team, SolverWorkspace<Real, Factor>& w) {
  team.once([&] { w.now->plan = PhasePlan::kPath, w.now->next = Phase::kPath; });
}

template <class Team, class Real, class Factor>
ST_PHASE void plan_solve(const Team& team, const ScaledProblem<Real>& s, const ScaledOptions<Real>& options,
                         SolverWorkspace<Real, Factor>& w) {
  using Constants = PhaseConstants<Real, Factor>;
  plan_phases(team, PhasePlan::kSolve, options, w);
  team.each(s.nv, [&](int j) { w.interior.center[j] = s.start[j]; });
  team.once([&] {
    *w.interior.options = {Constants::kLeastMotion, options.give_cost, Constants::kFirstHandover,
                           options.max_iterations};
  });
  start_interior_point(team, s, options.give_cost, w.interior);
}

}  // namespace phases_detail

/// Runs one polish from w.interior.best, with the choice of the least motion. From the last time step's answer this
/// takes a few Newton steps if little has changed. The report is w.now->report.
template <class Team, class Real, class Factor>
ST_FN const ScaledReport<Real>& polish_best(const Team& team, const ScaledOptions<Real>& options, int max_iterations,
                                            int patience, ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  phases_detail::plan_polish(team, s, options, max_iterations, patience, w);
  phases_detail::run_polishes(team, s, w);
  return w.now->report;
}

/// Runs the interior point method alone, from its present iterate and with w.interior.options.
template <class Team, class Real, class Factor>
ST_FN const InteriorPointReport<Real>& run_path(const Team& team, ScaledProblem<Real>& s,
                                                SolverWorkspace<Real, Factor>& w) {
  phases_detail::plan_path(team, w);
  phases_detail::run_phases(team, s, w);
  return w.interior.progress->report;
}

/// Runs all phases from v = interior.v. The best iterate is left in w.polish.best.
template <class Team, class Real, class Factor>
ST_FN const ScaledReport<Real>& solve_scaled(const Team& team, const ScaledOptions<Real>& options,
                                             ScaledProblem<Real>& s, SolverWorkspace<Real, Factor>& w) {
  phases_detail::plan_solve(team, s, options, w);
  phases_detail::run_phases(team, s, w);
  return w.now->report;
}

}  // namespace stiction
