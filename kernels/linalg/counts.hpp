// Where lists begin that lie one behind the other.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

/// Replaces n counts by the sums of those before; entry n becomes the sum of all.
ST_FN void counts_to_starts(int n, int* count) {
  int sum = 0;
  ST_ROLLED
  for (int i = 0; i < n; ++i) {
    const int more = count[i];
    count[i] = sum;
    sum += more;
  }
  count[n] = sum;
}

}  // namespace stiction
