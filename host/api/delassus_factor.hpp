// A Delassus problem as a contact problem with H = 1, without units:
//
//   W = w V diag(ω) Vᵀ,  L = V diag(√ω),  q = u_q (L g + b)
//   v = g + Lᵀλ,  u/u_q = L v + b,  r = (u_q/w) λ                                                        (1)
//
//   symbol  variable        shape                note
//   w, u_q  unit_W, unit_q  1                    max |W|, max |q|; 1 where that is 0
//   L       L               (3 contacts, rank)   eigenvalues up to rounding are left out
//   g       g               (rank)               motion without impulses along the columns of V with the largest ω
//   q b       b               (3 contacts)         the rest of q
#pragma once

#include <Eigen/Dense>
#include <span>

namespace stiction {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct DelassusFactor {
  double unit_W, unit_q;
  RowMatrix S;        // W/w, symmetric
  Eigen::VectorXd q;  // q/u_q
  RowMatrix L;
  Eigen::VectorXd g, b;
};

/// `S`: the symmetric part of W (n, n).
DelassusFactor factor_delassus(std::span<const double> S, std::span<const double> q);

}  // namespace stiction
