// The table that `stiction compare` prints.
#pragma once

#include <cstdint>
#include <string>

#include "host/cli/failures.hpp"
#include "host/cli/stage_differences.hpp"

namespace stiction {

/// Figures of one of the runs, over all steps.
class SideFigures {
 public:
  explicit SideFigures(int batch) : failures_(batch) {}

  void add(const StepReadout& step);

  std::int64_t env_steps() const { return env_steps_; }
  double converged_percent() const { return 100.0 * static_cast<double>(converged_) / static_cast<double>(env_steps_); }
  double worst_residual() const { return residual_; }  // NaN if any was NaN
  int failed_environments() const { return failures_.count(); }

 private:
  std::int64_t env_steps_ = 0, converged_ = 0;
  double residual_ = 0.0;
  FailureLog failures_;
};

/// All results of a comparison: the first step, b restarted from a's state before each step, b on its own.
struct ComparisonFigures {
  StageDifferences first, restarted, free;
  SideFigures a, b_restarted, b_free;
};

/// A line for each quantity, then the figures of the runs.
std::string describe(const ComparisonFigures& figures);

}  // namespace stiction
