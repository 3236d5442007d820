// Of several v that solve the step: the one of least (v − v_s)ᵀP(v − v_s), P the mass of what is not actuated. The
// start v_s is 0 unless the problem names one: nothing moves that need not.
//
// A polish leaves v where its start was along directions that neither H nor an active facet holds. They show in the
// last factor S = UᵀU as pivots that the proximal term Q alone makes:
//
//   max_j Q_jj / U_jj² >= 1/20                                                                        (1)
//
// Then the polish runs again with Q = εP and v_c = v_s. ε is so small that its bias is a fifth of the tolerance,
//
//   ε max_j |P (v − v_s)|_j = tolerance/5                                                             (2)
//
// so the answer needs no second correction, and it is taken if it converges too.
#pragma once

#include "kernels/solver/polish.hpp"

namespace stiction {

/// (1), of the factor in `system`
template <class Team, class Real, class Factor>
ST_FN bool has_loose_direction(const Team& team, const ScaledProblem<Real>& s,
                               const ReducedSystem<Real, Factor>& system) {
  const Real share = team.max(s.num_blocks, Real(0), [&](int b) {
    const int n = s.block_size[b];
    Real largest = Real(0);
    ST_ROLLED
    for (int j = 0; j < n; ++j) {
      const Real inverse = static_cast<Real>(system.matrix.inverse_diagonal[s.block_adr[b] + j]);
      largest = larger(largest, system.proximal[s.H_adr[b] + j * n + j] * inverse * inverse);
    }
    return largest;
  });
  return share >= Real(0.05);
}

/// Newton steps that the choice may cost.
constexpr int kLeastMotionSteps = 12;

namespace least_motion_detail {

/// (2), v = x.best_v; `product` (nv) is overwritten
template <class Team, class Real>
ST_FN Real choose_epsilon(const Team& team, const ScaledProblem<Real>& s, Real tolerance, const PolishState<Real>& x,
                          Real* product) {
  team.each(s.num_blocks, [&](int b) {
    ST_ROLLED
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) product[j] = Real(0);
    add_block_product(s, s.P, Real(1), b, x.best_v, static_cast<const Real*>(s.start), product);
  });
  const Real largest = team.max(s.nv, Real(0), [&](int j) { return std::fabs(product[j]); });
  return Real(0.2) * tolerance / larger(largest, Real(1e-3));
}

}  // namespace least_motion_detail

/// After a polish that converged, whose last system is factored: true if a polish with the options that are left in x
/// chooses the least motion. The answer is then in `kept` too, and its report in x.found.
template <class Team, class Real, class Factor>
ST_PHASE bool start_least_motion(const Team& team, const ScaledProblem<Real>& s,
                                 const ReducedSystem<Real, Factor>& system, const PolishState<Real>& x,
                                 AnswerArrays<Real> kept) {
  using namespace least_motion_detail;
  if (x.progress->report.iterations == 0) factor_reduced_system(team, s, system);
  if (!has_loose_direction(team, s, system)) return false;
  copy_answer(team, s, x.answer(), kept);
  copy_answer(team, s, kept, AnswerArrays<Real>{x.v, x.lambda, x.row_lambda});
  team.each(s.nv, [&](int j) { x.center[j] = s.start[j]; });
  const Real epsilon = choose_epsilon(team, s, x.options->tolerance, x, x.direction);
  team.once([&] {
    PolishOptions<Real>& options = *x.options;
    options.least_motion = true, options.predicts = false;
    options.patience = 0;
    options.max_iterations = options.max_iterations < kLeastMotionSteps ? options.max_iterations : kLeastMotionSteps;
    options.epsilon = epsilon;
    *x.found = x.progress->report;
  });
  return true;
}

/// After that polish: its answer if it converged, else the one before; the Newton steps of both.
template <class Team, class Real>
ST_PHASE void finish_least_motion(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x,
                                  AnswerArrays<Real> kept) {
  if (!x.progress->report.converged) copy_answer(team, s, kept, x.answer());
  team.once([&] {
    PolishReport<Real>& report = x.progress->report;
    const int iterations = x.found->iterations + report.iterations;
    if (!report.converged) report = *x.found;
    report.iterations = iterations;
  });
}

}  // namespace stiction
