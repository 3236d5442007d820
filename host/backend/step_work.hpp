// The least number of bytes that a step moves and of multiply-adds that it makes, counted from its sizes. They give the
// physical limit of its speed.
//
//   n_b        dofs of block (kinematic tree) b                 c_i    contact i, between one or two blocks
//   d          rows of a contact: 3, or 4 with torsion          n_i    dofs of the blocks that contact i touches
//   r_p        dofs that row p of the factor U couples to block p, fill-in included (kernels/linalg/block_pattern.hpp)
//
//   multiply-adds
//   product    P = Σ_i d n_i                                    J v, or Jᵀ λ
//   assembly   A = Σ_i d² n_i + d n_i (n_i + 1)/2               W J, and the upper half of Jᵀ (W J)
//   factor     F = Σ_p n_p³/6 + n_p² r_p/2 + n_p r_p²/2         H + Jᵀ W J = UᵀU
//   solve      T = Σ_p n_p² + 2 n_p r_p                         with U and with Uᵀ
//
//   interior_point, newton   k (A + F + T + 2 P)      k iterations, each with at least one factor and one direction
//   interior_point, one lane k P                      at least one change of its active set per iteration
//   admm                     A + F + k (T + 2 P)      at least one factor per step
//   pgs                      2 k P                    a sweep reads J v and adds Jᵀ λ
//   lemke                    k ρ²                     a pivot of a dense table of ρ rows
//
//   bytes      2 (state + c · a contact's arrays)     all that an environment keeps, read once and written once
//
// The model is shared by all environments and does not count. Poses, collision and the scratch of a step are left out,
// so that the numbers are lower bounds.
#pragma once

#include "host/scene/scene.hpp"

namespace stiction {

/// Multiply-adds of the parts of a solve; means over steps.
struct StepWork {
  double product = 0.0, assembly = 0.0, factor = 0.0, solve = 0.0;
};

/// One contact problem: its blocks, and the two blocks of every contact, -1 for a side that does not move.
struct ContactGraph {
  std::vector<int> block_size;
  int dimension = 3;                        // rows of a contact
  std::vector<std::pair<int, int>> blocks;  // (contacts)
};

StepWork count_problem(const ContactGraph& graph);

/// Mean over the first `steps` steps of environment 0, solved by interior_point.
StepWork count_work(const Scene& scene, int steps);

/// Lanes that share a solve: one on a host thread, many on a GPU.
enum class SolveLanes { kOne, kMany };

/// Multiply-adds of a step with this number of iterations and of scalar rows.
double step_multiply_adds(const StepWork& work, SolverName solver, SolveLanes lanes, double iterations, double rows);

/// Bytes of a step with this number of contacts; `single`: in float.
double step_bytes(const Scene& scene, bool single, double contacts);

}  // namespace stiction
