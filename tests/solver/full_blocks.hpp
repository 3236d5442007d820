// Random problems whose trees have full matrices and any number of dofs; contacts and rows act on two trees, one or
// none.
#pragma once

#include "tests/solver/generated_problems.hpp"

namespace stiction::test {

inline std::vector<double> random_vector(Rng& rng, std::size_t n) {
  std::vector<double> x(n);
  for (double& entry : x) entry = uniform(rng, -1, 1);
  return x;
}

/// A block of n dofs with a full matrix.
inline void add_full_block(Rng& rng, int n, RawProblem<double>& p) {
  const auto size = static_cast<std::size_t>(n);
  const std::vector<double> ones(size, 1.0);
  const int b = p.add_block(ones, random_vector(rng, size), ones, ones);
  const std::vector<double> a = random_vector(rng, size * size);
  auto& H = p.H[static_cast<std::size_t>(b)];
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) H[i * size + j] += a[k * size + i] * a[k * size + j] / double(n);
}

template <class Row>
void touch(Rng& rng, const RawProblem<double>& p, int a, int b, int rows, Row& row) {
  row.block = {a, b};
  for (std::size_t side = 0; side < 2; ++side)
    if (row.block[side] >= 0)
      row.J[side] =
          random_vector(rng, static_cast<std::size_t>(rows * p.block_size[static_cast<std::size_t>(row.block[side])]));
}

struct Shape {
  const char* name;
  std::vector<int> block_size;
  int contacts, rows;
};

inline RawProblem<double> random_blocks(Rng& rng, const Shape& shape) {
  RawProblem<double> p;
  for (const int n : shape.block_size) add_full_block(rng, n, p);
  const int blocks = static_cast<int>(shape.block_size.size());
  const auto other = [&](int a) {
    const int b = static_cast<int>(uniform(rng, -1, blocks));
    return b == a ? -1 : b;
  };
  for (int i = 0; i < shape.contacts; ++i) {
    RawContact<double> c;
    const int a = i % blocks, b = i < blocks - 1 ? a + 1 : other(a);
    touch(rng, p, a, b, 3, c);
    c.mu_t = uniform(rng, 0, 1), c.mu_o = uniform(rng, 0, 1), c.gap_rate = uniform(rng, -0.2, 0.5);
    p.contacts.push_back(c);
  }
  for (int r = 0; r < shape.rows; ++r) {
    RawRow<double> row;
    const int a = r % blocks;
    touch(rng, p, a, other(a), 1, row);
    row.offset = uniform(rng, -0.5, 0.5);
    row.compliance = r % 3 == 0 ? 0.1 : 0.0;
    p.rows.push_back(row);
  }
  return p;
}

/// Makes columns of the Jacobians zero, few or nearly all: those of joints that a contact or a row does not depend on.
inline void clear_columns(Rng& rng, RawProblem<double>& p) {
  const auto clear = [&](auto& row, int rows) {
    for (std::size_t side = 0; side < 2; ++side) {
      const int n = row.block[side] < 0 ? 0 : p.block_size[static_cast<std::size_t>(row.block[side])];
      const double share = uniform(rng, 0, 1.1);
      for (int j = 0; j < n; ++j)
        for (int r = 0, zero = uniform(rng, 0, 1) < share; zero && r < rows; ++r)
          row.J[side][static_cast<std::size_t>(r * n + j)] = 0;
    }
  };
  for (auto& contact : p.contacts) clear(contact, 3);
  for (auto& row : p.rows) clear(row, 1);
}

}  // namespace stiction::test
