// The columns of a Jacobian that are not zero, as runs of neighbours. A contact of a tree's body depends on the joints
// between the body and the root only, and a limit or dry friction of a joint on that joint alone.
//
// A single lane keeps to these columns in large blocks. In small ones unrolled loops over all columns are faster, and
// several lanes take a column each.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

constexpr int kMostRuns = 4;  // of more, the last one takes in the others and what lies between them
constexpr int kSmallBlock = 12;

struct ColumnRuns {
  int count;
  short begin[kMostRuns], end[kMostRuns];
};

/// True if the one or several lanes of a team keep to runs in a block of n dofs.
template <bool kSingleLane>
ST_FN constexpr bool keeps_to_runs(int n) {
  return kSingleLane && n > kSmallBlock;
}

/// The runs of J (rows, n).
template <class Real>
ST_FN ColumnRuns find_runs(const Real* J, int rows, int n) {
  ColumnRuns runs{};
  bool inside = false;
  for (int j = 0; j < n; ++j) {
    bool zero = true;
    for (int r = 0; r < rows; ++r) zero = zero && J[r * n + j] == Real(0);
    if (!zero && !inside && runs.count < kMostRuns) runs.begin[runs.count++] = static_cast<short>(j);
    if (!zero) runs.end[runs.count - 1] = static_cast<short>(j + 1);
    inside = !zero;
  }
  return runs;
}

/// Calls f(begin, end) for every run.
template <class F>
ST_FN void visit_runs(const ColumnRuns& runs, F f) {
  for (int run = 0; run < runs.count; ++run) f(runs.begin[run], runs.end[run]);
}

}  // namespace stiction
