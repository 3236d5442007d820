// A contact problem of any law and cone, solved densely.
//
// Without shift and with flat cones it is one quadratic program (contact_program.hpp). A curved cone starts as a
// pyramid around which tangents are added where the motion leaves the cone (cutting planes, Kelley 1960):
//
//   u_i + (φ_i/h) e_n outside of K_i*:   new facet (1, d), d = argmax −d·u_t
//
// The facets only ever leave out what K* leaves out, so an infeasible program proves that there is no solution. The
// last digits come from Newton's method on the contacts' states (contact_newton.hpp). Coulomb's law is the fixed point
//
//   s ← σ(u(s)),   u(s) the answer of the convex problem with gaps φ/h + s
//
// accelerated by Anderson's method (1965), with the same last Newton. Raising s only adds room, so that under Coulomb's
// law a problem is infeasible exactly if it is so without friction; a fixed point that does not settle is
// kIterationLimit: no solution was found.
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

ContactAnswer solve_contacts(const DenseProblem& problem);

}  // namespace stiction::reference
