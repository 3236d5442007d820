#include "host/record/text_matrix.hpp"

#include <limits>

namespace stiction {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
enum Storage { kDense, kSparseBlocks, kSparse };

struct Block {
  int first_row, rows, first_column, columns;
};

/// Reads values column after column into one block of the row-major matrix of `size` columns.
void read_columns(TokenReader& in, const std::string& what, const Block& block, std::size_t size,
                  std::vector<double>& matrix) {
  const auto rows = static_cast<std::size_t>(block.rows), columns = static_cast<std::size_t>(block.columns);
  const std::vector<double> values = in.numbers(what, rows * columns);
  if (matrix.empty()) matrix.resize(size * size);
  const std::size_t corner =
      static_cast<std::size_t>(block.first_row) * size + static_cast<std::size_t>(block.first_column);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) matrix[corner + i * size + j] = values[j * rows + i];
}

/// The ends of the blocks along one axis, with a 0 before them; they increase up to `size`.
std::vector<int> read_ends(TokenReader& in, const std::string& what, int blocks, int size) {
  std::vector<int> ends = {0};
  for (int b = 0; b < blocks; ++b) ends.push_back(in.integer(what, ends.back() + 1, size));
  if (ends.back() != size)
    in.fail(what + " ends at " + std::to_string(ends.back()) + ", not at " + std::to_string(size));
  return ends;
}

std::vector<double> read_blocks(TokenReader& in, const std::string& name, int size) {
  const std::string of = " of " + name;
  const int blocks = in.integer("the number of blocks" + of, 0, kMost);
  const int block_rows = in.integer("the number of block rows" + of, 1, size);
  const int block_columns = in.integer("the number of block columns" + of, 1, size);
  const std::vector<int> row_ends = read_ends(in, "the list of block rows" + of, block_rows, size);
  const std::vector<int> column_ends = read_ends(in, "the list of block columns" + of, block_columns, size);
  const int pointers = in.integer("the length of the row pointers" + of, 1, block_rows + 1);
  in.integer("the length of the column indices" + of, blocks, blocks);
  std::vector<int> first;
  for (int b = 0; b < pointers; ++b)
    first.push_back(in.integer("a row pointer" + of, b == 0 ? 0 : first.back(), b == 0 ? 0 : blocks));
  const std::vector<int> column = in.integers("the column indices" + of, blocks, 0, block_columns - 1);
  if (first.back() != blocks) in.fail("the row pointers" + of + " end before the blocks");
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> matrix(n * n);
  for (int row = 0; row + 1 < pointers; ++row)
    for (int k = first[row]; k < first[row + 1]; ++k) {
      const std::string block = "block " + std::to_string(k) + of;
      in.integer("the number of " + block, k, k);
      const int c = column[k];
      read_columns(
          in, block,
          {row_ends[row], row_ends[row + 1] - row_ends[row], column_ends[c], column_ends[c + 1] - column_ends[c]}, n,
          matrix);
    }
  return matrix;
}

/// Skips words up to and including `label`, such as "nzmax:".
void skip_past(TokenReader& in, const std::string& label, const std::string& what) {
  while (in.word("'" + label + "' of " + what) != label) {
  }
}

void expect(TokenReader& in, std::string_view label, const std::string& what) {
  const std::string_view found = in.word("'" + std::string(label) + "' of " + what);
  if (found != label) in.fail(what + ": expected '" + std::string(label) + "', given '" + std::string(found) + "'");
}

void add_entry(TokenReader& in, int row, int column, const std::string& name, int size, std::vector<double>& matrix) {
  expect(in, ":", name);
  matrix[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + static_cast<std::size_t>(column)] +=
      in.number("the value in row " + std::to_string(row) + " and column " + std::to_string(column) + " of " + name);
}

void read_sparse_column(TokenReader& in, int column, const std::string& name, int size, std::vector<double>& matrix) {
  expect(in, "col", name);
  in.integer("a column of " + name, column, column);
  expect(in, ":", name), expect(in, "locations", name);
  const int first = in.integer("a location of " + name, 0, kMost - 1);
  expect(in, "to", name);
  const int last = in.integer("a location of " + name, first - 1, kMost - 1);
  for (int k = first; k <= last; ++k)
    add_entry(in, in.integer("a row of " + name, 0, size - 1), column, name, size, matrix);
}

std::vector<double> read_sparse(TokenReader& in, const std::string& name, int size) {
  enum Form { kTriplets = 1, kColumns = 2 };
  const int form = in.integer("the sparse form of " + name, kTriplets, kColumns);
  skip_past(in, "nzmax:", name);
  in.integer("nzmax of " + name, 0, kMost);
  expect(in, "nnz:", name);
  std::vector<double> matrix(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  if (form == kColumns) {
    skip_past(in, "1-norm:", name);
    in.number("the 1-norm of " + name);
    for (int j = 0; j < size; ++j) read_sparse_column(in, j, name, size, matrix);
    return matrix;
  }
  const int entries = in.integer("nnz of " + name, 0, kMost);
  for (int k = 0; k < entries; ++k) {
    const int row = in.integer("a row of " + name, 0, size - 1);
    add_entry(in, row, in.integer("a column of " + name, 0, size - 1), name, size, matrix);
  }
  return matrix;
}

void expect_square(TokenReader& in, const std::string& name, int size) {
  for (const char* axis : {"rows", "columns"}) {
    const std::string what = std::string("the number of ") + axis + " of " + name;
    if (const int given = in.integer(what, 0, kMost); given != size)
      in.fail(what + ": expected " + std::to_string(size) + ", given " + std::to_string(given));
  }
}

}  // namespace

std::vector<double> read_text_matrix(TokenReader& in, const std::string& name, int size) {
  const int storage = in.integer("the storage of " + name, kDense, kSparse);
  expect_square(in, name, size);
  if (storage == kSparseBlocks) return read_blocks(in, name, size);
  if (storage == kSparse) return read_sparse(in, name, size);
  expect_square(in, name, size);
  std::vector<double> matrix;
  read_columns(in, name, {0, size, 0, size}, static_cast<std::size_t>(size), matrix);
  return matrix;
}

}  // namespace stiction
