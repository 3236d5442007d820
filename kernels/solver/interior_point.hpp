// The default solver: interior point and polish on the scaled problem, certified by kernels/problem/residual.hpp.
#pragma once

#include "kernels/problem/residual.hpp"
#include "kernels/solver/solve_scaled.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

template <class Real, class Factor>
struct InteriorPointMemory {
  ScaledProblem<Real> scaled;
  SolverWorkspace<Real, Factor> work;
  ResidualScratch<Real> residual;
};

template <class Real, class Factor>
ST_FN InteriorPointMemory<Real, Factor> take_interior_point_memory(const SolverCapacity& c, Arena& arena) {
  InteriorPointMemory<Real, Factor> m{};
  m.scaled = take_scaled_problem<Real>(c, arena);
  m.work = take_solver_workspace<Real, Factor>(c, m.scaled.stride, arena);
  m.residual = take_residual_scratch<Real>(c.nv, arena);
  return m;
}

/// Bytes of scratch that `solve_interior_point` needs.
template <class Real, class Factor>
inline std::size_t interior_point_scratch(const SolverCapacity& c) {
  Arena arena;
  take_interior_point_memory<Real, Factor>(c, arena);
  return arena.used();
}

template <class Real>
ST_FN SolverCapacity capacity_of(const ContactProblem<Real>& p) {
  return {p.nv, p.num_blocks, p.block_size, p.num_contacts, p.num_rows, p.facets};
}

namespace interior_point_detail {

/// Polish from the last step's answer: a few Newton steps if little has changed.
template <class Team, class Real, class Factor>
ST_FN ScaledReport<Real> solve_warm(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                    const ScaledOptions<Real>& options, const InteriorPointMemory<Real, Factor>& m) {
  const auto& s = m.scaled;
  const auto& x = m.work.interior;
  team.each(p.nv, [&](int j) { x.v[j] = warm.v[j] * p.dof_radius[j] / s.units->velocity; });
  team.each(3 * p.num_contacts, [&](int i) { x.lambda[i] = warm.lambda[i] / s.units->impulse; });
  team.each(p.num_rows, [&](int r) {
    x.row_lambda[r] = warm.row_lambda ? warm.row_lambda[r] / (s.units->impulse * p.rows[r].radius) : Real(0);
  });
  const auto end = polish_from(team, s, options, 8, x.v, x.lambda, x.row_lambda, m.work);
  return {end.converged, false, end.iterations, end.residual};
}

}  // namespace interior_point_detail

template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_interior_point(const Team& team, const ContactProblem<Real>& p,
                                              const SolverConfig& config, const WarmStart<Real>& warm, Arena arena,
                                              ContactSolution<Real>& out) {
  auto m = take_interior_point_memory<Real, Factor>(capacity_of(p), arena);
  scale_problem(team, p, m.scaled);
  plan_reduced_system(team, m.scaled, m.work.system);
  const Real speed_floor = Real(1e-3) / (p.step_size * m.scaled.units->velocity);
  const ScaledOptions<Real> options{Real(0.5 * config.tolerance), speed_floor, Real(0), config.max_iterations};

  ScaledReport<Real> end{false, false, 0, Real(-1)};
  if (warm.v && warm.lambda) end = interior_point_detail::solve_warm(team, p, warm, options, m);
  if (!end.converged) {
    team.each(p.nv, [&](int j) { m.work.interior.v[j] = Real(0); });
    const int spent = end.iterations;
    end = solve_scaled(team, m.scaled, options, m.work);
    end.iterations += spent;
  }

  const auto& best = m.work.polish;
  unscale_solution(team, p, m.scaled, best.best_v, best.best_lambda, best.best_row_lambda, out);
  SolverReport<Real> report{};
  report.iterations = end.iterations;
  report.residual = compute_residual(team, p, m.scaled.table, out, m.residual).total;
  const bool converged = report.residual <= static_cast<Real>(config.tolerance);
  const std::uint32_t failure = end.out_of_iterations ? status::kIterationLimit : status::kStalled;
  report.status = converged ? status::kConverged : failure;
  return report;
}

}  // namespace stiction
