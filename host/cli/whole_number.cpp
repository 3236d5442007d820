#include "host/cli/whole_number.hpp"

#include <fmt/format.h>

#include <limits>

#include "host/model/error.hpp"

namespace stiction {

int checked_int(const char* option, long long value, int least) {
  if (value >= least && value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  throw InputError(fmt::format("--{} {}: it takes whole numbers from {} to {}", option, value, least,
                               std::numeric_limits<int>::max()));
}

}  // namespace stiction
