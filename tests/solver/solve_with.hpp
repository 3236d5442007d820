// Runs any solver of the common signature on a RawProblem with its own memory.
#pragma once

#include "kernels/solver/admm.hpp"
#include "kernels/solver/lemke.hpp"
#include "kernels/solver/pgs.hpp"
#include "tests/solver/solve.hpp"

namespace stiction::test {

struct Lemke {
  template <class Team, class Real>
  static SolverReport<Real> solve(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                  const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
    return solve_lemke<Team, Real, Real>(team, p, config, warm, arena, out);
  }
  template <class Real>
  static std::size_t scratch(const SolverCapacity& c) {
    return lemke_scratch<Real, Real>(c);
  }
};

struct Admm {
  template <class Team, class Real>
  static SolverReport<Real> solve(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                  const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
    return solve_admm<Team, Real, Real>(team, p, config, warm, arena, out);
  }
  template <class Real>
  static std::size_t scratch(const SolverCapacity& c) {
    return admm_scratch<Real, Real>(c);
  }
};

struct Pgs {
  template <class Team, class Real>
  static SolverReport<Real> solve(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                  const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
    return solve_pgs<Team, Real, Real>(team, p, config, warm, arena, out);
  }
  template <class Real>
  static std::size_t scratch(const SolverCapacity& c) {
    return pgs_scratch<Real, Real>(c);
  }
};

template <class Solver, class Real, class Team = HostTeam<>>
Answer<Real> solve_with(RawProblem<Real>& raw, double tolerance, const Answer<Real>* warm = nullptr,
                        int max_iterations = 50) {
  const ContactProblem<Real> p = raw.view();
  Answer<Real> a;
  a.v.resize(static_cast<std::size_t>(p.nv));
  a.lambda.resize(3 * static_cast<std::size_t>(p.num_contacts));
  a.row_lambda.resize(static_cast<std::size_t>(p.num_rows));
  ContactSolution<Real> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  WarmStart<Real> start;
  if (warm) start = {warm->v.data(), warm->lambda.data(), warm->row_lambda.data()};
  SolverConfig config;
  config.tolerance = tolerance;
  config.max_iterations = max_iterations;
  Scratch memory(Solver::template scratch<Real>(capacity_of(p)));
  a.report = Solver::solve(Team{}, p, config, start, Arena(memory.base()), out);
  if (a.report.certificate) {
    const std::size_t n = a.has(status::kUnbounded) ? a.v.size() : a.lambda.size() + a.row_lambda.size();
    a.certificate.assign(a.report.certificate, a.report.certificate + n);
  }
  a.report.certificate = nullptr;
  a.residual = certify(p, a.v, a.lambda, a.row_lambda);
  return a;
}

}  // namespace stiction::test
