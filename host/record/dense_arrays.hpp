// A contact problem of blocks as dense arrays (hdf5_problem.hpp has their names in a file).
#pragma once

#include <vector>

#include "kernels/problem/contact_problem.hpp"

namespace stiction {

struct DenseContacts {
  std::vector<double> J;       // (dimension nc, nv)
  std::vector<double> phi;     // (nc) [m]
  std::vector<double> mu;      // (nc, dimension − 1): t, o, and r [m] with torsion
  std::vector<double> offset;  // (dimension nc)
  std::vector<double> radius;  // (nc) [m]
  std::vector<int> sides;      // (nc, 2)
};

struct DenseRows {
  std::vector<double> J;                                         // (rows, nv)
  std::vector<double> offset, lower, upper, compliance, radius;  // (rows)
  std::vector<int> sides;                                        // (rows, 2)
};

/// Appends `height` rows (nv) that hold the J of both sides.
void append_lines(const ContactProblem<double>& problem, const BlockJacobian<double> (&side)[2], int height,
                  std::vector<double>& J);
/// The dense matrix (nv, nv) of these diagonal blocks.
std::vector<double> dense_blocks(const ContactProblem<double>& problem, const double* const* blocks);
DenseContacts dense_contacts(const ContactProblem<double>& problem);
DenseRows dense_rows(const ContactProblem<double>& problem);

}  // namespace stiction
