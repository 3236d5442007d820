// A progress line on a terminal: steps, simulated time, speed, failures.
#pragma once

#include <chrono>
#include <cstdint>

namespace stiction {

class Progress {
 public:
  /// Writes to standard error, and only if that is a terminal.
  Progress(bool wanted, std::int64_t steps, double step_size, int batch);
  /// Ends the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `done` steps are finished; rewrites the line at most ten times per second.
  void show(std::int64_t done, int failed);

 private:
  using Clock = std::chrono::steady_clock;
  bool active_;
  bool shown_ = false;
  std::int64_t steps_;
  double step_size_;  // [s]
  int batch_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace stiction
