// The contact problem of one step as dense matrices, and its expansion from the blocks that the solvers read.
//
//   H v = g + Jᵀ λ + Jᵣᵀ λᵣ                                  (motion)
//   K_i ∋ λ_i ⊥ J_i v + b_i + (φ_i/h + s_i) e_n ∈ K_i*       (contact; K_i and s_i: friction_cone.hpp)
//   −(Jᵣ v + bᵣ + Rᵣ λᵣ) ∈ N_C(λᵣ), C = [lower, upper]       (general row)
//
//   symbol  variable        shape           unit
//   H, M_u  H, M            (nv, nv)        [kg], [kg m], [kg m²]
//   g       g               (nv)            [N s], [N m s]
//   J       J               (d nc, nv)      rows n, t, o and, where d = 4, r of every contact
//   φ/h     gap_rate        (nc)            [m/s]
//   b       offset          (d nc)          [m/s]
//   μ       mu              (nc, d − 1)     along t and o, and about n [-]
//   a       radius          (nc)            [m]
//
// The row r expresses torsion about n as a force at the radius a: J holds a n·ω, λ the torque over a, μ the coefficient
// over a. If its μ is 0, the row is 0 too, so that a spin that the contact does not resist has no part in the residual.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "kernels/problem/contact_problem.hpp"

namespace stiction::reference {

struct DenseProblem {
  double step_size = 0.0;  // h [s]
  ContactLaw law = ContactLaw::kAnitescu;
  ConeType cone = ConeType::kPyramid;
  int facets = 4;     // facets of every pyramid
  int dimension = 3;  // d: rows of a contact
  Eigen::MatrixXd H;
  Eigen::VectorXd g;
  Eigen::VectorXd dof_radius;  // (nv) 1 for translations, a length for rotations [m]
  Eigen::MatrixXd M;           // (nv, nv) mass of the un-actuated dofs, the weight of the least-motion choice
  std::vector<int> trees;      // sizes of the diagonal blocks of H, the kinematic trees; empty: a single block

  Eigen::MatrixXd J;
  Eigen::VectorXd gap_rate, offset;
  Eigen::MatrixXd mu;
  Eigen::VectorXd radius;  // empty where d = 3

  std::vector<bool> prescribed;         // dofs whose velocity is given (nv); empty: none
  Eigen::VectorXd prescribed_velocity;  // v̄ [m/s], [rad/s] (nv)

  Eigen::MatrixXd row_J;  // (nr, nv)
  Eigen::VectorXd row_offset, row_lower, row_upper, row_compliance, row_radius;
  Eigen::VectorXd row_given;  // part of row_offset that is the velocity of scripted bodies

  int nv() const { return static_cast<int>(g.size()); }
  int num_contacts() const { return static_cast<int>(gap_rate.size()); }
  int num_rows() const { return static_cast<int>(row_offset.size()); }
};

DenseProblem expand(const ContactProblem<double>& problem);

}  // namespace stiction::reference
