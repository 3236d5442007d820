// What `stiction compare` takes from the command line: the scene options of `run`, and two sides.
#pragma once

#include <optional>
#include <string>

#include "host/cli/run_options.hpp"

namespace stiction {

/// What may differ between the sides.
struct CompareSide {
  std::string device;
  std::string dtype;
  std::optional<std::string> solver;  // none: the solver for both sides; the reference has its own
};

struct CompareOptions {
  RunOptions both;
  CompareSide a{"cpu", "float64", {}}, b{"reference", "float64", {}};
  std::optional<double> tolerance;  // largest difference of qpos that is accepted [m, rad]
};

void add_compare_options(CLI::App& app, CompareOptions& options);

/// The options of the run of one side. Throws InputError, which names the side, for a --dtype or --solver that this
/// side cannot have.
RunOptions side_a(const CompareOptions& options);
RunOptions side_b(const CompareOptions& options);

/// The tolerance; none if it was not given. Throws InputError unless it is finite and >= 0.
std::optional<double> checked_tolerance(const CompareOptions& options);

}  // namespace stiction
