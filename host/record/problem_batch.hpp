// A batch of raw problems as read from a file; it owns its arrays. host/api/solve_problems.hpp says what they mean.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/model/types.hpp"

namespace stiction {

enum class ProblemKind { kContact, kDelassus, kLcp, kMlcp, kQp };

/// The name of a kind on the command line, and of its group in a file.
const std::string& problem_kind_name(ProblemKind kind);

/// General rows of contact problems (batch, count, ...), as in RowProblems.
struct RowBatch {
  int count = 0;
  std::vector<double> J, offset, lower, upper, compliance, radius;
  std::vector<int> sides;
};

/// v (batch, nv), λ of the contacts (batch, dimension contacts) and λ of the general rows (batch, rows).
struct MotionBatch {
  std::vector<double> v, lambda, row_lambda;
};

/// Optional parts of contact problems, as in ContactProblems.
struct ContactExtras {
  int frictions = 1, max_couplings = kAllCouplings;
  std::vector<double> offset, radius, dof_radius, M, start;
  std::vector<int> blocks, sides;
  RowBatch rows;
  MotionBatch warm;
  std::vector<double> warm_penalty;
  MotionBatch answer;  // the answers of the run that recorded the problems

  int dimension() const { return frictions == 3 ? 4 : 3; }
};

/// The choices for the solve that are recorded in the file.
struct RecordedChoices {
  std::optional<std::string> law, cone, solver, factor;
  std::optional<long long> facets, max_iterations, max_total_iterations;
  std::optional<double> tolerance;
};

/// A batch of problems. Fields that a kind does not have are empty or 0. Arrays are row-major, with the batch first.
struct ProblemBatch {
  ProblemKind kind = ProblemKind::kLcp;
  int batch = 0;
  int unknowns = 0;            // nv of contact problems and QPs, the size of LCPs and MLCPs
  int contacts = 0, rows = 0;  // contacts of contact and Delassus problems; rows of QPs
  double step_size = 0.0;      // h of contact problems [s]
  std::vector<double> matrix;  // H (batch, nv, nv); W (batch, 3 contacts, 3 contacts); M (batch, size, size)
  std::vector<double> vector;  // g (batch, nv); q (batch, 3 contacts), (batch, size)
  std::vector<double> J;       // (batch, 3 contacts, nv)
  std::vector<double> phi;     // (batch, contacts) gap [m]
  std::vector<double> mu;      // (batch, contacts) friction [-]
  std::vector<int> count;      // (batch), or empty: all contacts
  std::vector<int> equations;  // MLCPs: 1 if w_i = 0, else 0; (size) or (batch, size)
  std::vector<double> A, b;    // QPs: (batch, rows, nv), (batch, rows)
  std::vector<int> ids;        // indices of the problems in their file; empty: all of the file
  ContactExtras extras;
  RecordedChoices choices;
};

/// Returns the ids of the wanted problems of a batch, in increasing order; an empty function wants all.
using ChooseProblems = std::function<std::vector<int>(int batch)>;

}  // namespace stiction
