// Calls the solver that the configuration names; the list of solvers comes from solvers.inc.
#pragma once

#include "kernels/solver/default/warm.hpp"
#include "kernels/solver/islands.hpp"
#include "kernels/solver/pivots/lemke.hpp"
#include "kernels/solver/proof/explain.hpp"
#include "kernels/solver/proximal/newton.hpp"
#include "kernels/solver/quiet_rows.hpp"
#include "kernels/solver/splitting/admm.hpp"
#include "kernels/solver/splitting/pgs.hpp"
#include "kernels/solver/working_set.hpp"

namespace stiction {

template <SolverName kName>
struct SolverOf;

#define ST_SOLVER(enumerator, name, function, scratch_of, factors)                                                     \
  template <>                                                                                                          \
  struct SolverOf<SolverName::enumerator> {                                                                            \
    static constexpr SolverName kName = SolverName::enumerator;                                                        \
    static constexpr bool kFactors = factors;                                                                          \
    template <class Team, class Real, class Factor>                                                                    \
    ST_FN static SolverReport<Real> solve(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config, \
                                          const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {      \
      return function<Team, Real, Factor>(team, p, config, warm, arena, out);                                          \
    }                                                                                                                  \
    template <class Real, class Factor>                                                                                \
    static ScratchBytes scratch(const SolverCapacity& capacity) {                                                      \
      return scratch_of<Real, Factor>(capacity);                                                                       \
    }                                                                                                                  \
  };
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

/// True for the solver that solve_warm is a part of: on a GPU that part has a kernel of its own.
constexpr bool has_warm_kernel(SolverName name) { return name == SolverName::kInteriorPoint; }

/// Solves the islands of p one after the other. The default solver first tries the answers that the start tells. Where
/// p has many contacts and the start tells which of them carry, the working set of these contacts alone is tried next.
/// `task`: kAll, or kBounded where the caller judges the answer.
template <SolverName kName, class Factor, class Team, class Real>
ST_FN SolverReport<Real> solve_alone(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                     const WarmStart<Real>& warm, IslandTask task, Arena arena,
                                     ContactSolution<Real>& out) {
  using Solver = SolverOf<kName>;
  SolverReport<Real> set, whole;
  if constexpr (kName == SolverName::kInteriorPoint)
    if (ends_as_it_starts(team, p, config, warm, arena, out, whole)) return whole;
  Arena rest = arena;
  Islands<Real> islands = take_islands<Real>(capacity_of(p), rest);
  if (solve_working_set<Solver, Factor>(team, p, config, warm, rest, islands, out, &set)) return set;
  const WarmStart<Real> start = solver_start(warm);
  const SolverConfig left = without_iterations(config, set.iterations);
  choose_all_contacts(p, islands);
  const int count = island_detail::find_islands(p, islands);
  whole = count > 1 ? solve_islands<Solver, Factor>(team, p, left, start, count, task, rest, islands, out)
                    : Solver::template solve<Team, Real, Factor>(team, p, left, start, rest, out);
  whole.iterations += set.iterations;
  return set.iterations > 0 ? keep_better(team, p, set, islands, whole, out) : whole;
}

/// Solves p; a single lane may take the sequential shortcuts of `solve_alone`, and with the default solver leave out
/// quiet rows.
template <SolverName kName, class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_parts(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                     const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  const auto alone = [&](const auto& problem, const SolverConfig& left, const auto& start, IslandTask task, Arena rest,
                         auto& answer) {
    return solve_alone<kName, Factor>(team, problem, left, start, task, rest, answer);
  };
  const auto solve = [&]() -> SolverReport<Real> {
    if constexpr (Team::kLanes == 1) {
      if (goes_alone<Team>(config) && kName == SolverName::kInteriorPoint)
        return solve_without_quiet_rows(team, p, config, warm, arena, out, alone);
      if (goes_alone<Team>(config)) return alone(p, config, warm, IslandTask::kAll, arena, out);
    }
    return SolverOf<kName>::template solve<Team, Real, Factor>(team, p, config, solver_start(warm), arena, out);
  };
  return refuse_long_motion(team, p, out, solve());
}

/// Solves p; where there is no solution, the report says why.
template <SolverName kName, class Team, class Real, class Factor>
ST_APART SolverReport<Real> solve_explained(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                            const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  auto report = solve_parts<kName, Team, Real, Factor>(team, p, config, warm, arena, out);
  explain_unsolved<Team, Real>(team, p, config, arena, out, &report);
  return report;
}

/// Bytes of scratch that `solve_explained` needs.
template <SolverName kName, class Real, class Factor>
inline std::size_t explained_scratch(const SolverCapacity& capacity) {
  Arena islands;
  if (capacity.single_lane) take_quiet_rows<Real>(capacity, islands);
  take_islands<Real>(capacity, islands);
  const std::size_t solve = SolverOf<kName>::template scratch<Real, Factor>(capacity).all;
  const std::size_t explain = plan_scratch<Real, Real>(capacity).all;
  return islands.used() + (solve > explain ? solve : explain);
}

/// `solve_explained` with the factor that config.factor asks for.
template <SolverName kName, class Team, class Real>
ST_FN SolverReport<Real> solve_factored(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                        const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  if constexpr (SolverOf<kName>::kFactors)
    if (config.factor == Dtype::kFloat32)
      return solve_explained<kName, Team, Real, float>(team, p, config, warm, arena, out);
  return solve_explained<kName, Team, Real, Real>(team, p, config, warm, arena, out);
}

/// `solve_factored` with config.name.
template <class Team, class Real>
ST_PHASE SolverReport<Real> solve_problem(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                          const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  switch (config.name) {
#define ST_SOLVER(enumerator, name, function, scratch_of, factors) \
  case SolverName::enumerator:                                     \
    return solve_factored<SolverName::enumerator, Team, Real>(team, p, config, warm, arena, out);
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
  return {status::kNotFinite, 0, Real(0), Real(0), nullptr};
}

/// Bytes of scratch that `solve_problem` needs.
template <class Real>
inline std::size_t solver_scratch(const SolverConfig& config, const SolverCapacity& capacity) {
  switch (config.name) {
#define ST_SOLVER(enumerator, name, function, scratch_of, factors)                                             \
  case SolverName::enumerator:                                                                                 \
    return config.factor == Dtype::kFloat32 ? explained_scratch<SolverName::enumerator, Real, float>(capacity) \
                                            : explained_scratch<SolverName::enumerator, Real, Real>(capacity);
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
  return 0;
}

namespace solver_detail {

/// Near memory that the factor needs at least and at most [bytes]. The least is for bodies that touch nothing; a dense
/// matrix always needs the most.
template <SolverName kName, class Real, class Factor>
inline NearBytes near_bytes(const SolverCapacity& capacity) {
  const std::size_t most = SolverOf<kName>::template scratch<Real, Factor>(capacity).near;
  if (most == 0 || capacity.num_blocks > kMaxBlocks) return {most, most};
  Arena least;
  take_matrix<Factor>(diagonal_entries(capacity), static_cast<std::size_t>(capacity.nv), least);
  return {least.used(), most};
}

}  // namespace solver_detail

/// Bytes of near memory that the solver can use for its factor; 0 for a solver that has none.
template <class Real>
inline NearBytes solver_near_bytes(const SolverConfig& config, const SolverCapacity& capacity) {
  switch (config.name) {
#define ST_SOLVER(enumerator, name, function, scratch_of, factors)                                                     \
  case SolverName::enumerator:                                                                                         \
    return config.factor == Dtype::kFloat32 ? solver_detail::near_bytes<SolverName::enumerator, Real, float>(capacity) \
                                            : solver_detail::near_bytes<SolverName::enumerator, Real, Real>(capacity);
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
  return {0, 0};
}

}  // namespace stiction
