// The default solver: interior point, then (where the tolerance asks for it) a polish.
#pragma once

#include "kernels/problem/residual.hpp"
#include "kernels/solver/interior_point_loop.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

template <class Real, class Factor>
struct InteriorPointMemory {
  ScaledProblem<Real> scaled;
  ReducedSystem<Real, Factor> system;
  InteriorPointState<Real> state;
  ResidualScratch<Real> residual;
};

template <class Real, class Factor>
ST_FN InteriorPointMemory<Real, Factor> take_interior_point_memory(const SolverCapacity& c, Arena& arena) {
  InteriorPointMemory<Real, Factor> m{};
  m.scaled = take_scaled_problem<Real>(c, arena);
  m.system = take_reduced_system<Real, Factor>(c, m.scaled.stride, arena);
  m.state = take_interior_point<Real>(c, arena);
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

template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_interior_point(const Team& team, const ContactProblem<Real>& p,
                                              const SolverConfig& config, const WarmStart<Real>& warm, Arena arena,
                                              ContactSolution<Real>& out) {
  auto m = take_interior_point_memory<Real, Factor>(capacity_of(p), arena);
  scale_problem(team, p, m.scaled);
  plan_reduced_system(team, m.scaled, m.system);
  team.each(p.nv, [&](int j) {
    m.state.v[j] = warm.v ? warm.v[j] * p.dof_radius[j] / m.scaled.units->velocity : Real(0);
    m.state.center[j] = Real(0);
  });
  const InteriorPointOptions<Real> options{Real(1e-8), Real(0), Real(0.1 * config.tolerance), config.max_iterations};
  const auto run = run_interior_point(team, m.scaled, options, m.system, m.state);
  unscale_solution(team, p, m.scaled, m.state.v, m.state.lambda, m.state.row_lambda, out);
  const auto residual = compute_residual(team, p, m.scaled.table, out, m.residual);
  SolverReport<Real> report{};
  report.iterations = run.iterations;
  report.residual = residual.total;
  report.status = residual.total <= Real(config.tolerance) ? status::kConverged : status::kIterationLimit;
  return report;
}

}  // namespace stiction
