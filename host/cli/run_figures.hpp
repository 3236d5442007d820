// The figures of a run: over all steps of all environments.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/api/simulator.hpp"

namespace stiction {

/// What a step of the batch took.
struct StepTime {
  double wall = 0.0;       // [s]
  double processor = 0.0;  // of all host threads [s]; less than the wall clock where others use the machine
};

class RunFigures {
 public:
  /// Takes one step of the batch.
  void add(const StepStats& stats, std::span<const std::uint32_t> status, const StepTime& time);

  std::int64_t steps() const { return steps_; }
  double largest_hover() const { return hover_; }  // [m]
  /// The table that `run` prints: speed with contacts, rows, iterations, residual and share converged.
  std::string describe(int batch, double step_size) const;

 private:
  std::int64_t steps_ = 0, env_steps_ = 0, converged_ = 0;
  double contacts_ = 0.0, rows_ = 0.0, iterations_ = 0.0;  // sums over environment-steps
  int most_iterations_ = 0;
  double residual_ = 0.0, penetration_ = 0.0, hover_ = 0.0;  // largest; NaN if any was NaN
  StepTime time_;                                            // spent in the simulator's steps
};

/// The larger of both, NaN if one of them is.
double larger_or_nan(double a, double b);

}  // namespace stiction
