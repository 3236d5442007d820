// The active set by itself, with memory of its own size.
#pragma once

#include "kernels/solver/default/plan.hpp"
#include "tests/solver/solve.hpp"

namespace stiction::test {

/// Cones with facets: their number, and the box.
struct FlatCone {
  ConeType cone;
  int facets;
};
inline constexpr FlatCone kFlatCones[] = {{ConeType::kPyramid, 1}, {ConeType::kPyramid, 2}, {ConeType::kPyramid, 3},
                                          {ConeType::kPyramid, 4}, {ConeType::kPyramid, 5}, {ConeType::kPyramid, 8},
                                          {ConeType::kBox, 4}};

template <class Real, class Team = HostTeam<>>
class ActiveSetRun {
 public:
  explicit ActiveSetRun(RawProblem<Real>& raw) : p_(raw.view()), memory_(measure(p_)) {
    Arena arena(memory_.base());
    lay_out(p_, arena, *this);
    scale_problem(Team{}, p_, s);
  }

  /// From a start in the problem's units, to a tolerance of the certified residual.
  Answer<Real> run(double tolerance, const Answer<Real>* warm = nullptr) {
    begin(warm);
    const Real floor = Real(1e-3) / (p_.step_size * s.units.velocity);
    run_active_set(Team{}, s, Real(0.5 * tolerance), floor, most_changes(), x);
    return answer();
  }

  /// The state of the first solve.
  bool start(const Answer<Real>* warm) {
    begin(warm);
    Team{}.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
    whiten_problem(Team{}, s, x);
    return active_set_detail::start_rows(x);
  }

  int most_changes() const {
    return most_active_set_changes(p_.nv, SolverConfig{}.max_iterations, most_iterations(SolverConfig{}));
  }

  ScaledProblem<Real> s;
  ActiveSetState<Real> x;

 private:
  static void lay_out(const ContactProblem<Real>& p, Arena& arena, ActiveSetRun& run) {
    run.s = take_scaled_problem<Real>(capacity_of(p), arena);
    run.x = take_active_set<Real>(capacity_of(p), arena);
  }

  static std::size_t measure(const ContactProblem<Real>& p) {
    Arena arena;
    take_scaled_problem<Real>(capacity_of(p), arena);
    take_active_set<Real>(capacity_of(p), arena);
    return arena.used();
  }

  void begin(const Answer<Real>* warm) {
    WarmStart<Real> from;
    if (warm) from = {warm->v.data(), warm->lambda.data(), warm->row_lambda.data()};
    AnswerArrays<Real> start = x.answer();
    scale_warm_start(Team{}, p_, &from, s, start);
  }

  Answer<Real> answer() {
    Answer<Real> a;
    a.v.resize(static_cast<std::size_t>(p_.nv));
    a.lambda.resize(static_cast<std::size_t>(3 * p_.num_contacts));
    a.row_lambda.resize(static_cast<std::size_t>(p_.num_rows));
    a.report.iterations = x.now->changes;
    if (!x.now->solved) return a;
    ContactSolution<Real> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
    unscale_solution(Team{}, p_, s, x.answer(), out);
    a.residual = certify(p_, a.v, a.lambda, a.row_lambda);
    a.report.status = a.residual.total >= Real(0) ? status::kConverged : status::kNotFinite;
    return a;
  }

  ContactProblem<Real> p_;
  Scratch memory_;
};

}  // namespace stiction::test
