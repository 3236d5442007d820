// What a call says when its input is bad.
#pragma once

#include <string>

#include "host/model/error.hpp"

namespace stiction::test {

/// The message of the InputError that `action` throws; "" if it throws none.
template <class Action>
std::string input_error(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace stiction::test
