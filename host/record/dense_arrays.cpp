#include "host/record/dense_arrays.hpp"

#include <cmath>
#include <limits>

namespace stiction {
namespace {

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

/// The φ with φ/h = `rate`, to the last bit if there is such a φ; the product h · rate may be a floating-point
/// neighbour.
double gap_of(double rate, double h) {
  const double product = rate * h;
  double below = product, above = product;
  for (int step = 0; step < 4; ++step) {
    if (below / h == rate) return below;
    if (above / h == rate) return above;
    below = std::nextafter(below, -std::numeric_limits<double>::infinity());
    above = std::nextafter(above, std::numeric_limits<double>::infinity());
  }
  return product;
}

void add_sides(const BlockJacobian<double> (&side)[2], std::vector<int>& sides) {
  sides.insert(sides.end(), {side[0].block, side[1].block});
}

}  // namespace

void append_lines(const ContactProblem<double>& p, const BlockJacobian<double> (&side)[2], int height,
                  std::vector<double>& J) {
  const std::size_t nv = size_of(p.nv), start = J.size();
  J.resize(start + size_of(height) * nv, 0.0);
  for (const BlockJacobian<double>& s : side) {
    if (s.block < 0) continue;
    const int size = p.block_size[s.block];
    for (int line = 0; line < height; ++line)
      for (int k = 0; k < size; ++k)
        J[start + size_of(line) * nv + size_of(p.block_adr[s.block] + k)] = s.J[line * size + k];
  }
}

std::vector<double> dense_blocks(const ContactProblem<double>& p, const double* const* blocks) {
  const std::size_t nv = size_of(p.nv);
  std::vector<double> dense(nv * nv, 0.0);
  for (int b = 0; b < p.num_blocks; ++b)
    for (int i = 0; i < p.block_size[b]; ++i)
      for (int k = 0; k < p.block_size[b]; ++k)
        dense[size_of(p.block_adr[b] + i) * nv + size_of(p.block_adr[b] + k)] = blocks[b][i * p.block_size[b] + k];
  return dense;
}

DenseContacts dense_contacts(const ContactProblem<double>& p) {
  DenseContacts out;
  for (int i = 0; i < p.num_contacts; ++i) {
    const ContactRow<double>& row = p.contacts[i];
    append_lines(p, row.side, p.dimension, out.J), add_sides(row.side, out.sides);
    out.phi.push_back(gap_of(row.gap_rate, p.step_size));
    out.mu.insert(out.mu.end(), {row.mu_t, row.mu_o});
    if (p.dimension == 4) out.mu.push_back(row.mu_r);
    out.offset.insert(out.offset.end(), row.offset, row.offset + p.dimension);
    out.radius.push_back(row.radius);
  }
  return out;
}

DenseRows dense_rows(const ContactProblem<double>& p) {
  DenseRows out;
  for (int r = 0; r < p.num_rows; ++r) {
    const GeneralRow<double>& row = p.rows[r];
    append_lines(p, row.side, 1, out.J), add_sides(row.side, out.sides);
    out.offset.push_back(row.offset), out.lower.push_back(row.lower), out.upper.push_back(row.upper);
    out.compliance.push_back(row.compliance), out.radius.push_back(row.radius);
  }
  return out;
}

}  // namespace stiction
