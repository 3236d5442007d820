// Finds out why a problem has no solution, with a certificate that anyone can check. This runs after every solver,
// whatever the solver does itself.
//
//   infeasible  y ∈ K, Jᵀy = 0, Σ y·(b + φ/h e_n) < 0   (infeasible.hpp); the answer is then the elastic mode's
//   unbounded   H d = 0, gᵀd − Σ σ_r(d) > 0, J d ∈ K*   (unbounded.hpp)
//   too long    removes overlaps by a motion that is longer by far (longest_motion.hpp)
//
// If none is found, or if the total of iterations is used up, the report is left unchanged. The search itself does
// not count towards the total; each of its phases may take max_iterations.
#pragma once

#include "kernels/solver/default/memory.hpp"
#include "kernels/solver/proof/elastic.hpp"
#include "kernels/solver/proof/infeasible.hpp"
#include "kernels/solver/proof/longest_motion.hpp"
#include "kernels/solver/proof/unbounded.hpp"

namespace stiction {
namespace explain_detail {

/// Leaves d (nv) in m.certificate, in the problem's units. True if there is one.
template <class Team, class Real, class Factor>
ST_FN bool certify_unbounded(const Team& team, const ContactProblem<Real>& p, int max_iterations,
                             PlanMemory<Real, Factor>& m) {
  if (!find_free_direction(team, m.scaled, max_iterations, m.auxiliary, m.work, m.certificate)) return false;
  team.each(p.nv, [&](int j) { m.certificate[j] /= p.dof_radius[j]; });
  return true;
}

/// The problem whose infeasibility proves that of p. Under Coulomb's law it has no friction, because s makes room for
/// every sliding motion.
template <class Team, class Real, class Factor>
ST_FN const ScaledProblem<Real>& least_demand(const Team& team, const ContactProblem<Real>& p,
                                              PlanMemory<Real, Factor>& m) {
  return shifts_gap(p.law) ? without_friction(team, m.scaled, m.auxiliary) : m.scaled;
}

/// Leaves y in m.certificate, in the problem's units: (num_contacts, dimension), then (num_rows). True if there is one.
template <class Team, class Real, class Factor>
ST_FN bool certify_infeasible(const Team& team, const ContactProblem<Real>& p, int max_iterations,
                              PlanMemory<Real, Factor>& m) {
  const ScaledProblem<Real>& demand = least_demand(team, p, m);
  if (!find_opposing_impulses(team, demand, max_iterations, m.auxiliary, m.work)) return false;
  const auto& x = m.work.interior;
  const int first_row = p.dimension * p.num_contacts;
  team.each(first_row, [&](int k) { m.certificate[k] = x.lambda[k] * impulse_length(p, k); });
  team.each(p.num_rows, [&](int r) { m.certificate[first_row + r] = x.row_lambda[r] * p.rows[r].radius; });
  return true;
}

/// Reports why there is no solution, with the certificate. An infeasible problem gets the elastic mode's answer.
template <class Team, class Real, class Factor>
ST_FN void explain_failure(const Team& team, const ContactProblem<Real>& p, const ScaledOptions<Real>& options,
                           PlanMemory<Real, Factor>& m, ContactSolution<Real>& out, SolverReport<Real>* report) {
  if (certify_infeasible(team, p, options.max_iterations, m)) {
    const Real slack = solve_elastic(team, least_demand(team, p, m), options, m.auxiliary, m.work);
    report->status = status::kInfeasible;
    report->certificate = m.certificate;
    report->violation = larger(slack, Real(0)) * m.scaled.units.velocity * p.step_size;
    if (slack >= Real(0)) report->residual = write_answer(team, p, m.scaled, m.work.polish.best, m.residual, out).total;
  } else if (certify_unbounded(team, p, options.max_iterations, m)) {
    report->status = status::kUnbounded;
    report->certificate = m.certificate;
  }
}

/// Finds the reason with the scratch of the default solver, if the problem fits.
template <class Team, class Real>
ST_FN void find_failure(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config, Arena arena,
                        ContactSolution<Real>& out, SolverReport<Real>* report) {
  report->certificate = nullptr;
  auto& m = place_plan<Real>(team, p, arena);
  prepare_plan(team, p, config, m);
  team.once([&] { *m.work.left = INT_MAX; });
  if (!m.fits) return;
  plan_factor(team, m);
  explain_failure(team, p, m.options, m, out, report);
}

}  // namespace explain_detail

/// Adds to a solver's report why there is no solution, as far as that can be found out. A certificate from the solver
/// itself is dropped, because its scratch is overwritten.
template <class Team, class Real>
ST_FN void explain_unsolved(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config, Arena arena,
                            ContactSolution<Real>& out, SolverReport<Real>* report) {
  if (report->status == status::kConverged || !is_well_posed(team, p)) return;
  if (report->iterations < most_iterations(config)) explain_detail::find_failure(team, p, config, arena, out, report);
  shorten_motion(team, p, out, report);
}

}  // namespace stiction
