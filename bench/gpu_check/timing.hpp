// Seconds of the same steps of any batch, and what was solved in them.
#pragma once

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/course.hpp"
#include "bench/gpu_check/report.hpp"

namespace stiction::gpu_check {

/// Steps that were timed one by one, with their figures, which are read outside the timing.
struct SingleSteps {
  std::vector<double> seconds;
  std::vector<StepFigures> figures;

  double mean(double StepFigures::*figure) const;
  double most(double StepFigures::*figure) const;
};

/// Adds `steps` to `singles`.
void time_single_steps(Backend& batch, int steps, SingleSteps& singles);

/// Adds as many of `steps` as `budget` has room for, one at least; a step takes `expected` seconds or so.
void time_single_steps(Backend& batch, int steps, const Budget& budget, double expected, SingleSteps& singles);

/// Seconds of one call of `steps`.
double time_call(Backend& batch, int steps);

/// Environment-steps a second of calls of `steps` from `states`, as often as `least_seconds` ask for.
double time_from(const States& states, int steps, int environments, double least_seconds, Backend& batch);

/// Contacts, rows, iterations, residual and quantiles of the seconds; `which` ends the names of the quantities.
void report_steps(const Subject& subject, const SingleSteps& steps, const std::string& which, Report& report);

/// Seconds of every kernel of a step from `states`, and launches; a skipped row on the host, and where a step of
/// `expected` seconds has no room in `budget`.
void report_kernels(const Subject& subject, const States& states, const Budget& budget, double expected, Backend& batch,
                    Report& report);

}  // namespace stiction::gpu_check
