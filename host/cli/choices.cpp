#include "host/cli/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stiction {

int find_choice(const Choice& choice, const std::string& name) {
  const auto found = std::find(choice.built.begin(), choice.built.end(), name);
  if (found != choice.built.end()) return static_cast<int>(found - choice.built.begin());
  const std::string known = fmt::format("{}", fmt::join(choice.built, ", "));
  throw InputError(fmt::format("--{} {}: unknown; it takes {}", choice.name, name, known));
}

std::string alternatives(const Choice& choice) { return fmt::format("{}", fmt::join(choice.built, " | ")); }

}  // namespace stiction
