// A batch of raw problems that owns its arrays, as a file held them; host/api/solve_problems.hpp says what they mean.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/model/traits.hpp"

namespace stiction {

enum class ProblemKind { kContact, kDelassus, kLcp, kMlcp, kQp };

/// The name of a kind on the command line, and of its group in a file.
const std::string& problem_kind_name(ProblemKind kind);

/// General rows of contact problems (batch, count, ...), as RowProblems.
struct RowBatch {
  int count = 0;
  std::vector<double> J, offset, lower, upper, compliance, radius;
  std::vector<int> sides;
};

/// v (batch, nv), λ (batch, dimension contacts) and that of the general rows (batch, rows).
struct MotionBatch {
  std::vector<double> v, lambda, row_lambda;
};

/// What contact problems may leave out, as ContactProblems.
struct ContactExtras {
  int frictions = 1, max_couplings = kAllCouplings;
  std::vector<double> offset, radius, dof_radius, M, start;
  std::vector<int> blocks, sides;
  RowBatch rows;
  MotionBatch warm;
  std::vector<double> warm_penalty;
  MotionBatch answer;  // of the run that posed them

  int dimension() const { return frictions == 3 ? 4 : 3; }
};

/// How the file says that its problems are to be solved.
struct RecordedChoices {
  std::optional<std::string> law, cone, solver, factor;
  std::optional<long long> facets, max_iterations, max_total_iterations;
  std::optional<double> tolerance;
};

/// What a kind does not have is empty or 0. Arrays are row-major, the batch first.
struct ProblemBatch {
  ProblemKind kind = ProblemKind::kLcp;
  int batch = 0;
  int unknowns = 0;            // nv of contact problems and QPs, the size of LCPs and MLCPs
  int contacts = 0, rows = 0;  // of contact and Delassus problems; of QPs
  double step_size = 0.0;      // h of contact problems [s]
  std::vector<double> matrix;  // H (batch, nv, nv); W (batch, 3 contacts, 3 contacts); M (batch, size, size)
  std::vector<double> vector;  // g (batch, nv); q (batch, 3 contacts), (batch, size)
  std::vector<double> J;       // (batch, 3 contacts, nv)
  std::vector<double> phi;     // (batch, contacts) gap [m]
  std::vector<double> mu;      // (batch, contacts) friction [-]
  std::vector<int> count;      // (batch), or empty: all contacts
  std::vector<int> equations;  // of MLCPs: (size) or (batch, size), 1: w_i = 0, else 0
  std::vector<double> A, b;    // of QPs: (batch, rows, nv), (batch, rows)
  std::vector<int> ids;        // where the problems are in their file; empty: it has no others
  ContactExtras extras;
  RecordedChoices choices;
};

/// The ids of the wanted ones of so many problems, increasing; an empty function wants all.
using ChooseProblems = std::function<std::vector<int>(int batch)>;

}  // namespace stiction
