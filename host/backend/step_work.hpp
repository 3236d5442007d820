// What a step moves and multiplies at least, counted from its sizes: the physical limit of its speed.
//
//   n_b        dofs of block (kinematic tree) b                 c_i    contact i, between one or two blocks
//   d          rows of a contact: 3, with torsion 4             n_i    dofs of the blocks that contact i touches
//   r_p        dofs that row p of the factor U couples to block p, fill included (kernels/linalg/block_pattern.hpp)
//
//   multiply-adds
//   product    P = Σ_i d n_i                                    J v, or Jᵀ λ
//   assembly   A = Σ_i d² n_i + d n_i (n_i + 1)/2               W J, and the upper half of Jᵀ (W J)
//   factor     F = Σ_p n_p³/6 + n_p² r_p/2 + n_p r_p²/2         H + Jᵀ W J = UᵀU
//   solve      T = Σ_p n_p² + 2 n_p r_p                         with U and with Uᵀ
//
//   interior_point, newton   k (A + F + T + 2 P)      k iterations, each with one factor and one direction at least
//   interior_point, one lane k P                      a change of its active set at least
//   admm                     A + F + k (T + 2 P)      one factor a step at least
//   pgs                      2 k P                    a sweep reads J v and adds Jᵀ λ
//   lemke                    k ρ²                     a pivot of a dense table of ρ rows
//
//   bytes      2 (state + c · a contact's arrays)     all that an environment keeps, read once and written once
//
// The model is shared and counts nothing; poses, collision and the scratch of a step are left out: no step does less.
#pragma once

#include "host/scene/scene.hpp"

namespace stiction {

/// Multiply-adds of the parts of a solve; means over steps.
struct StepWork {
  double product = 0.0, assembly = 0.0, factor = 0.0, solve = 0.0;
};

/// One contact problem: its blocks, and the blocks of every contact, -1 where a side does not move.
struct ContactGraph {
  std::vector<int> block_size;
  int dimension = 3;                        // rows of a contact
  std::vector<std::pair<int, int>> blocks;  // (contacts)
};

StepWork count_problem(const ContactGraph& graph);

/// Mean over the first `steps` steps of environment 0, solved by the interior point.
StepWork count_work(const Scene& scene, int steps);

/// Lanes that share a solve: one is a host thread's.
enum class SolveLanes { kOne, kMany };

/// Multiply-adds of a step with that many iterations and scalar rows.
double step_multiply_adds(const StepWork& work, SolverName solver, SolveLanes lanes, double iterations, double rows);

/// Bytes of a step with that many contacts, `single`: in float.
double step_bytes(const Scene& scene, bool single, double contacts);

}  // namespace stiction
