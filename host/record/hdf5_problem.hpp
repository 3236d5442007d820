// Batches of problems in an HDF5 file: one group for each kind, the batch as the first axis of every dataset.
//
//   /contact   H (B, nv, nv), g (B, nv), J (B, 3 nc, nv), phi (B, nc), mu (B, nc), count (B) optional;
//              attribute step_size [s]
//   /delassus  W (B, 3 nc, 3 nc), q (B, 3 nc), mu (B, nc)
//   /lcp       M (B, n, n), q (B, n)
//   /mlcp      M (B, n, n), q (B, n), equations (n) or (B, n)
//   /qp        H (B, nv, nv), g (B, nv), A (B, rows, nv), b (B, rows)
#pragma once

#include "host/record/hdf5_input.hpp"
#include "host/record/problem_batch.hpp"

namespace stiction {

/// The problems of one group. Throws InputError that names the dataset, the expected and the given shape.
ProblemBatch read_hdf5_problems(const Hdf5Input& in, ProblemKind kind);

}  // namespace stiction
