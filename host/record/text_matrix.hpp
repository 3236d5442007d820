// Matrix records of text files.
//
//   storage, rows, columns, then
//   0 dense           rows, columns, the values column after column
//   1 sparse blocks   blocks, block rows, block columns; the last row + 1 of every block row, the last column + 1 of
//                     every block column; lengths of the row pointers and of the column indices; both lists, counted
//                     from 0; then for every block its number, and its values column after column
//   2 sparse          1 (triplets) or 2 (compressed columns); a line of words with "nzmax: N nnz: K"; triplets as
//                     "row column : value", columns as "col j : locations a to b" and lines "row : value"
#pragma once

#include <string>
#include <vector>

#include "host/record/token_reader.hpp"

namespace stiction {

/// Reads the square matrix with `size` rows that comes next in `in`, row-major (size, size). Throws InputError.
std::vector<double> read_text_matrix(TokenReader& in, const std::string& name, int size);

}  // namespace stiction
