// A contact problem whose H is one block, and the memory in which one thread solves such problems.
#pragma once

#include <vector>

#include "host/api/solve_problems.hpp"
#include "host/backend/batch_buffers.hpp"
#include "kernels/problem/residual.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// The largest sizes in a batch.
struct ProblemSize {
  int nv, contacts, rows;
};

/// Owns its rows; matrices and vectors belong to the caller. Rotations are scaled like translations, with a radius of
/// 1.
class OneBlockProblem {
 public:
  OneBlockProblem(const ProblemSize& most, const SolveOptions& options);

  /// Starts anew, without contacts and rows: H (nv, nv), g (nv).
  void set_motion(int nv, const double* H, const double* g, double step_size);
  /// J (3, nv); b n, t, o, or null for 0
  void add_contact(const double* J, double gap_rate, const double* b, double mu);
  /// J v + b >= 0, or = 0 for an equation
  void add_row(const double* J, double b, bool equation = false);
  /// −J v ∈ N_C(λ), C = [lower, upper]
  void add_bounded_row(const double* J, double lower, double upper);
  ContactProblem<double> view() const;

 private:
  ContactProblem<double> problem_{};
  int block_adr_ = 0, block_size_ = 0;
  const double* H_ = nullptr;
  const double* M_ = nullptr;
  std::vector<double> radius_, identity_;
  std::vector<ContactRow<double>> contacts_;
  std::vector<GeneralRow<double>> rows_;
};

/// Solves problems of up to a size.
class ProblemSolver {
 public:
  /// `largest`: a problem with the most contacts, rows and velocities. `has_mass`: H is regular, so that there is no
  /// choice between several motions.
  ProblemSolver(const ContactProblem<double>& largest, const SolveOptions& options, bool has_mass = false);

  /// Solves with the solver of the options. If they leave it open, a second solver follows where the first does not
  /// converge, and large problems get other solvers with a budget. What stays unsolved is explained
  /// (free_direction.hpp). The report's certificate is valid until the next call. `spent`: iterations of the total that
  /// are already taken; less than the total.
  SolverReport<double> solve(const ContactProblem<double>& problem, double tolerance, ContactSolution<double>& out,
                             const WarmStart<double>& warm = {}, int spent = 0);

  /// True for a problem with mass under Coulomb's law whose matrix is expensive to factor, if the solver is left open.
  /// ADMM, which factors the matrix once, then goes first, and Newton's method continues from its answer.
  bool is_large(const ContactProblem<double>& problem) const;

 private:
  SolverReport<double> run(const SolverConfig& config, const ContactProblem<double>& problem,
                           const WarmStart<double>& warm, ContactSolution<double>& out);
  /// Solves a second time, starting from the first answer if `goes_on`, and keeps the better of both answers.
  SolverReport<double> solve_again(const SolverConfig& config, bool goes_on, const ContactProblem<double>& problem,
                                   const SolverReport<double>& first, ContactSolution<double>& out);

  SolverConfig config_;
  bool open_;  // whether there is a second solver
  bool has_mass_;
  AlignedVector<char> scratch_;
  std::vector<double> v_, lambda_, row_lambda_;  // the first solver's answer
  std::vector<double> direction_;                // of free_direction.hpp
};

/// The part of the residual from contacts, for velocities u (3 contacts) at gaps of 0. As no bodies are known, all
/// contacts have the scale of the largest impulse, max(‖λ‖∞, h · 1 mN).
double measure_contacts(const ContactProblem<double>& problem, const double* u, const double* impulses);

/// The residual of kernels/problem/residual.hpp.
Residual<double> measure_residual(const ContactProblem<double>& problem, const ContactSolution<double>& x);

}  // namespace stiction
