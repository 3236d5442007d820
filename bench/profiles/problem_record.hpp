// A contact problem of problem_file.hpp from the doubles of its record, with every block's part of J cut out.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "host/model/error.hpp"
#include "kernels/problem/contact_problem.hpp"

namespace stiction::bench {

/// Takes counted runs off an array.
class DoubleReader {
 public:
  explicit DoubleReader(std::span<const double> values) : rest_(values) {}

  const double* take(std::size_t count) {
    if (count > rest_.size()) throw InputError("problem record: it ends too early");
    const double* first = rest_.data();
    rest_ = rest_.subspan(count);
    return first;
  }
  double number() { return *take(1); }
  int whole() { return static_cast<int>(number()); }

 private:
  std::span<const double> rest_;
};

/// Owns what the problem's pointers show; g and the vectors belong to whoever owns the record.
class ProblemRecord {
 public:
  /// From `nv` on, behind the magic number.
  explicit ProblemRecord(DoubleReader& in) {
    p_.nv = in.whole();
    p_.num_blocks = in.whole();
    p_.num_contacts = in.whole();
    p_.num_rows = in.whole();
    p_.step_size = in.number();
    p_.facets = in.whole();
    take_blocks(in);
    take_square(in, H_);
    take_square(in, M_);
    p_.g = in.take(size(p_.nv));
    p_.dof_radius = in.take(size(p_.nv));
    for (int i = 0; i < p_.num_contacts; ++i) take_contact(in);
    for (int r = 0; r < p_.num_rows; ++r) take_row(in);
  }
  ProblemRecord(const ProblemRecord&) = delete;
  ProblemRecord& operator=(const ProblemRecord&) = delete;

  ContactProblem<double> view(ContactLaw law, ConeType cone) const {
    ContactProblem<double> p = p_;
    p.block_adr = block_adr_.data(), p.block_size = block_size_.data();
    p.H = H_.data(), p.M = M_.data();
    p.contacts = contacts_.data(), p.rows = rows_.data();
    p.law = law, p.cone = cone;
    return p;
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  void take_blocks(DoubleReader& in) {
    for (int b = 0, adr = 0; b < p_.num_blocks; adr += block_size_[size(b++)]) {
      block_adr_.push_back(adr);
      block_size_.push_back(in.whole());
    }
  }

  /// Columns `adr` to `adr + n` of `rows` rows.
  const double* cut(const double* values, int first_row, int rows, int adr, int n) {
    std::vector<double>& part = parts_.emplace_back();
    for (int r = first_row; r < first_row + rows; ++r) {
      const double* row = values + size(r) * size(p_.nv) + adr;
      part.insert(part.end(), row, row + n);
    }
    return part.data();
  }

  void take_square(DoubleReader& in, std::vector<const double*>& out) {
    const double* values = in.take(size(p_.nv) * size(p_.nv));
    for (int b = 0; b < p_.num_blocks; ++b) {
      const int adr = block_adr_[size(b)], n = block_size_[size(b)];
      out.push_back(cut(values, adr, n, adr, n));
    }
  }

  /// The blocks that `rows` rows touch, two at most.
  void take_sides(DoubleReader& in, int rows, BlockJacobian<double>* side) {
    const double* values = in.take(size(rows) * size(p_.nv));
    int found = 0;
    for (int b = 0; b < p_.num_blocks; ++b) {
      const double* part = cut(values, 0, rows, block_adr_[size(b)], block_size_[size(b)]);
      bool touched = false;
      for (const double x : parts_.back()) touched = touched || x != 0;
      if (!touched) {
        parts_.pop_back();
        continue;
      }
      if (found == 2) throw InputError("problem record: a contact or row acts on more than two blocks");
      side[found++] = {b, part};
    }
  }

  void take_contact(DoubleReader& in) {
    ContactRow<double>& row = contacts_.emplace_back();
    row.gap_rate = in.number();
    for (int k = 0; k < 3; ++k) row.offset[k] = in.number();
    row.mu_t = in.number(), row.mu_o = in.number();
    take_sides(in, 3, row.side);
  }

  void take_row(DoubleReader& in) {
    GeneralRow<double>& row = rows_.emplace_back();
    row.offset = in.number(), row.lower = in.number(), row.upper = in.number();
    row.compliance = in.number(), row.radius = in.number();
    take_sides(in, 1, row.side);
  }

  ContactProblem<double> p_{};
  std::vector<int> block_adr_, block_size_;
  std::deque<std::vector<double>> parts_;  // whose addresses stay
  std::vector<const double*> H_, M_;
  std::vector<ContactRow<double>> contacts_;
  std::vector<GeneralRow<double>> rows_;
};

}  // namespace stiction::bench
