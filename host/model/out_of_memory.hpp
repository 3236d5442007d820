// More memory was asked for than there is.
#pragma once

#include <stdexcept>

namespace stiction {

/// Its message says how many environments fit; the command line answers it with exit code 1.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stiction
