// The table of `stiction bench`, on the screen and as CSV.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "host/backend/staged_step.hpp"
#include "host/cli/bench_limit.hpp"

namespace stiction {

/// Figures besides the speed, measured on request.
struct BenchExtras {
  std::optional<std::array<double, kStages>> stages;  // [s]
  std::optional<StepLimit> limit;
};

/// The names of the columns, separated by commas.
std::string bench_csv_header();
/// One row, with a newline.
std::string bench_csv_row(const BenchCase& bench, const BenchResult& result, const BenchExtras& extras);

std::string bench_screen_header();
std::string bench_screen_row(const BenchCase& bench, const BenchResult& result);
/// The stages in µs and their share, on one line.
std::string describe_stages(const std::array<double, kStages>& seconds);

}  // namespace stiction
