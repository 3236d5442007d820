// The figures of a run: over all steps of all environments.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/api/simulator.hpp"

namespace stiction {

class RunFigures {
 public:
  /// Takes one step of the batch, which took `seconds` of wall-clock time.
  void add(const StepStats& stats, std::span<const std::uint32_t> status, double seconds);

  std::int64_t steps() const { return steps_; }
  double largest_hover() const { return hover_; }  // [m]
  /// The table that `run` prints: speed with contacts, rows, iterations, residual and share converged.
  std::string describe(int batch, double step_size) const;

 private:
  std::int64_t steps_ = 0, env_steps_ = 0, converged_ = 0;
  double contacts_ = 0.0, rows_ = 0.0, iterations_ = 0.0;  // sums over environment-steps
  int most_iterations_ = 0;
  double residual_ = 0.0, penetration_ = 0.0, hover_ = 0.0;  // largest; NaN if any was NaN
  double seconds_ = 0.0;                                     // spent in the simulator's step
};

/// The larger of both, NaN if one of them is.
double larger_or_nan(double a, double b);

}  // namespace stiction
