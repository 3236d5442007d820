// Coulomb's law as a fixed point of convex problems.
//
//   v(s) = the motion of the convex problem with gaps φ/h + s                                        (1)
//   G(s)_i = support function of the friction section at −u_t,i of v(s)          problem/shift.hpp   (2)
//   s = G(s)                                                                                         (3)
//
// A solution of (3) has K ∋ λ ⊥ û ∈ K* with De Saxcé's shift, which is Coulomb's law exactly. The plain iteration
// contracts on a slide with the slope μ²/(1 + μ²), and in a pile it may not contract at all. Therefore a cold start
// follows the central path with s coupled to the motion (shift_coupling.hpp;
// docs/adr/0401-coulomb-outer-iteration.md). The rounds that converge to (3) are Newton steps (4), with G' from the
// factor of the polish, or Anderson's extrapolation (5) while far away or where a Newton step has failed:
//
//   s⁺ = s + α (I − G')⁻¹ F,   F = G − s of the contacts that carry something                        (4)
//   s⁺ = G − Σ_j γ_j ΔG_j,   γ = argmin ‖F − Σ_j γ_j ΔF_j‖,   Δ_j: between two of the last rounds    (5)
//
// G' is the derivative of G with its corners rounded off by a multiple of the largest F; without that, Newton steps
// would jump back and forth between two facets. α is halved if a step makes the residual much worse. Every round is a
// polish from the last answer. The rounds end when the residual with s = G(s) is within the tolerance, whatever s was
// used. If another start follows, they also end when the best residual does not halve in a few rounds: where G is
// steeper than 1, the rounds jump back and forth.
//
//   symbol    variable        shape                     unit
//   s, G, F   s, G, F         (contacts)                that of ScaledProblem's velocities
//   ΔG, ΔF    dG, dF          (kShiftMemory, contacts)  that of s; a ring of differences
#pragma once

#include "kernels/solver/default/budgets.hpp"
#include "kernels/solver/default/phases.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/polish/shift.hpp"
#include "kernels/solver/proximal/newton_step.hpp"

