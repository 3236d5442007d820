// One line of `stiction bench`: a scene with its choices on a device, and what was measured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

struct BenchCase {
  Scene scene;
  SimulatorOptions options;
};

/// Figures of a case over all rounds; a round steps through the scene's course until its time is used up.
struct BenchResult {
  std::string device;                 // device that ran
  std::string device_warning;         // of Simulator::device_warning
  std::vector<double> rate;           // environment-steps per second of every round
  std::vector<double> seconds;        // of every step of the whole batch
  std::int64_t env_steps = 0;         // environment-steps
  double contacts = 0.0, rows = 0.0;  // sums over environment-steps
  double iterations = 0.0;
  int most_contacts = 0;
  std::int64_t converged = 0;     // environment-steps
  double residual = 0.0;          // worst
  int max_contacts = 0;           // capacity
  std::size_t env_bytes = 0;      // memory that an environment keeps between steps
  std::size_t scratch_bytes = 0;  // scratch of a step: per thread on the host, per environment on a GPU
};

/// Runs one round of `seconds` wall-clock time, at least one step; adds to `result`.
void run_round(const BenchCase& bench, double seconds, BenchResult& result);

/// Quantile of the values: a share `q` of them is not above it.
double quantile(std::vector<double> values, double q);

}  // namespace stiction
