// Runs a solver on a RawProblem with its own memory.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/launch/host_solvers.hpp"
#include "tests/solver/raw_problem.hpp"

namespace stiction::test {

template <class Real>
struct Answer {
  std::vector<Real> v, lambda, row_lambda, certificate;
  SolverReport<Real> report{};
  Residual<Real> residual{};

  bool has(std::uint32_t bit) const { return (report.status & bit) != 0; }
};

/// An answer of the right size, all zeros.
template <class Real>
Answer<Real> room_for_answer(const ContactProblem<Real>& p) {
  Answer<Real> a;
  a.v.resize(static_cast<std::size_t>(p.nv));
  a.lambda.resize(static_cast<std::size_t>(p.dimension * p.num_contacts));
  a.row_lambda.resize(static_cast<std::size_t>(p.num_rows));
  return a;
}

/// The start of a problem at which nothing moves or presses.
template <class Real>
Answer<Real> rest(RawProblem<Real>& p) {
  return room_for_answer(p.view());
}

/// 64-byte aligned scratch filled with a pattern, so that reading what was never written shows.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : memory_(bytes + 64, std::byte{0xff}) {}
  void* base() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }

 private:
  std::vector<std::byte> memory_;
};

template <class Real>
Residual<Real> certify(const ContactProblem<Real>& p, std::vector<Real>& v, std::vector<Real>& lambda,
                       std::vector<Real>& row_lambda) {
  Arena measure;
  take_facet_table<Real>(shape_cone(p), measure);
  take_residual_scratch<Real>(p.nv, p.num_blocks, p.num_contacts, p.num_rows, measure);
  Scratch memory(measure.used());
  Arena arena(memory.base());
  auto table = take_facet_table<Real>(shape_cone(p), arena);
  auto scratch = take_residual_scratch<Real>(p.nv, p.num_blocks, p.num_contacts, p.num_rows, arena);
  fill_facet_table(HostTeam<>{}, table);
  const ContactSolution<Real> x{v.data(), lambda.data(), row_lambda.data()};
  return compute_residual(HostTeam<>{}, p, table, x, scratch);
}

using InteriorPoint = SolverOf<SolverName::kInteriorPoint>;
using Admm = SolverOf<SolverName::kAdmm>;
using Pgs = SolverOf<SolverName::kPgs>;
using Lemke = SolverOf<SolverName::kLemke>;

/// Any solver, with its own memory.
template <class Solver, class Real, class Team = HostTeam<>, class Factor = Real>
Answer<Real> solve_with(RawProblem<Real>& raw, double tolerance, const Answer<Real>* warm = nullptr,
                        int max_iterations = 50, int max_total_iterations = 0) {
  const ContactProblem<Real> p = raw.view();
  Answer<Real> a = room_for_answer(p);
  ContactSolution<Real> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  WarmStart<Real> start;
  if (warm) start = {warm->v.data(), warm->lambda.data(), warm->row_lambda.data()};
  SolverConfig config;
  config.tolerance = tolerance;
  config.max_iterations = max_iterations;
  config.max_total_iterations = max_total_iterations;
  Scratch memory(explained_scratch<Solver::kName, Real, Factor>(capacity_of(p)));
  a.report = solve_explained<Solver::kName, Team, Real, Factor>(Team{}, p, config, start, Arena(memory.base()), out);
  if (a.report.certificate) {
    const std::size_t n = a.has(status::kUnbounded) ? a.v.size() : a.lambda.size() + a.row_lambda.size();
    a.certificate.assign(a.report.certificate, a.report.certificate + n);
  }
  a.report.certificate = nullptr;
  a.residual = certify(p, a.v, a.lambda, a.row_lambda);
  return a;
}

// compiled once, in solve_{forward,backward,strided}.cpp
#define ST_SOLVE_IN(which, solver, order, Real)                                                         \
  which Answer<Real> solve_with<SolverOf<SolverName::solver>, Real, HostTeam<PhaseOrder::order>, Real>( \
      RawProblem<Real>&, double, const Answer<Real>*, int, int);
#define ST_SOLVE(which, solver, order) \
  ST_SOLVE_IN(which, solver, order, double) ST_SOLVE_IN(which, solver, order, float)
#define ST_SOLVER(enumerator, name, function, scratch_of, factors) \
  ST_SOLVE(extern template, enumerator, kForward)                  \
  ST_SOLVE(extern template, enumerator, kBackward)                 \
  ST_SOLVE(extern template, enumerator, kStrided)
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

/// The default solver.
template <class Real, class Factor = Real, class Team = HostTeam<>>
Answer<Real> solve(RawProblem<Real>& raw, double tolerance, const Answer<Real>* warm = nullptr,
                   int max_iterations = 50) {
  return solve_with<InteriorPoint, Real, Team, Factor>(raw, tolerance, warm, max_iterations);
}

}  // namespace stiction::test
