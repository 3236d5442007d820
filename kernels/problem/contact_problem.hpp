// The contact problem of one step of one environment (design: one problem, four independent choices).
//
//   H v = g + Σ J_iᵀ λ_i                                              (motion)
//   K_i ∋ λ_i ⊥ u_i + (φ_i/h + s_i) e_n ∈ K_i*,  u_i = J_i v + b_i    (contact)
//   −(J_r v + b_r + R_r λ_r) ∈ N_C(λ_r),  C = [lower_r, upper_r]      (general row)
//
//   symbol  variable            shape               unit
//   H       H                   blocks (n_b, n_b)   [kg], [kg m²]: impulse per velocity; block diagonal, symmetric PSD
//   g       g                   (nv)                [N s], [N m s]
//   v       v                   (nv)                [m/s], [rad/s]
//   λ_i     lambda              (dimension)         n, t, o [N s], r [N m s]
//   J_i     J[side]             (dimension, n_b)    row-major, rows n, t, o, r; a contact touches at most two blocks
//   φ_i/h   gap_rate            1                   [m/s]
//   b_i     offset              (dimension)         n, t, o [m/s], r [rad/s]: velocity of scripted bodies
//   μ       mu_t, mu_o, mu_r    1                   [-], [-], [m]
//   a_i     radius              1                   [m] turns row r into one of forces: λ_r/a, a u_r, μ_r/a
//
// r is torsion about n, of the second body relative to the first. If no contact has torsion, the dimension is 3.
// Otherwise it is 4, and a quadratic cone is {(λ_t/μ_t)² + (λ_o/μ_o)² + (λ_r/μ_r)² <= λ_n²}; a cone with facets has the
// generators (1, 0, 0, ±μ_r), too. A contact with μ_r = 0 has λ_r = 0.
//
// A pyramid with k facets is the cone of the generators (1, D_k), D_k = (μ_t cos θ_k, μ_o sin θ_k), θ_k = 2πk/facets;
// facets.hpp has the other cones. s_i is 0 under Anitescu's law, and the shift of shift.hpp under Coulomb's law.
// The blocks are kinematic trees. The code that builds the problem owns the arrays; solvers only read them.
#pragma once

#include "kernels/model/traits.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// One side of a row: the block it acts on and its dense Jacobian there.
template <class Real>
struct BlockJacobian {
  int block = -1;           // -1: this side does not move
  const Real* J = nullptr;  // (rows, n_block) row-major; the problem's dimension for contacts, 1 for general rows
};

template <class Real>
struct ContactRow {
  BlockJacobian<Real> side[2];  // never the same block twice
  Real gap_rate;                // φ/h [m/s]
  Real offset[4];               // b: n, t, o [m/s], r [rad/s]
  Real mu_t, mu_o;              // friction along t and o [-]
  Real mu_r = Real(0);          // torsional friction [m]
  Real radius = Real(1);        // a > 0: length that makes the torque a force [m]
};

/// A scalar row: limit [0, ∞), coupling (−∞, ∞), dry friction or force limit [−c, c].
template <class Real>
struct GeneralRow {
  BlockJacobian<Real> side[2];
  Real offset;      // b [m/s] or [rad/s]
  Real lower;       // λ >= lower [N s] or [N m s]
  Real upper;       // λ <= upper
  Real compliance;  // R >= 0 [velocity per impulse]
  Real radius;      // length that makes a torque row a force row [m]; 1 for forces
  int column = -1;  // the only entry of J that is not 0, in the side that acts; -1: there may be several
};

template <class Real>
struct ContactProblem {
  Real step_size;          // h [s]
  int nv;                  // velocities
  int num_blocks;          // blocks of H
  const int* block_adr;    // (num_blocks) first velocity of a block
  const int* block_size;   // (num_blocks)
  const Real* const* H;    // (num_blocks) pointer to (n_b, n_b) row-major
  const Real* g;           // (nv)
  const Real* dof_radius;  // (nv) 1 for translations, a length for rotations [m]
  const Real* const* M;    // (num_blocks) like H: mass matrix of the un-actuated dofs, zero rows and columns on the
                           // actuated ones; weight of the least-motion choice [kg], [kg m], [kg m²]
  int num_contacts;
  const ContactRow<Real>* contacts;  // (num_contacts)
  int num_rows;
  const GeneralRow<Real>* rows;  // (num_rows)
  ContactLaw law;
  ConeType cone;
  int facets;                         // k >= 2 of every pyramid; 2: friction along t only
  int dimension = 3;                  // entries of a contact in λ, J and b: 3, or 4 with torsion
  int max_couplings = kAllCouplings;  // pairs of blocks that a factor of H + Jᵀ W J may couple, fill-in included
  Real most_speed = Real(INFINITY);   // upper bound of u_0 in the residual: no large v may loosen its own measure [m/s]
  Real overlap_rate = Real(INFINITY);  // Σ overlaps/h that v removes and may not exceed by far; else infinite [m/s]
  const Real* start = nullptr;         // (nv) if several v solve the problem, the nearest to this in M; null: to v = 0
};

/// The answer of a solver, in arrays of the caller.
template <class Real>
struct ContactSolution {
  Array<Real> v;           // (nv) [m/s], [rad/s]
  Array<Real> lambda;      // (num_contacts, dimension) n, t, o [N s], r [N m s]
  Array<Real> row_lambda;  // (num_rows) [N s], [N m s]
};

}  // namespace stiction
