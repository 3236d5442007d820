// LCPs, MLCPs and frictional contact problems recorded by other programs (optional data), as their text files hold
// them.
//
// A matrix record: 0, rows, columns, rows, columns, its values column after column (dense); or 1, rows, columns, the
// numbers of blocks, block rows and block columns, their cumulative sizes, the lengths of row pointers and column
// indices, those, and every block as its id and its values column after column (sparse blocks).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/api/problems.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {

inline std::filesystem::path problems_folder() {
  const auto shared = shared_folder();
  return shared.empty() ? shared : shared / "data" / "contact_problems";
}

inline std::vector<std::filesystem::path> recorded_files(const char* kind) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(problems_folder() / kind))
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline Matrix read_columns(std::istream& in, Eigen::Index rows, Eigen::Index columns) {
  Matrix M(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) in >> M(i, j);
  return M;
}

inline std::vector<Eigen::Index> read_indices(std::istream& in, std::size_t count) {
  std::vector<Eigen::Index> all(count);
  for (auto& x : all) in >> x;
  return all;
}

inline Matrix read_blocks(std::istream& in, Eigen::Index rows, Eigen::Index columns) {
  std::size_t blocks = 0, block_rows = 0, block_columns = 0, pointers = 0, indices = 0;
  in >> blocks >> block_rows >> block_columns;
  auto row_end = read_indices(in, block_rows), column_end = read_indices(in, block_columns);
  row_end.insert(row_end.begin(), 0), column_end.insert(column_end.begin(), 0);
  in >> pointers >> indices;
  const auto first = read_indices(in, pointers), column = read_indices(in, indices);
  Matrix M = Matrix::Zero(rows, columns);
  for (std::size_t b = 0; b + 1 < pointers; ++b)
    for (auto k = static_cast<std::size_t>(first[b]); k < static_cast<std::size_t>(first[b + 1]); ++k) {
      const auto c = static_cast<std::size_t>(column[k]);
      int id = 0;
      in >> id;
      const Eigen::Index height = row_end[b + 1] - row_end[b], width = column_end[c + 1] - column_end[c];
      M.block(row_end[b], column_end[c], height, width) = read_columns(in, height, width);
    }
  return M;
}

inline Matrix read_matrix(std::istream& in) {
  int storage = -1;
  Eigen::Index rows = 0, columns = 0;
  in >> storage >> rows >> columns;
  if (storage == 1) return read_blocks(in, rows, columns);
  EXPECT_EQ(storage, 0) << "neither a dense nor a block record";
  in >> rows >> columns;
  return read_columns(in, rows, columns);
}

inline LcpBatch read_lcp(const std::filesystem::path& file) {
  std::ifstream in(file);
  Eigen::Index n = 0;
  in >> n;
  const Matrix M = read_matrix(in);
  const Vector q = read_columns(in, n, 1);
  EXPECT_TRUE(in) << file;
  return {M, q};
}

/// has_M has_parts n m, ends of the blocks, their types (0: equations), M, q.
inline LcpBatch read_mlcp(const std::filesystem::path& file) {
  std::ifstream in(file);
  int has_M = 0, has_parts = 0;
  Eigen::Index n = 0, m = 0;
  in >> has_M >> has_parts >> n >> m;
  std::vector<Eigen::Index> end;
  do {
    in >> end.emplace_back();
  } while (in && end.back() < n + m);
  std::vector<int> equations(static_cast<std::size_t>(n + m), 0);
  for (std::size_t b = 0; b + 1 < end.size(); ++b) {
    int type = 0;
    in >> type;
    for (Eigen::Index i = end[b]; i < end[b + 1]; ++i) equations[static_cast<std::size_t>(i)] = type == 0;
  }
  const Matrix M = read_matrix(in);
  const Vector q = read_columns(in, n + m, 1);
  EXPECT_TRUE(in && has_M == 1) << file;
  return {M, q, equations};
}

struct RecordedContacts {
  Matrix W;
  Vector q, mu;
};

/// dimension, contacts, W, q, mu; normal first
inline RecordedContacts read_contacts(const std::filesystem::path& file) {
  std::ifstream in(file);
  Eigen::Index dimension = 0, contacts = 0;
  in >> dimension >> contacts;
  RecordedContacts p;
  p.W = read_matrix(in);
  p.q = read_columns(in, dimension * contacts, 1);
  p.mu = read_columns(in, contacts, 1);
  EXPECT_TRUE(in && dimension == 3) << file;
  return p;
}

}  // namespace stiction::test
