// A contact problem as the quadratic program (10) of Pang and Tedrake (2021), and its answer as impulses.
//
//   min ½ vᵀHv − gᵀv + Σ_r f_r(Jᵣ v + bᵣ)   subject to   φ_i/h + (J_i v + b_i)·(1, D_k) >= 0   for every facet k
//   λ_i = Σ_k β_ik (1, D_k), β the multipliers
//
// A general row is the conjugate of its set: f(w) = max over λ in [l, u] of −wλ − ½Rλ². As a program:
//   [0, ∞), R = 0   w >= 0                                   λ its multiplier
//   ℝ, R = 0        w = 0
//   ℝ, R > 0        ½ w²/R                                   λ = −w/R
//   other           w + z⁺ − z⁻ = −Rλ, z >= 0, at the price u z⁺ − l z⁻ (only for finite bounds; no z for infinite
//   ones)
//
// Infeasible problems get the elastic answer: one slack a contact, s_i >= 0 with φ_i/h + s_i, the least Σ s_i first,
// the objective second (an exact penalty: the price rises until the sum no longer falls).
#pragma once

#include "host/reference/qp.hpp"
#include "host/reference/residual.hpp"

namespace stiction::reference {

struct ContactAnswer {
  QpStatus status = QpStatus::kIterationLimit;
  DenseSolution solution;  // infeasible: the elastic answer; unbounded: the last iterate
  double residual = 0.0;   // of residual.hpp
  double violation = 0.0;  // infeasible: h Σ s_i of the elastic answer [m]
  DenseSolution farkas;  // infeasible: lambda in K and row_lambda with Jᵀy = 0 and Σ y·(b + φ/h e_n) < 0; v empty
  Eigen::VectorXd direction;  // unbounded: d with H d = 0, gᵀd > 0, J d in K*
  int rounds = 0;
};

ContactAnswer solve_contacts(const DenseProblem& problem);

}  // namespace stiction::reference
