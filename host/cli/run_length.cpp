#include "host/cli/run_length.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "host/model/error.hpp"

namespace stiction {
namespace {

// Bounds |duration / step_size - steps|, relative to steps: far above the rounding of decimal inputs such as 0.35 /
// 0.01 (1e-16), far below any intended difference in duration.
constexpr double kMultipleTolerance = 1e-9;

}  // namespace

RunLength count_steps(double duration, double step_size) {
  const double ratio = duration / step_size;
  if (!(ratio <= std::numeric_limits<std::int32_t>::max()))
    throw InputError(fmt::format("duration {} s is more than 2147483647 steps of {} s", duration, step_size));
  const double nearest = std::round(ratio);
  const bool exact = std::fabs(ratio - nearest) <= kMultipleTolerance * std::fmax(nearest, 1.0);
  return {static_cast<std::int64_t>(exact ? nearest : std::ceil(ratio)), exact};
}

}  // namespace stiction
