// The error for a batch that needs more memory than there is.
#pragma once

#include <stdexcept>

namespace stiction {

/// Its message says how many environments fit; the command line exits with code 1.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stiction
