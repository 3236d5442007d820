// Convex quadratic program with a singular Hessian, by a proximal-point loop around the dual active set.
//
//   min ½ xᵀ H x − gᵀ x   subject to   E x + e = 0,   C x + c >= 0
//
//   x_{k+1} = argmin of the program + ½ (x − x_k)ᵀ P (x − x_k)     P > 0 diagonal, shrinking (Rockafellar 1976)
//
// Each subproblem is strictly convex. The loop stops at a solution of the program itself, because the gradient
// P (x_{k+1} − x_k) of the proximal term vanishes there. The last digits come from the optimality system of the rows
// that were found active. Of several solutions the one with the least xᵀ weight x is returned. The solutions are
// exactly the feasible points with the same H x that are complementary to any one multiplier.
#pragma once

#include "host/reference/dual_active_set.hpp"

namespace stiction::reference {

struct QuadraticProgram {
  Eigen::MatrixXd H;  // (n, n) symmetric, positive semidefinite
  Eigen::VectorXd g;  // (n)
  Eigen::MatrixXd E;  // (me, n), me may be 0
  Eigen::VectorXd e;
  Eigen::MatrixXd C;  // (m, n), m may be 0
  Eigen::VectorXd c;
  Eigen::MatrixXd weight;  // (n, n) positive semidefinite; for the choice among several solutions; empty: take any
  double speed = 0.0;      // errors of rows are relative to max(speed, the rows' own size); 0: no natural scale
};

/// Solved: H x = g + Eᵀ w + Cᵀ y, y >= 0.  Infeasible: (w, y) is the Farkas vector of dual_active_set.hpp.
/// Unbounded: `direction` d with H d = 0, gᵀ d > 0, E d = 0, C d >= 0.
struct QpSolution {
  QpStatus status = QpStatus::kIterationLimit;
  Eigen::VectorXd x, w, y, direction;
  double error = 0.0;  // largest relative violation of the optimality conditions
  int rounds = 0;      // rounds of the proximal loop
};

QpSolution solve_qp(const QuadraticProgram& program);

/// The larger of ‖H x − g − Eᵀw − Cᵀy‖∞ relative to its terms, and of the natural maps of the rows relative to theirs.
double optimality_error(const QuadraticProgram& program, const QpSolution& solution);

/// A direction along which the objective falls without bound (see QpSolution); empty if there is none.
Eigen::VectorXd unbounded_direction(const QuadraticProgram& program);

}  // namespace stiction::reference
