// Contact problems in dense form, one after the other in a file of doubles that numpy reads with `fromfile`.
//
//   header       kProblemMagic, nv, blocks, contacts, rows, h, facets
//   blocks       size of each
//   H, M         (nv, nv) each; g, dof_radius (nv)
//   per contact  φ/h, b (3), μ_t, μ_o, J (3, nv)
//   per row      b, lower, upper, R, radius, J (nv)
//   our answer   v (nv), λ (contacts, 3), row λ (rows), residual, iterations, status, seconds cold, seconds warm
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "host/model/error.hpp"
#include "kernels/problem/contact_problem.hpp"

namespace stiction::bench {

constexpr double kProblemMagic = 20260101.0;

/// Our answer to one problem.
struct Answer {
  double residual, iterations, status, seconds_cold, seconds_warm;
};

class ProblemFile {
 public:
  explicit ProblemFile(const std::string& path) : out_(path, std::ios::binary) {
    if (!out_) throw InputError(path + ": cannot be written");
  }

  void write(const ContactProblem<double>& p, const ContactSolution<double>& x, const Answer& answer) {
    values_ = {kProblemMagic,
               static_cast<double>(p.nv),
               static_cast<double>(p.num_blocks),
               static_cast<double>(p.num_contacts),
               static_cast<double>(p.num_rows),
               p.step_size,
               static_cast<double>(p.facets)};
    values_.insert(values_.end(), p.block_size, p.block_size + p.num_blocks);
    add_blocks(p, p.H);
    add_blocks(p, p.M);
    add(p.g, p.nv);
    add(p.dof_radius, p.nv);
    for (int i = 0; i < p.num_contacts; ++i) add_contact(p, p.contacts[i]);
    for (int r = 0; r < p.num_rows; ++r) add_row(p, p.rows[r]);
    add(x.v, p.nv);
    add(x.lambda, 3 * p.num_contacts);
    add(x.row_lambda, p.num_rows);
    values_.insert(values_.end(),
                   {answer.residual, answer.iterations, answer.status, answer.seconds_cold, answer.seconds_warm});
    out_.write(reinterpret_cast<const char*>(values_.data()),
               static_cast<std::streamsize>(values_.size() * sizeof(double)));
    if (!out_) throw InputError("the problem file cannot be written further: is the disk full?");
  }

 private:
  void add(const double* values, int count) { values_.insert(values_.end(), values, values + count); }

  void add_blocks(const ContactProblem<double>& p, const double* const* blocks) {
    const std::size_t nv = static_cast<std::size_t>(p.nv), start = values_.size();
    values_.resize(start + nv * nv, 0.0);
    for (int b = 0; b < p.num_blocks; ++b)
      for (int i = 0; i < p.block_size[b]; ++i)
        for (int k = 0; k < p.block_size[b]; ++k)
          values_[start + static_cast<std::size_t>(p.block_adr[b] + i) * nv +
                  static_cast<std::size_t>(p.block_adr[b] + k)] = blocks[b][i * p.block_size[b] + k];
  }

  void add_jacobian(const ContactProblem<double>& p, const BlockJacobian<double>* sides, int height) {
    const std::size_t nv = static_cast<std::size_t>(p.nv), start = values_.size();
    values_.resize(start + static_cast<std::size_t>(height) * nv, 0.0);
    for (int side = 0; side < 2; ++side) {
      const int block = sides[side].block;
      if (block < 0) continue;
      for (int row = 0; row < height; ++row)
        for (int k = 0; k < p.block_size[block]; ++k)
          values_[start + static_cast<std::size_t>(row) * nv + static_cast<std::size_t>(p.block_adr[block] + k)] =
              sides[side].J[row * p.block_size[block] + k];
    }
  }

  void add_contact(const ContactProblem<double>& p, const ContactRow<double>& row) {
    values_.insert(values_.end(), {row.gap_rate, row.offset[0], row.offset[1], row.offset[2], row.mu_t, row.mu_o});
    add_jacobian(p, row.side, 3);
  }

  void add_row(const ContactProblem<double>& p, const GeneralRow<double>& row) {
    values_.insert(values_.end(), {row.offset, row.lower, row.upper, row.compliance, row.radius});
    add_jacobian(p, row.side, 1);
  }

  std::ofstream out_;
  std::vector<double> values_;
};

}  // namespace stiction::bench
