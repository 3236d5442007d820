// FCLib's local frictional contact problem in an HDF5 file: the Delassus form of one problem.
//
//   /fclib_local/spacedim       3
//   /fclib_local/W              m, n, nz, p, i, x; nz >= 0: nz entries at (row p, column i); nz -1: compressed columns,
//                               with pointers p and rows i; nz -2: compressed rows, with pointers p and columns i
//   /fclib_local/vectors        q, mu; a contact's rows are n, t, o
//
// Its mixed problems (V, R, s) and its global ones are refused.
#pragma once

#include "host/record/hdf5_input.hpp"
#include "host/record/problem_batch.hpp"

namespace stiction {

constexpr const char* kFclibGroup = "fclib_local";

/// A batch of one Delassus problem. Throws InputError.
ProblemBatch read_fclib_problem(const Hdf5Input& in);

}  // namespace stiction
