// One contact problem of a batch, in the blocks that the solvers expect.
//
// Blocks, and the sides of contacts and rows, are copied out of the dense arrays; without blocks nothing is copied.
// If the sides are not given, they are the blocks in which J is not 0.
#pragma once

#include "host/api/solve_problems.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

class PosedContacts {
 public:
  PosedContacts(const ContactProblems& all, const SolveOptions& options);

  /// Problem i with its first `count` contacts, H (nv, nv), and M (nv, nv) where there is one; valid until the next
  /// call. Throws InputError for matrices that couple more than the blocks allow.
  ContactProblem<double> pose(int i, int count, std::span<const double> H, std::span<const double> M);
  /// Where the solver starts problem i.
  WarmStart<double> start(int i) const;

 private:
  /// A row, or the rows of a contact: `height` lines of J.
  struct Lines {
    const char* name;
    int height, item;  // item: contact or row of the problem
    const double* J;   // (height, nv)
    const int* sides;  // (2), or null
  };

  int num_blocks() const { return static_cast<int>(adr_.size()); }
  void take_diagonal(const char* name, int i, const double* dense, std::vector<double>& kept,
                     std::vector<const double*>& blocks);
  void take_motion(int i, const double* H, const double* M);
  void take_contact(int i, int contact);
  void take_row(int i, int row);
  void take_sides(int i, const Lines& lines, double* kept, BlockJacobian<double> (&side)[2]) const;
  bool acts(const Lines& lines, int block) const;

  const ContactProblems& all_;
  ContactProblem<double> problem_{};
  std::vector<int> adr_, size_;  // of blocks
  int stride_ = 0;               // the largest of them
  std::vector<double> H_, M_, identity_, radius_, contact_J_, row_J_;
  std::vector<const double*> H_blocks_, M_blocks_;
  std::vector<ContactRow<double>> contacts_;
  std::vector<GeneralRow<double>> rows_;
};

}  // namespace stiction
