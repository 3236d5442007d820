// A contact problem whose H is one block, and the residual of any.
#pragma once

#include <vector>

#include "host/api/solve_problems.hpp"
#include "kernels/problem/residual.hpp"

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

/// The part of the residual from contacts, for velocities u (3 contacts) at gaps of 0. As no bodies are known, all
/// contacts have the scale of the largest impulse, max(‖λ‖∞, h · 1 mN).
double measure_contacts(const ContactProblem<double>& problem, const double* u, const double* impulses);

/// The residual of kernels/problem/residual.hpp.
Residual<double> measure_residual(const ContactProblem<double>& problem, const ContactSolution<double>& x);

}  // namespace stiction
