// The residual that measures every answer, in dense form.
//
//   motion   r_B = ‖(D⁻¹ (H v − g − Jᵀλ))_B‖∞ / S_B            of every kinematic tree B
//   contact  r_i = ‖λ_i − P_K(λ_i − ρ_i û_i)‖ / S_i,           û_i = J_i v + b_i + (φ_i/h + s_i) e_n
//   row      r_r = |λ'_r − P_C(λ'_r − ρ_r û'_r)| / S_r,         û_r = Jᵣ v + bᵣ + Rᵣ λᵣ
//
//   D = diag(dof_radius), so that torques become forces on the body's surface; λ'_r = λ_r/radius, û'_r = û_r·radius
//   S_B = max(‖(D⁻¹g)_B‖∞, ‖(D⁻¹Jᵀλ)_B‖∞, 1e-3 · largest entry of a λ or λ' that acts on B, h · 1 mN)
//   S_i = the least S_B of the trees that J_i acts on; if there is none, max(‖λ_i‖∞, h · 1 mN)
//   u₀ = max(max_i ‖J_i v + b_i‖, max_r |Jᵣ v|·radius, 1 mm/h),  ρ_i = S_i/u₀
//
// K and s_i follow from the law and the cone (friction_cone.hpp); the row of torsion holds a force and a speed at the
// contact's radius (dense_problem.hpp). The result is the largest of all r; it has no unit.
#pragma once

#include "host/reference/friction_cone.hpp"

namespace stiction::reference {

struct DenseSolution {
  Eigen::VectorXd v;           // (nv) [m/s], [rad/s]
  Eigen::VectorXd lambda;      // (d nc) n, t, o, r [N s]
  Eigen::VectorXd row_lambda;  // (nr) [N s], [N m s]
};

// The residual at which a loop ends, at which it ends after a round without progress, and below which a problem counts
// as solved.
constexpr double kTarget = 1e-12, kGood = 1e-11, kAccepted = 1e-9;

double residual(const DenseProblem& problem, const DenseSolution& solution);

/// How far v is outside of a cone, a limit or a coupling at most: h times the distance of û_i from K_i*, and the like
/// for the rows whose force is unbounded (on the body's surface) [m], >= 0.
double primal_violation(const DenseProblem& problem, const Eigen::VectorXd& v);

/// ½ vᵀ H v − gᵀ v
double objective(const DenseProblem& problem, const Eigen::VectorXd& v);

}  // namespace stiction::reference
