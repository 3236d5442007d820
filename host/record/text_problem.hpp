// One problem in a text file of white-space separated numbers, as nonsmooth-mechanics programs write them.
//
//   LCP       n, M, q (n)                                      words may follow, here and below
//   MLCP      has M, has parts, n equations, m complementary rows, then
//             with M: 0 and the last row + 1 of every block of rows, for every block 0 (equations) or 1, M, q (n + m)
//             with parts: A (n, n), B (m, m), C (n, m), D (m, n) row after row, a (n), b (m):
//             M = [A C; D B], q = [a; b]; if both are given, M counts;
//             a solution, z (n + m) and some of w, may follow
//   contact   3, contacts, W, q (3 contacts), mu (contacts)    in Delassus form, normal first; 0, or 1 and a
//             start (3 contacts), may follow
//
// M and W are matrix records (host/record/text_matrix.hpp).
#pragma once

#include <optional>

#include "host/record/problem_batch.hpp"
#include "host/record/token_reader.hpp"

namespace stiction {

/// Reads a batch of one problem. Without `kind`, it is of the kind as which the file can be read. Throws InputError.
ProblemBatch read_text_problem(TokenReader& in, std::optional<ProblemKind> kind);

}  // namespace stiction
