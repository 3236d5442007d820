// Alternating direction method of multipliers with a proximal term (admm_step.hpp), which allows a singular H.
//
//   λ, y ← state;  v ← (H + Q + Σ ρ_i JᵀJ)⁻¹(...);  state ← T(state), extrapolated (anderson.hpp)
//   every kCheck steps: the residual of kernels/problem/residual.hpp; the best answer is kept
//   ρ ← ρ √(contact residual / motion residual) if that changes ρ by a factor of kChange or more; this is the only new
//   factorisation, and the ρ_i are then adapted to what every contact carries by that time
//
// Warm start: v, λ and ρ are those of the last time step. If contacts change, they may be so far off that the iteration
// diverges; it then begins again without them. The report's iterations count the steps of both starts. Each start may
// take kAdmmStepsPerIteration times [solver] max_iterations of them, because a step costs only two triangular solves.
#pragma once

#include "kernels/solver/ground/anderson.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/impulse_scales.hpp"
#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/ground/reduced_plan.hpp"
#include "kernels/solver/splitting/admm_step.hpp"

namespace stiction {

template <class Real, class Factor>
struct AdmmMemory {
  ScaledProblem<Real> scaled;
  ReducedSystem<Real, Factor> system;
  AdmmState<Real> state;
  Anderson<Real> anderson;
  AnswerArrays<Real> best;
  ResidualScratch<Real> residual;
};

template <class Real, class Factor>
ST_FN void take_admm_memory(const SolverCapacity& capacity, Arena& arena, AdmmMemory<Real, Factor>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  m.system = take_reduced_system<Real, Factor>(capacity, m.scaled.stride, arena);
  m.state = take_admm_state<Real>(capacity, arena);
  m.anderson = take_anderson<Real>(admm_state_size(capacity), arena);
  m.best = take_answer<Real>(capacity, arena);
  m.residual =
      take_residual_scratch<Real>(capacity.nv, capacity.num_blocks, capacity.max_contacts, capacity.max_rows, arena);
}

/// Bytes of scratch that `solve_admm` needs.
template <class Real, class Factor>
inline ScratchBytes admm_scratch(const SolverCapacity& capacity) {
  using Memory = AdmmMemory<Real, Factor>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { take_admm_memory(capacity, arena, m); });
}

constexpr int kAdmmStepsPerIteration = 200;

