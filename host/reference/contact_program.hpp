// A contact problem without shift as the quadratic program (10) of Pang and Tedrake (2021), and its answer as impulses.
//
//   min ½ vᵀHv − gᵀv + Σ_r f_r(Jᵣ v + bᵣ)   subject to   φ_i/h + (J_i v + b_i)·(1, d_k) >= 0   for every facet k
//   λ_i = Σ_k β_ik (1, d_k), β the multipliers
//
// A general row contributes the conjugate of its set: f(w) = max over λ in [l, u] of −wλ − ½Rλ². In the program this is
//   [0, ∞), R = 0   w >= 0                                   λ its multiplier
//   ℝ, R = 0        w = 0
//   ℝ, R > 0        ½ w²/R                                   λ = −w/R
//   other           w + z⁺ − z⁻ = −Rλ, z >= 0, at the price u z⁺ − l z⁻ (an infinite bound has no z)
//
// With slack every contact has one slack s_i >= 0, and its gap is φ_i/h + s_i. The program has the units metres per
// second and newton seconds: dofs and rows are divided by their radius.
#pragma once

#include <vector>

#include "host/reference/qp.hpp"
#include "host/reference/residual.hpp"

namespace stiction::reference {

using Facets = std::vector<Eigen::MatrixXd>;  // generators (1, d_k) of every contact

enum class Slack { kNone, kOnContacts };

class ContactProgram {
 public:
  /// The problem and the facets must outlive the program.
  ContactProgram(const DenseProblem& problem, const Facets& facets, Slack slack);

  /// The price of slack [N s].
  void set_price(double price) { qp.g.tail(num_slacks()).setConstant(-price); }
  Eigen::VectorXd slack(const QpSolution& s) const { return s.x.tail(num_slacks()); }  // [m/s]

  Eigen::VectorXd velocity(const Eigen::VectorXd& x) const { return x.head(p_.nv()).cwiseQuotient(p_.dof_radius); }

  /// The impulses that the multipliers mean. The same map turns a Farkas vector of the program into one of the problem.
  DenseSolution answer(const QpSolution& s) const;

  QuadraticProgram qp;

 private:
  enum class RowForm { kAtLeast, kAtMost, kEquality, kSpring, kBounded };
  struct Row {
    RowForm form;
    int line;                   // row in E (equality, rigid bounded) or in C (at least, at most); -1: a spring
    int plus = -1, minus = -1;  // variables z⁺, z⁻
    int plus_line = -1, minus_line = -1;
  };

  int num_slacks() const { return slack_ == Slack::kOnContacts ? p_.num_contacts() : 0; }
  RowForm form_of(int r) const;
  void count();
  void write_contacts(const Eigen::VectorXd& inverse);
  void write_row(int r, const Eigen::VectorXd& inverse);
  double row_force(int r, const QpSolution& s) const;

  const DenseProblem& p_;
  const Facets& facets_;
  const Slack slack_;
  int n_ = 0, m_ = 0, me_ = 0;
  std::vector<Row> rows_;
};

}  // namespace stiction::reference
