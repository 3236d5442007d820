// Strictly convex quadratic program by a dual active-set method (Goldfarb and Idnani, Math. Programming 27, 1983).
//
//   min ½ xᵀ G x − aᵀ x   subject to   E x + e = 0,   C x + c >= 0
//   optimality:  G x = a + Eᵀ w + Cᵀ y,   y >= 0,   yᵀ(C x + c) = 0
//
// It starts at the unconstrained minimum and adds the most violated row, while it drops rows whose multiplier would
// become negative. Every full step raises the dual objective, so the method ends. A row that depends on the active rows
// and can not be satisfied by dropping any of them proves that there is no solution.
#pragma once

#include <Eigen/Dense>

namespace stiction::reference {

struct StrictProgram {
  Eigen::MatrixXd G;  // (n, n) positive definite
  Eigen::VectorXd a;  // (n)
  Eigen::MatrixXd E;  // (me, n)
  Eigen::VectorXd e;  // (me)
  Eigen::MatrixXd C;  // (m, n)
  Eigen::VectorXd c;  // (m)
};

enum class QpStatus { kSolved, kInfeasible, kUnbounded, kIterationLimit };

/// If infeasible, (w, y) is a Farkas vector: Eᵀ w + Cᵀ y = 0, y >= 0, wᵀe + yᵀc < 0, and x has no meaning.
struct StrictSolution {
  QpStatus status = QpStatus::kIterationLimit;
  Eigen::VectorXd x, w, y;
  int iterations = 0;
};

StrictSolution solve_strict(const StrictProgram& program);

}  // namespace stiction::reference