namespace admm_detail {

constexpr int kCheck = 10;       // number of steps between two evaluations of the residual
constexpr double kLost = 0.1;    // steps with a larger residual have diverged; slow ones have 1e-2 or less
constexpr double kChange = 2.0;  // least factor by which ρ changes
constexpr double kGrowth = 1.0;  // factor by which the acceleration may let ‖T(t) − t‖² grow

/// Sets ρ_i/ρ to the smaller of the impulses that the two blocks bring, or to what the contact carries by now if that
/// is more. Q is a fraction of what its block brings.
template <class Team, class Real, class Factor>
ST_FN void set_stiffness(const Team& team, const ScaledProblem<Real>& s, AdmmMemory<Real, Factor>& m) {
  AdmmState<Real>& x = m.state;
  team.each(s.num_blocks, [&](int b) { x.block_stiffness[b] = larger(own_impulse(s, b), least_impulse(s, b)); });
  team.each(s.num_groups, [&](int i) {
    const int a = s.group_block[2 * i], b = s.group_block[2 * i + 1];
    const Real of_a = x.block_stiffness[a >= 0 ? a : (b >= 0 ? b : 0)];
    const Real of_b = x.block_stiffness[b >= 0 ? b : (a >= 0 ? a : 0)];
    x.stiffness[i] = larger(smaller(of_a, of_b), group_impulse(s, i, x.lambda, x.row_lambda));
  });
}

/// Q relative to ρ.
template <class Real>
ST_FN Real proximal_share() {
  return Real(1e-3);
}

/// Sets Q and the weights for a given ρ, and factors the matrix.
template <class Team, class Real, class Factor>
ST_FN void set_penalty(const Team& team, Real rho, AdmmMemory<Real, Factor>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  AdmmState<Real>& x = m.state;
  team.each(s.num_blocks, [&](int b) {
    const int n = s.block_size[b];
    const Real q = proximal_share<Real>() * rho * x.block_stiffness[b];
    for (int ij = 0; ij < n * n; ++ij) m.system.proximal[s.H_adr[b] + ij] = ij % (n + 1) == 0 ? q : Real(0);
    for (int j = 0; j < n; ++j) x.weight[s.dim * s.num_contacts + s.num_rows + s.block_adr[b] + j] = q;
  });
  team.each(s.num_groups, [&](int i) {
    const Real w = rho * x.stiffness[i];
    m.system.weight[i] = {w, Real(0), Real(0), w, Real(0), w};
    if (i >= s.num_contacts) {
      x.weight[(s.dim - 1) * s.num_contacts + i] = w;
    } else {
      for (int k = s.dim * i; k < s.dim * (i + 1); ++k) x.weight[k] = w;
      if (s.dim == 4) m.system.torsion[i] = {Real(0), Real(0), Real(0), w};
    }
  });
  factor_reduced_system(team, s, m.system);
}

/// A ρ with which the residuals of contacts and motion fall at the same rate.
template <class Real>
ST_FN Real balance_penalty(Real rho, Real contact, Real motion) {
  const Real ratio = std::sqrt(larger(contact, Real(1e-12)) / larger(motion, Real(1e-12)));
  const Real change = clamped(ratio, Real(0.01), Real(100));
  const bool worth = change > Real(kChange) || change < Real(1.0 / kChange);
  return worth ? clamped(rho * change, Real(1e-6), Real(1e6)) : rho;
}

/// Computes the certified residual of (v, λ) and keeps the best answer.
template <class Team, class Real, class Factor>
ST_FN Residual<Real> check(const Team& team, const ContactProblem<Real>& p, AdmmMemory<Real, Factor>& m,
                           ContactSolution<Real>& out, Real* least) {
  AnswerArrays<Real> x = m.state.answer();
  const auto residual = write_answer(team, p, m.scaled, x, m.residual, out);
  *least = keep_best(team, m.scaled, x, residual.total, *least, m.best);
  return residual;
}

/// ‖T(t) − t‖² in the state's norm
template <class Team, class Real>
ST_FN Real fixed_point_residual(const Team& team, const AdmmState<Real>& x, int n) {
  return team.sum(n, Real(0), [&](int k) {
    const Real f = x.image[k] - x.state[k];
    return x.weight[k] * f * f;
  });
}

/// The progress of the iteration.
template <class Real>
struct AdmmProgress {
  Real rho;
  Real size;        // ‖T(t) − t‖² of the last step, in the norm of the weights
  bool first;       // the acceleration has no memory yet
  int next_change;  // first step at which ρ may change again
};

/// Sets the state of the next step: the accelerated one, or the last plain one if the acceleration did harm.
template <class Team, class Real>
ST_FN void advance(const Team& team, AdmmState<Real>& x, Anderson<Real>& anderson, AdmmProgress<Real>& now) {
  const Real size = fixed_point_residual(team, x, anderson.n);
  const bool harm = !now.first && !(size <= Real(kGrowth) * now.size);
  now.size = size;
  if (harm) {
    team.each(anderson.n, [&](int k) { x.state[k] = anderson.last_image[k]; });
    forget(team, anderson);
  } else {
    extrapolate(team, x.weight, x.image, now.first, anderson, x.state);
  }
  now.first = harm;
}

/// Factors the matrix for now.rho and encodes (v, λ) for it.
template <class Team, class Real, class Factor>
ST_FN void restart(const Team& team, const ContactProblem<Real>& p, AdmmMemory<Real, Factor>& m,
                   AdmmProgress<Real>& now) {
  set_stiffness(team, m.scaled, m);
  set_penalty(team, now.rho, m);
  encode_state(team, m.scaled, now.rho, m.state);
  decode_impulses(team, m.scaled, p.law, now.rho, m.state);
  forget(team, m.anderson);
  now.first = true;
}

/// Takes steps until the residual is within the tolerance. Returns their number.
template <class Team, class Real, class Factor>
ST_FN int iterate(const Team& team, const ContactProblem<Real>& p, Real tolerance, int max_steps,
                  AdmmMemory<Real, Factor>& m, AdmmProgress<Real>& now, ContactSolution<Real>& out, Real* least) {
  restart(team, p, m, now);
  for (int step = 0;; ++step) {
    decode_impulses(team, m.scaled, p.law, now.rho, m.state);
    if (step % kCheck == 0 || step == max_steps) {
      const auto residual = check(team, p, m, out, least);
      if (*least <= tolerance || !std::isfinite(residual.total) || step == max_steps) return step;
      const Real balanced = balance_penalty(now.rho, larger(residual.contact, residual.row), residual.motion);
      if (step >= now.next_change && balanced != now.rho) {
        now.rho = balanced, now.next_change = step + step / 4;
        restart(team, p, m, now);
      }
    }
    step_admm(team, m.scaled, m.system, now.rho, m.state);
    advance(team, m.state, m.anderson, now);
  }
}

/// Takes steps from a warm start, or if `warm` is null from the problem's start. Returns their number.
template <class Team, class Real, class Factor>
ST_FN int iterate_from(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>* warm, Real tolerance,
                       int max_steps, AdmmMemory<Real, Factor>& m, ContactSolution<Real>& out,
                       SolverReport<Real>& report) {
  AnswerArrays<Real> answer = m.state.answer();
  scale_warm_start(team, p, warm, m.scaled, answer);
  if (warm && warm->v)
    encode_shift(team, m.scaled, p.law, m.state);
  else
    team.each(p.num_contacts, [&](int i) { m.state.shift[i] = Real(0); });
  const Real penalty = warm && warm->penalty > Real(0) ? warm->penalty : Real(1);
  AdmmProgress<Real> now{penalty, Real(0), true, kCheck};
  const int steps = iterate(team, p, tolerance, max_steps, m, now, out, &report.residual);
  report.penalty = now.rho;
  return steps;
}

}  // namespace admm_detail

template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_admm(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                    const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  if (!is_well_posed(team, p)) return report_not_finite(team, p, out);
  using Memory = AdmmMemory<Real, Factor>;
  auto& m = place<Memory>(team, arena, [&](Arena& rest, Memory& m) { take_admm_memory(capacity_of(p), rest, m); });
  scale_problem(team, p, m.scaled);
  if (!plan_reduced_system(team, m.scaled, m.system)) return report_factor_full(team, p, out);
  SolverReport<Real> report{status::kIterationLimit, 0, Real(-1), Real(0), nullptr};
  const Real tolerance = static_cast<Real>(config.tolerance);
  const int steps = kAdmmStepsPerIteration * config.max_iterations;
  const Real enough = larger(tolerance, Real(admm_detail::kLost));
  for (int start = 0; start < 2; ++start) {
    const WarmStart<Real>* from = start == 0 ? &warm : nullptr;
    const int most = smaller(steps, most_iterations(config) - report.iterations);
    report.iterations += admm_detail::iterate_from(team, p, from, tolerance, most, m, out, report);
    const bool lost = !(report.residual >= Real(0) && report.residual <= enough);
    if (!lost || !warm.v || report.iterations >= most_iterations(config)) break;
  }
  finish_report(team, p, config, m.scaled, m.best, m.residual, out, &report);
  return report;
}

}  // namespace stiction
