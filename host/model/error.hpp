// The error of a user's input: one line that says what, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace stiction {

/// Thrown for bad input at the edge of the library; the command line answers it with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stiction