namespace stiction {

/// Tolerance of a round, as a share of the residual before it.
template <class Real>
constexpr Real kInner = Real(0.01);
/// Least tolerance of a round, which the arithmetic can reach.
template <class Real>
constexpr Real kLeastTolerance = sizeof(Real) == 8 ? Real(1e-13) : Real(1e-6);
/// If the residual is more than so many times the last one, the differences of (5) are forgotten and a Newton step (4)
/// is halved.
constexpr int kWorse = 4;
/// Limit on the halvings of one step of (4).
constexpr int kHalvings = 2;
/// Residual below which (4) converges faster than (5).
template <class Real>
constexpr Real kNear = Real(1e-2);
/// Width δ by which the corners in G' are rounded off, relative to the largest F.
template <class Real>
constexpr Real kCorner = Real(3);

/// The progress of the rounds from one start.
template <class Real>
struct ShiftRounds {
  RoundLimits limits;
  int left = 0;              // number of rounds that may follow
  Real marked = Real(-1);    // best residual when the patience was last checked; negative: not yet
  bool stuck = false;        // the best residual did not halve within the patience
  Real residual = Real(-1);  // residual of this round
  Real last = Real(-1);      // residual of the last round; negative before the first
  Real base = Real(-1);      // residual at the point where the present step of (4) began
  int differences = 0;       // number of differences of (5) since they were last forgotten
  bool newton = false;       // the s that was chosen last comes from (4), not from (5)
  int halvings = 0;          // how often α of the present step has been halved
  bool follows = false;      // this round gives a difference to the round before
  int slot = 0;              // place of that difference in the ring
};

/// What a search works on, and its progress; in memory, so that a lane holds only one pointer.
template <class Real, class Factor>
struct CoulombSearch {
  const ContactProblem<Real>* problem;
  Array<ScaledProblem<Real>> scaled;
  Array<ShiftMemory<Real>> shift;
  Array<SolverWorkspace<Real, Factor>> work;
  NewtonMemory<Real, Factor> newton;  // the same arrays in the form that newton.hpp uses
  ResidualScratch<Real> residual;
  Array<ContactSolution<Real>> out;
  ScaledOptions<Real> options;  // of the whole search
  ScaledOptions<Real> inner;    // of the convex problem of the next round
  ShiftRounds<Real> rounds;     // from the present start
  ScaledReport<Real> convex;    // of the last convex problem
  ScaledReport<Real> started;   // of the present start, whose best answer is in ShiftMemory's `best`
  ScaledReport<Real> found;     // of all starts, whose best answer is in ShiftMemory's `kept`
  bool follows_newton;          // on one lane: the steps of newton.hpp follow a start that ends without a solution
};

namespace coulomb_detail {

/// Writes S_B of x.best to x.scale; overwrites x.newton.
template <class Team, class Real, class Factor>
ST_PHASE void measure_best_scales(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                                  PolishState<Real>& x) {
  multiply_JT(team, s, system, x.best.lambda, x.best.row_lambda, x.newton);
  measure_scales(team, s, x.best.lambda, x.best.row_lambda, x.newton, system, x.scale);
}

/// The contact part of the residual of x.best with s = G; x.u must be as measure_shift leaves it.
template <class Team, class Real, class Factor>
ST_PHASE Real coulomb_residual(const Team& team, const ScaledProblem<Real>& s, Real speed_floor,
                               const ShiftMemory<Real>& m, ReducedSystem<Real, Factor>& system, PolishState<Real>& x) {
  measure_best_scales(team, s, system, x);
  const Real speed = largest_speed(team, s, x.u, x.u_row, speed_floor);
  return team.max(s.num_contacts, Real(0), [&](int i) {
    ContactVector<Real> u = s.load(x.u, i) + s.load(s.scripted, i);
    u.n = x.u[s.dim * i] + m.gap[i] + m.next_G[i];
    const ContactVector<Real> lambda = s.load(x.best.lambda, i);
    const Real scale = group_scale(s, x.scale, i, system.impulse[i]);
    return norm(lambda - project_point_to_cone(s.table, s.friction(i), lambda - scale / speed * u)) / scale;
  });
}

/// Computes γ of (5) by Cholesky on ΔFᵀΔF, which a small share of its largest entry keeps regular.
template <class Real>
ST_FN void solve_mixing(int n, ShiftMixing<Real>& mixing) {
  auto& A = mixing.A;
  auto& b = mixing.gamma;
  Real largest = Real(0);
  ST_ROLLED
  for (int j = 0; j < n; ++j) largest = larger(largest, A[j][j]);
  const Real damping = largest * (sizeof(Real) == 8 ? Real(1e-13) : Real(1e-6));
  ST_ROLLED
  for (int j = 0; j < n; ++j) {
    A[j][j] += damping;
    ST_ROLLED
    for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
    A[j][j] = std::sqrt(larger(A[j][j], damping));
    ST_ROLLED
    for (int i = j + 1; i < n; ++i) {
      ST_ROLLED
      for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
  }
  ST_ROLLED
  for (int j = 0; j < n; ++j) {
    ST_ROLLED
    for (int k = 0; k < j; ++k) b[j] -= A[j][k] * b[k];
    b[j] /= A[j][j];
  }
  for (int j = n - 1; j >= 0; --j) {
    ST_ROLLED
    for (int k = j + 1; k < n; ++k) b[j] -= A[k][j] * b[k];
    b[j] /= A[j][j];
  }
}

/// Sets s by (5) from `held` differences.
template <class Team, class Real>
ST_PHASE void extrapolate_shift(const Team& team, int held, ScaledProblem<Real>& s, ShiftMemory<Real>& m) {
  const int n = s.num_contacts;
  ShiftMixing<Real>& x = *m.mixing;
  ST_ROLLED
  for (int j = 0; j < held; ++j) {
    ST_ROLLED
    for (int k = 0; k <= j; ++k) {
      const Real product = team.sum(n, Real(0), [&](int i) { return m.dF[j * n + i] * m.dF[k * n + i]; });
      team.once([&] { x.A[j][k] = product; });
    }
    const Real along = team.sum(n, Real(0), [&](int i) { return m.dF[j * n + i] * m.F[i]; });
    team.once([&] { x.gamma[j] = along; });
  }
  team.once([&] {
    if (held > 0 && x.A[0][0] > Real(0)) solve_mixing(held, x);
  });
  set_shift(team, s, m, [&](int i) {
    Real shift = m.G[i];
    ST_ROLLED
    for (int j = 0; j < held; ++j) shift -= x.gamma[j] * m.dG[j * n + i];
    return larger(shift, Real(0));
  });
}

/// Writes the differences to the round before to slot `slot` of the ring if `before`, that is if there was one. Then
/// remembers G and F of this round.
template <class Team, class Real>
ST_FN void remember_round(const Team& team, const ScaledProblem<Real>& s, int slot, bool before, ShiftMemory<Real>& m) {
  const int n = s.num_contacts;
  team.each(n, [&](int i) {
    const Real G = m.next_G[i], F = G - m.s[i];
    if (before) m.dG[slot * n + i] = G - m.G[i], m.dF[slot * n + i] = F - m.F[i];
    m.G[i] = G, m.F[i] = F;
  });
}

/// Computes the step of (4) with α = 1 and leaves it in m.y, with its start in m.from. Uses the weights of the last
/// polish; m.F and w.polish.u must belong to this round.
template <class Team, class Real, class Factor>
ST_BODY void newton_shift(const Team& team, CoulombSearch<Real, Factor>& search) {
  const ScaledProblem<Real>& s = *search.scaled;
  ShiftMemory<Real>& m = *search.shift;
  SolverWorkspace<Real, Factor>& w = *search.work;
  team.each(s.num_contacts, [&](int i) { m.krylov[i] = w.system.weight[i].nn > Real(0) ? m.F[i] : Real(0); });
  const Real largest = team.max(s.num_contacts, Real(0), [&](int i) { return std::fabs(m.krylov[i]); });
  team.each(s.num_contacts, [&](int i) {
    const ContactVector<Real> u = s.load(w.polish.u, i) + s.load(s.scripted, i);
    differentiate_shift(s, u, kCorner<Real> * largest, i, m);
  });
  team.each(s.num_rows, [&](int r) { m.no_rows[r] = Real(0); });
  factor_reduced_system(team, s, w.system);
  solve_coupling(team, s, w.system, kPathForcing<Real>, m, w.interior);
  team.each(s.num_contacts, [&](int i) {
    m.from[i] = m.s[i];
    if (!(w.system.weight[i].nn > Real(0))) m.y[i] += m.F[i];
  });
}

/// Decides what follows a round with this residual: (4), a halved step of (4), or (5).
template <class Real>
ST_FN void classify_round(Real residual, ShiftRounds<Real>& now) {
  const bool first = now.last < Real(0), worse = !first && residual > Real(kWorse) * now.last;
  const bool astray = now.newton && !(residual <= Real(kWorse) * now.base);
  now.last = residual;
  now.halvings = astray && now.halvings < kHalvings ? now.halvings + 1 : 0;
  now.follows = !first && !now.newton;
  if (now.halvings > 0) return;
  now.slot = now.differences % kShiftMemory;
  now.differences = now.follows && !worse ? now.differences + 1 : 0;
  now.newton = residual < kNear<Real> && (now.newton || !worse);
  now.base = residual;
}

/// Decides how the s of the next round is found.
template <class Team, class Real, class Factor>
ST_PHASE void classify_shift(const Team& team, CoulombSearch<Real, Factor>& search) {
  ShiftRounds<Real>& now = search.rounds;
  team.once([&] { classify_round(now.residual, now); });
  if (now.halvings == 0) remember_round(team, *search.scaled, now.slot, now.follows, *search.shift);
}

/// Sets s as classify_shift decided, from the step of (4) if there is one.
template <class Team, class Real, class Factor>
ST_PHASE void apply_shift(const Team& team, CoulombSearch<Real, Factor>& search) {
  ScaledProblem<Real>& s = *search.scaled;
  ShiftMemory<Real>& m = *search.shift;
  const ShiftRounds<Real>& now = search.rounds;
  if (now.newton) {
    const Real alpha = Real(1) / static_cast<Real>(1 << now.halvings);
    set_shift(team, s, m, [&](int i) { return larger(m.from[i] + alpha * m.y[i], Real(0)); });
  } else {
    extrapolate_shift(team, now.differences < kShiftMemory ? now.differences : kShiftMemory, s, m);
  }
}

/// Sets the s of the next round, from this round's G and residual.
template <class Team, class Real, class Factor>
ST_BODY void choose_shift(const Team& team, CoulombSearch<Real, Factor>& search) {
  classify_shift(team, search);
  if (team.agree(search.rounds.newton && search.rounds.halvings == 0)) newton_shift(team, search);
  apply_shift(team, search);
}

/// search.convex ← the report of the phases, plus the iterations that search.convex had before.
template <class Team, class Real, class Factor>
ST_PHASE void add_convex_report(const Team& team, CoulombSearch<Real, Factor>& search) {
  team.once([&] {
    const int before = search.convex.iterations;
    search.convex = search.work->now->report;
    search.convex.iterations += before;
  });
}

/// Lets the phases start from the last answer of the rounds.
template <class Team, class Real, class Factor>
ST_PHASE void start_from_last(const Team& team, int spent, CoulombSearch<Real, Factor>& search) {
  copy_answer(team, *search.scaled, search.work->polish.best, search.work->interior.best);
  team.once([&] { search.convex.iterations = spent; });
}

template <class Team, class Real, class Factor>
ST_PHASE void start_from_problem(const Team& team, CoulombSearch<Real, Factor>& search) {
  team.each(search.scaled->nv, [&](int j) { search.work->interior.v[j] = search.scaled->start[j]; });
}

/// Solves the convex problem of this round by a polish from the last answer, or along the central path if the polish
/// does not converge. The report is in search.convex, with `spent` added to its iterations. If `most` > 0, it limits
/// the polish's Newton steps and the path is left out.
template <class Team, class Real, class Factor>
ST_PHASE void solve_round(const Team& team, const ScaledOptions<Real>& options, int spent, int most,
                          CoulombSearch<Real, Factor>& search) {
  start_from_last(team, spent, search);
  const bool bounded = most > 0;
  polish_best(team, options, bounded ? smaller(most, kRoundSteps) : kRoundSteps, 0, *search.scaled, *search.work);
  add_convex_report(team, search);
  if (search.convex.converged || bounded || (search.convex.is_answer() && *search.work->left <= 0)) return;
  start_from_problem(team, search);
  solve_scaled(team, options, *search.scaled, *search.work);
  add_convex_report(team, search);
}

template <class Team, class Real, class Factor>
ST_PHASE void start_coupled(const Team& team, Real rounding, CoulombSearch<Real, Factor>& search) {
  using Constants = PhaseConstants<Real, Factor>;
  ScaledProblem<Real>& s = *search.scaled;
  ShiftMemory<Real>& m = *search.shift;
  InteriorPointState<Real>& x = search.work->interior;
  team.once([&] {
    *x.options = {Constants::kLeastMotion, Real(0), Constants::kFirstHandover, search.options.max_iterations, &m};
    *m.rounding = rounding;
  });
  clear_shift(team, s, m);
  team.each(s.nv, [&](int j) { x.v[j] = x.center[j] = s.start[j]; });
  start_interior_point(team, s, Real(0), x);
}

template <class Team, class Real, class Factor>
ST_PHASE void leave_coupled(const Team& team, CoulombSearch<Real, Factor>& search) {
  SolverWorkspace<Real, Factor>& w = *search.work;
  guess_shift(team, w.interior.best.v, *search.scaled, w.polish, *search.shift);
  copy_answer(team, *search.scaled, w.interior.best, w.polish.best);
}

}  // namespace coulomb_detail

/// Makes a start for the rounds: follows the central path with s coupled to the motion, then solves the convex problem
/// with the s that the path found.
template <class Team, class Real, class Factor>
ST_PHASE void solve_coupled(const Team& team, Real rounding, CoulombSearch<Real, Factor>& search) {
  coulomb_detail::start_coupled(team, rounding, search);
  run_path(team, *search.scaled, *search.work);
  coulomb_detail::leave_coupled(team, search);
  coulomb_detail::solve_round(team, search.options, search.work->interior.progress->report.iterations, 0, search);
}

namespace coulomb_detail {

/// Starts the rounds with the present s and the convex problem that search.convex reports.
template <class Team, class Real, class Factor>
ST_PHASE void start_rounds(const Team& team, const RoundLimits& limits, CoulombSearch<Real, Factor>& search) {
  team.once([&] {
    search.rounds = {};
    search.rounds.limits = limits, search.rounds.left = limits.rounds;
    search.started = {};
  });
}

/// True if the best residual has not halved within the patience.
template <class Real>
ST_FN bool is_stuck(Real least, ShiftRounds<Real>& now) {
  const int patience = now.limits.patience;
  if (patience == 0 || now.left % patience != 0) return false;
  const bool stuck = now.marked >= Real(0) && least > Real(0.5) * now.marked;
  now.marked = least;
  return stuck;
}

/// Computes the residual of the last convex problem's answer with s = G(s), and keeps the answer if it is the best.
/// False if the rounds end here.
template <class Team, class Real, class Factor>
ST_PHASE bool judge_round(const Team& team, CoulombSearch<Real, Factor>& search) {
  const ScaledProblem<Real>& s = *search.scaled;
  PolishState<Real>& x = search.work->polish;
  team.once([&] { search.started.iterations += search.convex.iterations; });
  if (!search.convex.is_answer()) return false;
  measure_shift(team, s, x.best.v, x, *search.shift);
  const Real residual = larger(search.convex.residual, coulomb_residual(team, s, search.options.speed_floor,
                                                                        *search.shift, search.work->system, x));
  const Real least = keep_best(team, s, x.best, residual, search.started.residual, search.shift->best);
  team.once([&] {
    search.rounds.residual = residual, search.rounds.left -= 1;
    search.rounds.stuck = is_stuck(least, search.rounds);
    search.started.residual = least;
    search.started.converged = least >= Real(0) && least <= search.options.tolerance;
    // tighter than the tolerance, because what a round leaves of its residual is noise in G
    search.inner = search.options;
    search.inner.tolerance = larger(kLeastTolerance<Real>, smaller(search.options.tolerance, kInner<Real> * residual));
  });
  return !search.started.converged && search.rounds.left >= 0 && !search.rounds.stuck;
}

/// True if this start has used up its iterations, or all starts together have used up theirs.
template <class Real, class Factor>
ST_FN bool is_spent(const CoulombSearch<Real, Factor>& search) {
  const int most = search.rounds.limits.iterations;
  return (most > 0 && search.started.iterations >= most) || *search.work->left <= 0;
}

/// The iterations that this start may still take; 0 if they are not limited.
template <class Real, class Factor>
ST_FN int iterations_left(const CoulombSearch<Real, Factor>& search) {
  return search.rounds.limits.iterations == 0 ? 0 : search.rounds.limits.iterations - search.started.iterations;
}

}  // namespace coulomb_detail

/// Runs rounds from the convex problem that search.convex reports and the present s. The report of the best is in
/// search.started, its answer in search.shift->best.
template <class Team, class Real, class Factor>
ST_BODY void iterate_shift(const Team& team, const RoundLimits& limits, CoulombSearch<Real, Factor>& search) {
  using namespace coulomb_detail;
  start_rounds(team, limits, search);
  while (judge_round(team, search) && !is_spent(search)) {
    choose_shift(team, search);
    solve_round(team, search.inner, 0, iterations_left(search), search);
  }
}

}  // namespace stiction
