// How many steps cover a duration.
#pragma once

#include <cstdint>

namespace stiction {

struct RunLength {
  std::int64_t steps;
  bool exact;  // steps * step_size is the duration; else it is the next multiple above
};

/// Steps of `step_size` [s] > 0 that cover `duration` [s] >= 0. Throws InputError beyond 2^31 - 1 steps.
RunLength count_steps(double duration, double step_size);

}  // namespace stiction
