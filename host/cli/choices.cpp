#include "host/cli/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stiction {

const Choice& dynamics_choice() {
  static const Choice choice = {"dynamics",
                                {
#define ST_DYNAMICS(enumerator, name, assemble) name,
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
                                },
                                {}};
  return choice;
}

const Choice& law_choice() {
  static const Choice choice = {"law",
                                {
#define ST_LAW(enumerator, name) name,
#include "kernels/problem/laws.inc"
#undef ST_LAW
                                },
                                {"patch"}};
  return choice;
}

const Choice& cone_choice() {
  static const Choice choice = {"cone",
                                {
#define ST_CONE(enumerator, name) name,
#include "kernels/problem/cones.inc"
#undef ST_CONE
                                },
                                {}};
  return choice;
}

const Choice& solver_choice() {
  static const Choice choice = {"solver",
                                {
#define ST_SOLVER(enumerator, name, solve, scratch) name,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
                                },
                                {"newton"}};
  return choice;
}

const Choice& dtype_choice() {
  static const Choice choice = {"dtype", {"float64", "float32"}, {}};
  return choice;
}

int find_choice(const Choice& choice, const std::string& name) {
  const auto found = std::find(choice.built.begin(), choice.built.end(), name);
  if (found != choice.built.end()) return static_cast<int>(found - choice.built.begin());
  const std::string known = fmt::format("{}", fmt::join(choice.built, ", "));
  if (std::find(choice.planned.begin(), choice.planned.end(), name) != choice.planned.end())
    throw InputError(fmt::format("--{} {}: not yet; built so far: {}", choice.name, name, known));
  throw InputError(fmt::format("--{} {}: unknown; it takes {}", choice.name, name, known));
}

}  // namespace stiction
