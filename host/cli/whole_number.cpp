#include "host/cli/whole_number.hpp"

#include <fmt/format.h>

#include <limits>

#include "host/model/error.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction {

int checked_int(const char* option, long long value, int least) {
  if (value >= least && value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  throw InputError(fmt::format("--{} {}: it takes whole numbers from {} to {}", option, value, least,
                               std::numeric_limits<int>::max()));
}

int checked_solve_threads(long long value, const char* what) {
  if (is_solve_width(static_cast<int>(value)) && static_cast<int>(value) == value) return static_cast<int>(value);
  throw InputError(fmt::format("--solve-threads {}: it takes 8, 32, 64, or 0 for a choice by {}", value, what));
}

}  // namespace stiction
