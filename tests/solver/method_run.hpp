// A method of the default solver by itself, with memory of its own size.
#pragma once

#include "tests/solver/solve.hpp"

namespace stiction::test {

/// `kTake` takes the method's State, whose `answer()` holds the start before a run and the answer after it.
template <class Real, class Team, class State, State (*kTake)(const SolverCapacity&, Arena&)>
class MethodRun {
 public:
  explicit MethodRun(RawProblem<Real>& raw) : p_(raw.view()), memory_(measure(p_)) {
    Arena arena(memory_.base());
    lay_out(p_, arena, s, x);
    scale_problem(Team{}, p_, s);
  }

  ScaledProblem<Real> s;
  State x;

 protected:
  /// Loads the start, in the problem's units; a cold one if there is none.
  void begin(const Answer<Real>* warm) {
    WarmStart<Real> from;
    if (warm) from = {warm->v.data(), warm->lambda.data(), warm->row_lambda.data()};
    AnswerArrays<Real> start = x.answer();
    scale_warm_start(Team{}, p_, &from, s, start);
  }

  /// 1 mm/h in the units of the scaled problem.
  Real speed_floor() const { return Real(1e-3) / (p_.step_size * s.units.velocity); }

  /// The answer with its certified residual; zeros without a status where there is none.
  Answer<Real> leave(bool solved, int iterations) {
    auto a = room_for_answer(p_);
    a.report.iterations = iterations;
    if (!solved) return a;
    ContactSolution<Real> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
    unscale_solution(Team{}, p_, s, x.answer(), out);
    a.residual = certify(p_, a.v, a.lambda, a.row_lambda);
    a.report.status = a.residual.total >= Real(0) ? status::kConverged : status::kNotFinite;
    return a;
  }

  ContactProblem<Real> p_;

 private:
  static void lay_out(const ContactProblem<Real>& p, Arena& arena, ScaledProblem<Real>& s, State& x) {
    s = take_scaled_problem<Real>(capacity_of(p), arena);
    x = kTake(capacity_of(p), arena);
  }

  static std::size_t measure(const ContactProblem<Real>& p) {
    Arena arena;
    ScaledProblem<Real> s;
    State x;
    lay_out(p, arena, s, x);
    return arena.used();
  }

  Scratch memory_;
};

}  // namespace stiction::test
