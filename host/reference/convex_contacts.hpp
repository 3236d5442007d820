// A contact problem without shift (Anitescu's law, or no friction), solved densely:
//
//   λ_i ∈ K_i ⊥ J_i v + b_i + (φ_i/h) e_n ∈ K_i*
//
// With flat cones it is one quadratic program (contact_program.hpp). A curved cone starts as a pyramid, to which
// tangents are added where the motion leaves the cone (cutting planes, Kelley 1960):
//
//   u_i + (φ_i/h) e_n outside of K_i*:   new facet (1, d), d = argmax −d·u_t
//
// The facets require no more than K* does, so a program without a solution proves that the problem has none. The last
// digits come from Newton's method (contact_newton.hpp).
//
// Infeasible problems get the elastic answer: every contact has one slack s_i >= 0 and the gap φ_i/h + s_i; Σ s_i is
// minimised first and the objective second (an exact penalty: the price rises until the sum no longer falls).
#pragma once

#include "host/reference/contact_program.hpp"

namespace stiction::reference {

struct ContactAnswer {
  QpStatus status = QpStatus::kIterationLimit;
  DenseSolution solution;  // infeasible: the elastic answer; unbounded: the last iterate; else the best iterate
  double residual = 0.0;   // as defined in residual.hpp
  double violation = 0.0;  // infeasible: h Σ s_i of the elastic answer [m]
  DenseSolution farkas;  // infeasible: lambda in K and row_lambda with Jᵀy = 0 and Σ y·(b + φ/h e_n) < 0; v empty
  Eigen::VectorXd direction;  // unbounded: d with H d = 0, gᵀd > 0, J d in K*
  int rounds = 0;             // rounds of all proximal loops
};

/// The generators of every cone; for a curved cone, those that it starts with.
Facets first_facets(const DenseProblem& problem);

/// Solves the problem without shift, whatever its law, to the residual `wanted` or as close as it gets. The tangents
/// that it needs are added to `facets`.
ContactAnswer solve_convex(const DenseProblem& problem, double wanted, Facets& facets);

/// Replaces an answer by the elastic one, if there is one.
void answer_elastically(const DenseProblem& problem, Facets& facets, ContactAnswer& answer);

/// Replaces the best solution so far by the candidate if that has a smaller residual; returns whether it has.
bool keep_better(const DenseProblem& problem, const DenseSolution& candidate, ContactAnswer& best);

/// True if `best` is good enough after `idle` rounds without a better one.
bool will_do(const ContactAnswer& best, double wanted, int idle);

/// Sets the status of an answer that is not infeasible or unbounded.
void judge(ContactAnswer& answer);

}  // namespace stiction::reference
