// Feeds a recorder from a simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/cli/run_options.hpp"
#include "host/record/recorder.hpp"

namespace stiction {

/// Records the start, every k-th step and the last step. Status bits are OR-ed over the steps since the row before
/// (converged: in all of them); iterations, residual and penetration are the largest of those steps; contacts are those
/// of the last step.
class RunRecording {
 public:
  /// Creates the file with the start as row 0.
  RunRecording(const RecordingPlan& plan, const Simulator& simulator, std::int64_t steps);

  /// Takes the step that was just done; `step` counts from 1. Throws InputError if the disk is full, as `finish` does,
  /// and says what is in FILE.partial.
  void add(const Simulator& simulator, std::int64_t step, std::span<const std::uint32_t> status,
           const StepStats& stats);
  /// Completes the file.
  void finish();
  /// Closes FILE.partial after a run that was cut short, and says what is in it.
  std::string stop();

 private:
  template <class Write>
  void write_or_stop(Write&& write);
  void append(const Simulator& simulator, std::int64_t step);
  void clear_since_row();

  RecordingPlan plan_;
  std::int64_t steps_;
  double step_size_;  // [s]
  std::optional<Recorder> recorder_;
  std::vector<std::uint32_t> status_;           // since the last row (batch)
  std::vector<int> iterations_;                 // (batch)
  std::vector<double> residual_, penetration_;  // (batch)
};

}  // namespace stiction
