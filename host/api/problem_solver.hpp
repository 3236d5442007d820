// Which solvers a contact problem goes through, one after the other, until it is solved or explained. The runs
// themselves are made by whoever asks: a host thread (host_solver.hpp) or a GPU (host/backend/gpu_solver.hpp).
//
//   solver.begin(problem, tolerance, out);
//   do make(solver.run()); while (solver.go_on());
#pragma once

#include <vector>

#include "host/api/solve_problems.hpp"
#include "host/backend/gpu_solver.hpp"

namespace stiction {

class ProblemSolver {
 public:
  /// `has_mass`: H is regular, so that there is no choice between several motions.
  explicit ProblemSolver(const SolveOptions& options, bool has_mass = false);

  /// Prepares the first run: by the solver of the options. `problem` and the arrays of `out` must live until the last
  /// run. `spent`: iterations of the total that are already taken; less than the total.
  void begin(const ContactProblem<double>& problem, double tolerance, const ContactSolution<double>& out,
             const WarmStart<double>& warm = {}, int spent = 0);

  /// The run to make next; `report` is to be filled.
  SolverRun& run() { return run_; }

  /// True if another run follows. If the options leave the solver open, a second solver follows where the first does
  /// not converge, and large problems get other solvers with a budget. What stays unsolved is explained
  /// (free_direction.hpp).
  bool go_on();

  /// The report of all runs, after the last. Its certificate is valid until the next run.
  const SolverReport<double>& report() const { return report_; }

  /// True for a problem with mass under Coulomb's law whose matrix is expensive to factor, if the solver is left open.
  /// ADMM, which factors the matrix once, then goes first, and Newton's method continues from its answer.
  bool is_large(const ContactProblem<double>& problem) const;

 private:
  bool is_explained();
  void prepare_second_run();
  /// Keeps the better of both answers.
  void join_runs();

  SolverConfig config_;
  bool open_;  // whether there is a second solver
  bool has_mass_;
  int spent_ = 0;
  bool is_second_ = false;
  SolverRun run_{};
  SolverReport<double> report_{};
  std::vector<double> v_, lambda_, row_lambda_;  // the first solver's answer
  std::vector<double> direction_;                // of free_direction.hpp
};

}  // namespace stiction
