// What every solver takes and returns.
//
//   template <class Team, class Real, class Factor>
//   SolverReport<Real> solve(Team, const ContactProblem<Real>&, const SolverConfig&, const WarmStart<Real>&, Arena,
//                            ContactSolution<Real>&)
//
// The problem, the solution and all residuals are in Real; matrices that are factored are stored in Factor.
#pragma once

#include <climits>

#include "kernels/problem/contact_problem.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

/// Which algorithms a solver may use. Both routes solve the same problems to the same residual. A host that takes
/// kTeam, as a GPU does, returns the same bits as the GPU.
enum class SolveRoute {
  kAlone,  // sequential shortcuts of a single thread: islands, working sets, the active set, Coulomb's Newton steps
  kTeam,   // none of these shortcuts: the only route of a team of several lanes
};

/// Options of `[solver]`; usable untouched.
struct SolverConfig {
  SolverName name = SolverName::kInteriorPoint;
  double tolerance = 1e-8;  // bounds the residual of kernels/problem/residual.hpp [-]
  int max_iterations = 50;  // interior-point iterations; polish and elastic phases have their own budget of this size
  Dtype factor = Dtype::kFloat64;         // precision of the factored matrix, for solvers that have one
  int max_total_iterations = 0;           // limit on the sum over all phases and starts; 0: no limit
  SolveRoute route = SolveRoute::kAlone;  // read by a team of one lane only; all others take kTeam

  bool operator==(const SolverConfig&) const = default;
};

/// How many iterations all phases and starts may take together.
ST_FN int most_iterations(const SolverConfig& config) {
  return config.max_total_iterations > 0 ? config.max_total_iterations : INT_MAX;
}

/// The configuration whose total is reduced by `spent` iterations; `spent` must be below the total.
ST_FN SolverConfig without_iterations(SolverConfig config, int spent) {
  if (config.max_total_iterations > 0) config.max_total_iterations -= spent;
  return config;
}

/// Impulses of the last step stand if they leave at most this share of the tolerance: what they lack adds up from step
/// to step [-].
template <class Real>
constexpr Real kAsGood = Real(1e-2);

/// True for a single thread that takes SolveRoute::kAlone.
template <class Team>
ST_FN bool goes_alone(const SolverConfig& config) {
  return Team::kLanes == 1 && config.route == SolveRoute::kAlone;
}

/// Where to start: the last step's answer, matched by contact key; all pointers null for a cold start.
template <class Real>
struct WarmStart {
  const Real* v = nullptr;           // (nv)
  const Real* lambda = nullptr;      // (num_contacts, dimension); zero for contacts that are new
  const Real* row_lambda = nullptr;  // (num_rows)
  Real penalty = Real(0);            // the penalty that the last step reported; 0: not known
  bool names_contacts = false;       // true: only tells which contacts may carry (working_set.hpp); solvers start cold
};

/// The warm start that a solver itself gets: a cold one where `warm` only names contacts.
template <class Real>
ST_FN WarmStart<Real> solver_start(const WarmStart<Real>& warm) {
  return warm.names_contacts ? WarmStart<Real>{} : warm;
}

template <class Real>
struct SolverReport {
  std::uint32_t status;  // status bits of kernels/model/types.hpp
  int iterations;        // of all phases together
  Real residual;         // of kernels/problem/residual.hpp, computed from the v and λ that were written [-]
  Real violation;        // of an infeasible problem: Σ of the least slacks of the elastic mode [m]; else 0
  // Certificate in the solver's scratch; null when there is none. With kInfeasible it is y, first (num_contacts,
  // dimension), then (num_rows), in K with Jᵀy = 0 and Σ y·(b + φ/h e_n) < 0. With kUnbounded it is d (nv) with
  // H d = 0, gᵀd > 0, J d in K*.
  const Real* certificate;
  Real penalty = Real(0);  // the ρ with which an augmented Lagrangian ended, relative to the problem's units; else 0
};

}  // namespace stiction
