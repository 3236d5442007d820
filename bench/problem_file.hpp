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
#include "host/record/dense_arrays.hpp"

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
    add(dense_blocks(p, p.H)), add(dense_blocks(p, p.M));
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

  void add(const std::vector<double>& values) { values_.insert(values_.end(), values.begin(), values.end()); }

  void add_contact(const ContactProblem<double>& p, const ContactRow<double>& row) {
    values_.insert(values_.end(), {row.gap_rate, row.offset[0], row.offset[1], row.offset[2], row.mu_t, row.mu_o});
    append_lines(p, row.side, 3, values_);
  }

  void add_row(const ContactProblem<double>& p, const GeneralRow<double>& row) {
    values_.insert(values_.end(), {row.offset, row.lower, row.upper, row.compliance, row.radius});
    append_lines(p, row.side, 1, values_);
  }

  std::ofstream out_;
  std::vector<double> values_;
};

}  // namespace stiction::bench
