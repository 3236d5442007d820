// How many random samples a test takes.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace stiction::test {

/// ST_FULL=n multiplies the number of samples.
inline int samples(int few) {
  const char* full = std::getenv("ST_FULL");
  return full ? few * std::max(1, std::atoi(full)) : few;
}

}  // namespace stiction::test
