// Choices on the command line: known names and unknown ones.
#pragma once

#include <string>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"

namespace stiction {

/// The enumerator's position. Throws InputError that lists the known names for any other.
int find_choice(const Choice& choice, const std::string& name);

/// "anitescu | coulomb": the names that are built, for the text of an option.
std::string alternatives(const Choice& choice);

/// The enumerator that is called `name`.
template <class Enum>
Enum parse_choice(const Choice& choice, const std::string& name) {
  return static_cast<Enum>(find_choice(choice, name));
}

}  // namespace stiction
