// The names of the choices: what is built, what is planned, and what is neither.
#pragma once

#include <string>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

/// One choice, such as "law": the names of the enumerators in their order, and the names that are known but not built.
struct Choice {
  std::string name;
  std::vector<std::string> built;
  std::vector<std::string> planned;
};

const Choice& dynamics_choice();
const Choice& law_choice();
const Choice& cone_choice();
const Choice& solver_choice();
const Choice& dtype_choice();

/// The enumerator's position. Throws InputError: "not yet" for a planned name, else the names that are known.
int find_choice(const Choice& choice, const std::string& name);

/// The enumerator that is called `name`.
template <class Enum>
Enum parse_choice(const Choice& choice, const std::string& name) {
  return static_cast<Enum>(find_choice(choice, name));
}

template <class Enum>
const std::string& choice_name(const Choice& choice, Enum value) {
  return choice.built.at(static_cast<std::size_t>(value));
}

}  // namespace stiction
