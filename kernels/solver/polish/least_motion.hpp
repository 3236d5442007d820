// Of several v that solve the step, finds the one of least (v − v_s)ᵀP(v − v_s), where P is the mass of what is not
// actuated. The start v_s is 0 unless the problem names one: what need not move does not.
//
// Along directions that neither H nor an active facet holds, a polish leaves v where its start was. In its last matrix
// S = UᵀU only the proximal term Q holds these directions. If the last entry of such a direction is large, the
// direction shows as a pivot that comes from Q,
//
//   max_j Q_jj / U_jj² >= 1/20                                                                        (1)
//
// Else it shows in v itself, because S⁻¹Q keeps the part of v along such directions and shrinks the rest. This part is
// measured both in Q and in P, since a polish may end at the v that is the least in Q, where Q alone would show
// nothing:
//
//   z = (S⁻¹Q)² S⁻¹(Q + cP) (v − v_s),  c = max_j Q_jj / max_j P_jj,  in some tree ‖z‖∞ >= 1/100 ‖v − v_s‖∞   (2)
//
// Where (1) or (2) holds, the polish runs again with Q = εP and v_c = v_s. In the end ε is so small that its bias is a
// fifth of the tolerance,
//
//   ε max_B ‖(P (v − v_s))_B‖∞/S_B = tolerance/5,  S_B of impulse_scales.hpp                         (3)
//
// so the answer needs no second correction. It is taken if this polish converges too. With facets this mostly takes a
// few steps. Along a quadratic cone a Newton step leaves the surface by the square of its length, and only ε limits
// that. So if 12 steps do not solve the problem, ε begins again with a bias of 1/500, and is reduced whenever the
// polish has settled, to no less than a hundredth at a time.
#pragma once

#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/polish/polish.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace least_motion_detail {

/// ‖v − v_s‖∞ of tree b, v = x.best.v
template <class Real>
ST_FN Real distance_from_start(const ScaledProblem<Real>& s, const PolishState<Real>& x, int b) {
  Real distance = Real(0);
  ST_ROLLED
  for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j)
    distance = larger(distance, std::fabs(x.best.v[j] - s.start[j]));
  return distance;
}

/// True if v = v_s within the tolerance.
template <class Team, class Real>
ST_FN bool is_at_start(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  const Real distance = team.max(s.num_blocks, Real(0), [&](int b) { return distance_from_start(s, x, b); });
  return distance <= x.options->tolerance * x.options->speed_floor;
}

/// product = A y (nv), A laid out as H
template <class Team, class Real>
ST_FN void multiply_blocks(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> A, Pointer<const Real> y,
                           Pointer<Real> product) {
  each_dofs(team, s, [&](const DofRange& dofs) {
    for (int j = dofs.begin; j < dofs.end; ++j) product[j] = Real(0);
    add_product(s, A, Real(1), dofs, y, product);
  });
}

/// max_j A_jj, A laid out as H
template <class Team, class Real>
ST_FN Real largest_diagonal(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> A) {
  return largest_of_dofs(team, s, Real(0), [&](const DofRange& dofs) {
    Real largest = Real(0);
    ST_ROLLED
    for (int j = dofs.begin; j < dofs.end; ++j) largest = larger(largest, A[diagonal_entry(s, dofs.block, j)]);
    return largest;
  });
}

/// product += cP y, c of (2)
template <class Team, class Real>
ST_FN void add_mass(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> Q, Pointer<const Real> y,
                    Pointer<Real> product) {
  const Real c = largest_diagonal(team, s, Q) / largest_diagonal(team, s, s.P);
  each_dofs(team, s, [&](const DofRange& dofs) { add_product(s, s.P, c, dofs, y, product); });
}

/// x.newton = v − v_s
template <class Team, class Real>
ST_FN void load_motion(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.newton[j] = x.best.v[j] - s.start[j]; });
}

/// True if (1) holds.
template <class Team, class Real, class Factor>
ST_FN bool has_loose_pivot(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system) {
  const Real share = largest_of_dofs(team, s, Real(0), [&](const DofRange& dofs) {
    Real largest = Real(0);
    ST_ROLLED
    for (int j = dofs.begin; j < dofs.end; ++j) {
      const Real inverse = static_cast<Real>(system.matrix.inverse_diagonal[j]);
      largest = larger(largest, system.proximal[diagonal_entry(s, dofs.block, j)] * inverse * inverse);
    }
    return largest;
  });
  return share >= Real(0.05);
}

