// The contact problem of one step as dense matrices, and its expansion from the blocks that the solvers read.
//
//   H v = g + Jᵀ λ + Jᵣᵀ λᵣ                                  (motion)
//   K_i ∋ λ_i ⊥ J_i v + b_i + (φ_i/h + s_i) e_n ∈ K_i*       (contact; K_i and s_i: friction_cone.hpp)
//   −(Jᵣ v + bᵣ + Rᵣ λᵣ) ∈ N_C(λᵣ), C = [lower, upper]       (general row)
//
//   symbol  variable        shape           unit
//   H, M_u  H, M            (nv, nv)        [kg], [kg m], [kg m²]
//   g       g               (nv)            [N s], [N m s]
//   J       J               (3 nc, nv)      rows n, t, o of every contact
//   φ/h     gap_rate        (nc)            [m/s]
//   b       offset          (3 nc)          [m/s]
//   μ       mu              (nc, 2)         along t and o [-]
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "kernels/problem/contact_problem.hpp"

namespace stiction::reference {

struct DenseProblem {
  double step_size = 0.0;  // h [s]
  ContactLaw law = ContactLaw::kAnitescu;
  ConeType cone = ConeType::kPyramid;
  int facets = 4;  // of every pyramid
  Eigen::MatrixXd H;
  Eigen::VectorXd g;
  Eigen::VectorXd dof_radius;  // (nv) 1 for translations, a length for rotations [m]
  Eigen::MatrixXd M;           // (nv, nv) mass of the un-actuated dofs, the weight of the least-motion choice

  Eigen::MatrixXd J;
  Eigen::VectorXd gap_rate, offset;
  Eigen::MatrixX2d mu;

  std::vector<bool> prescribed;         // dofs whose velocity is given (nv); empty: none
  Eigen::VectorXd prescribed_velocity;  // v̄ [m/s], [rad/s] (nv)

  Eigen::MatrixXd row_J;  // (nr, nv)
  Eigen::VectorXd row_offset, row_lower, row_upper, row_compliance, row_radius;

  int nv() const { return static_cast<int>(g.size()); }
  int num_contacts() const { return static_cast<int>(gap_rate.size()); }
  int num_rows() const { return static_cast<int>(row_offset.size()); }
};

DenseProblem expand(const ContactProblem<double>& problem);

}  // namespace stiction::reference
