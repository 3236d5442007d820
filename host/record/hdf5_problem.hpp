// Batches of problems in an HDF5 file: one group for each kind, the batch as the first axis of every dataset.
//
//   /contact   H (B, nv, nv), g (B, nv), J (B, 3 nc, nv), phi (B, nc), mu (B, nc), count (B) optional;
//              attribute step_size [s]
//              optional, as in host/api/solve_problems.hpp (d = 3 rows per contact, or 4 with torsion):
//              mu (B, nc, 2) or (B, nc, 3), J (B, d nc, nv), offset (B, d nc), radius (B, nc), dof_radius (B, nv),
//              blocks (k), sides (B, nc, 2), M (B, nv, nv), start (B, nv),
//              row_J (B, rows, nv), row_offset, row_lower, row_upper, row_compliance, row_radius (B, rows),
//              row_sides (B, rows, 2), warm_v (B, nv), warm_lambda (B, d nc), warm_row_lambda (B, rows),
//              warm_penalty (B), answer_v, answer_lambda, answer_row_lambda with the same shapes;
//              attributes law, cone, facets, solver, factor, tolerance, max_iterations, max_total_iterations,
//              max_couplings
//   /delassus  W (B, 3 nc, 3 nc), q (B, 3 nc), mu (B, nc)
//   /lcp       M (B, n, n), q (B, n)
//   /mlcp      M (B, n, n), q (B, n), equations (n) or (B, n)
//   /qp        H (B, nv, nv), g (B, nv), A (B, rows, nv), b (B, rows)
#pragma once

#include "host/record/hdf5_input.hpp"
#include "host/record/problem_batch.hpp"

namespace stiction {

/// The problems of one group that `choose` selects. Throws an InputError that names the dataset, the expected shape and
/// the given shape.
ProblemBatch read_hdf5_problems(const Hdf5Input& in, ProblemKind kind, const ChooseProblems& choose);

}  // namespace stiction