/// max_b ‖z‖∞ / ‖v − v_s‖∞ over the trees
template <class Team, class Real>
ST_FN Real largest_share(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x, const Real* z) {
  const Real least = x.options->tolerance * x.options->speed_floor;
  return team.max(s.num_blocks, Real(0), [&](int b) {
    Real loose = Real(0);
    ST_ROLLED
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) loose = larger(loose, std::fabs(z[j]));
    return loose / larger(distance_from_start(s, x, b), least);
  });
}

/// True if (1) or (2) holds with the factor in `system`; overwrites x.newton and x.direction.
template <class Team, class Real, class Factor>
ST_PHASE bool has_choice(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                         PolishState<Real>& x) {
  if (has_loose_pivot(team, s, system)) return true;
  Real *y = x.newton, *z = x.direction;
  load_motion(team, s, x);
  ST_ROLLED
  for (int power = 0; power < 3; ++power) {
    multiply_blocks(team, s, system.proximal, y, z);
    if (power == 0) add_mass(team, s, system.proximal, y, z);
    solve_reduced_system(team, s, system, z);
    if (!(largest_share(team, s, x, z) >= Real(0.01))) return false;
    team.each(s.nv, [&](int j) { y[j] = z[j]; });
  }
  return true;
}

/// ε of (3); overwrites x.newton and x.direction.
template <class Team, class Real>
ST_FN Real choose_epsilon(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  load_motion(team, s, x);
  multiply_blocks(team, s, s.P, x.newton, x.direction);
  const Real largest = largest_relative(team, s, x.scale, [&](int j) { return x.direction[j]; });
  return polish_detail::kLeastPull<Real> * x.options->tolerance / larger(largest, Real(1e-3));
}

/// Limit on the Newton steps that finding the least motion may cost.
constexpr int kChoiceSteps = 72;

/// Prepares the polish that finds the least motion; keeps the answer so far in `kept`, and its report in x.found.
template <class Team, class Real>
ST_PHASE void start_choice(const Team& team, const ScaledProblem<Real>& s, int max_iterations, PolishState<Real>& x,
                           AnswerArrays<Real>& kept) {
  copy_answer(team, s, x.best, kept);
  AnswerArrays<Real> start{x.v, x.lambda, x.row_lambda};
  copy_answer(team, s, kept, start);
  team.each(s.nv, [&](int j) { x.center[j] = s.start[j]; });
  const Real epsilon = choose_epsilon(team, s, x);
  team.once([&] {
    PolishOptions<Real>& options = *x.options;
    options.least_motion = true, options.predicts = false;
    options.patience = 0;
    options.max_iterations = smaller(max_iterations, kChoiceSteps);
    options.epsilon = epsilon;
    *x.found = x.progress->report;
  });
}

}  // namespace least_motion_detail

/// To be called after a polish that converged and whose last system is factored. True if there is a choice between
/// several v. Then x is prepared for a polish that finds the least motion in at most `max_iterations` Newton steps; the
/// answer so far is in `kept`, too, and its report in x.found.
template <class Team, class Real, class Factor>
ST_PHASE bool start_least_motion(const Team& team, const ScaledProblem<Real>& s, int max_iterations,
                                 ReducedSystem<Real, Factor>& system, PolishState<Real>& x, AnswerArrays<Real>& kept) {
  using namespace least_motion_detail;
  if (is_at_start(team, s, x)) return false;
  if (x.progress->report.iterations == 0) factor_reduced_system(team, s, system);
  if (!has_choice(team, s, system, x)) return false;
  start_choice(team, s, max_iterations, x, kept);
  return true;
}

/// To be called after that polish. Leaves its answer in x.best if it converged, else the one before; reports the Newton
/// steps of both.
template <class Team, class Real>
ST_PHASE void finish_least_motion(const Team& team, const ScaledProblem<Real>& s, const AnswerArrays<Real>& kept,
                                  PolishState<Real>& x) {
  if (!x.progress->report.converged) copy_answer(team, s, kept, x.best);
  team.once([&] {
    PolishReport<Real>& report = x.progress->report;
    const int iterations = x.found->iterations + report.iterations;
    if (!report.converged) report = *x.found;
    report.iterations = iterations;
  });
}

}  // namespace stiction
