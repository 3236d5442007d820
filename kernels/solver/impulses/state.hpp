// What Newton's method on the impulses works on (impulses.hpp): the groups of a scaled problem that press or may press,
// whitened by the matrix of the motion.
//
//   H = UᵀU by kinematic tree,  A_i = U⁻ᵀ J_iᵀ,  G_ij = A_iᵀ A_j = J_i H⁻¹ J_jᵀ                             (1)
//
//   symbol   variable   shape
//   U        trees      by tree (ground/tree_factors.hpp)
//   A        whitened   (kRows, nv) rows of the members, one member after the other
//   G        gram       (kRows, kRows) of the same rows
//   ρ        rho        (members) 1/max G_ii
//   F        gap        (kRows) of the same rows
//   D        slope      (members, 16) row-major (dim, dim)
//
// A group becomes a member once it presses, or once it would, and stays one for the rest of the run.
#pragma once

#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/solver/ground/tree_factors.hpp"

namespace stiction {

/// Up to this size, and with few dofs, a single lane begins with this method.
struct ImpulseLimit {
  static constexpr int kRows = 96;  // of the members
};

/// The progress of a run.
template <class Real>
struct ImpulseProgress {
  bool regular = false;  // every tree has a factor
  bool solved = false;   // the error is within the tolerance
  int steps = 0;         // of Newton's method
  int members = 0, rows = 0;
  int multiplied = 0;    // rows that G has: all of them once a step needs it
  Real error = Real(0);  // of the last impulses, relative: the largest |F_i| and |F_i|/ρ_i
  Real best = Real(-1);  // least error so far; negative: none yet
  int idle = 0;          // steps since the error last fell to half of `best`
};

template <class Real>
struct ImpulseState {
  bool fits;  // the problem, or the island, has few enough velocities
  TreeFactors<Real> trees;
  Array<Real> v, lambda, row_lambda;  // (nv), (contacts, dim), (rows) the start before a run, the answer after it
  Array<Real> u, u_row;               // (contacts, dim), (rows) J v
  Array<int> member;                  // (groups) the group's member; -1: none
  Array<int> owner;                   // (kRows) the member that a row belongs to
  Array<int> group, first;            // (kRows) by member: its group, and its first row
  Array<Real> rho, slope, gap;        // see the table
  Array<bool> moves;                  // (kRows) by member: F or D is not 0
  Array<Real> whitened, gram;         // see the table
  Array<Real> matrix, step;           // (kRows, kRows), (kRows) of (3) in impulses.hpp; the rows that move, in order
  Array<int> moving;                  // (kRows) the rows of the members that move
  Array<int> exchanged;               // (kRows) rows that the LU factors of the matrix have exchanged
  Array<ImpulseProgress<Real>> now;

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }
};

/// Takes the memory for a problem within the limits, which is either the whole problem or an island.
template <class Real>
ST_FN ImpulseState<Real> take_impulse_state(const SolverCapacity& capacity, Arena& arena) {
  using Limit = ImpulseLimit;
  ImpulseState<Real> x{};
  if (!capacity.single_lane) return x;
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const auto take_int = [&](int count) { return arena.take<int>(static_cast<std::size_t>(count)); };
  const int nv = smaller(capacity.nv, FewDofs::kOfFewTrees), rows = Limit::kRows;
  const int contacts = capacity.shape.dimension * capacity.max_contacts;
  int square = 0;
  for (int b = 0; b < capacity.num_blocks; ++b) square += capacity.block_size[b] * capacity.block_size[b];
  x.fits = has_few_dofs(capacity);
  x.trees = take_tree_factors<Real>(smaller(square, nv * nv), nv, arena);
  x.v = take(capacity.nv), x.lambda = take(contacts), x.row_lambda = take(capacity.max_rows);
  x.u = take(contacts), x.u_row = take(capacity.max_rows);
  x.member = take_int(capacity.max_contacts + capacity.max_rows);
  x.group = take_int(rows), x.first = take_int(rows), x.owner = take_int(rows);
  x.moving = take_int(rows), x.exchanged = take_int(rows);
  x.rho = take(rows), x.slope = take(16 * rows), x.gap = take(rows);
  x.moves = arena.take<bool>(static_cast<std::size_t>(rows));
  x.whitened = take(rows * nv), x.gram = take(rows * rows), x.matrix = take(rows * rows), x.step = take(rows);
  x.now = arena.take<ImpulseProgress<Real>>(1);
  return x;
}

}  // namespace stiction
