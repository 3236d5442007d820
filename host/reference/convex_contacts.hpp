// A contact problem without shift (Anitescu's law, or none), solved densely: λ_i ∈ K_i ⊥ J_i v + b_i + (φ_i/h) e_n ∈
// K_i*.
//
// With flat cones it is one quadratic program (contact_program.hpp). A curved cone starts as a pyramid, to which
// tangents are added where the motion leaves the cone (cutting planes, Kelley 1960):
//
//   u_i + (φ_i/h) e_n outside of K_i*:   new facet (1, d), d = argmax −d·u_t
//
// The facets ask for no more than K* does, so a program without a solution proves that the problem has none. The last
// digits come from Newton's method (contact_newton.hpp).
//
// Infeasible problems get the elastic answer: one slack a contact, s_i >= 0 with φ_i/h + s_i, the least Σ s_i first,
// the objective second (an exact penalty: the price rises until the sum no longer falls).
#pragma once

#include "host/reference/contact_program.hpp"

namespace stiction::reference {

struct ContactAnswer {
  QpStatus status = QpStatus::kIterationLimit;
  DenseSolution solution;  // infeasible: the elastic answer; unbounded: the last iterate; else the best one
  double residual = 0.0;   // of residual.hpp
  double violation = 0.0;  // infeasible: h Σ s_i of the elastic answer [m]
  DenseSolution farkas;  // infeasible: lambda in K and row_lambda with Jᵀy = 0 and Σ y·(b + φ/h e_n) < 0; v empty
  Eigen::VectorXd direction;  // unbounded: d with H d = 0, gᵀd > 0, J d in K*
  int rounds = 0;             // of the proximal loops
};

/// The generators of every cone, of a curved one those that it starts with.
Facets first_facets(const DenseProblem& problem);

/// Without shift, whatever the law, to the residual `wanted` or as far as it gets; `facets` gets the tangents it took.
ContactAnswer solve_convex(const DenseProblem& problem, double wanted, Facets& facets);

/// The candidate instead of the best solution so far, if its residual is less; whether it is.
bool keep_better(const DenseProblem& problem, const DenseSolution& candidate, ContactAnswer& best);

/// Whether `best` will do after `idle` rounds that brought nothing better.
bool will_do(const ContactAnswer& best, double wanted, int idle);

/// Sets the status of an answer that is not infeasible or unbounded.
void judge(ContactAnswer& answer);

}  // namespace stiction::reference
