// Choices on the command line: what is built, what is planned, and what is neither.
#pragma once

#include <string>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"

namespace stiction {

/// The enumerator's position. Throws InputError: "not yet" for a planned name, else the names that are known.
int find_choice(const Choice& choice, const std::string& name);

/// The enumerator that is called `name`.
template <class Enum>
Enum parse_choice(const Choice& choice, const std::string& name) {
  return static_cast<Enum>(find_choice(choice, name));
}

}  // namespace stiction
