// Every law, cone and solver that go together.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/api/solve_problems.hpp"
#include "host/model/choices.hpp"
#include "tests/api/tolerances.hpp"
#include "tests/support/every_choice.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction::test {

inline std::vector<SolveOptions> every_choice() {
  std::vector<SolveOptions> all;
  for (const auto& law : kEveryLaw)
    for (const auto& cone : kEveryCone)
      for (const SolverName solver : kEverySolver) {
        if (!can_solve(solver, cone.value)) continue;
        SolveOptions o;
        o.law = law.value, o.cone = cone.value, o.solver = solver;
        o.tolerance = is_iterative(solver) ? tolerance::kAskedIterative : tolerance::kAsked;
        all.push_back(o);
      }
  return all;
}

inline std::string choice_name(const testing::TestParamInfo<SolveOptions>& info) {
  const SolveOptions& o = info.param;
  return choice_name(law_choice(), o.law) + "_" + choice_name(cone_choice(), o.cone) + "_" + name_of(*o.solver);
}

}  // namespace stiction::test
