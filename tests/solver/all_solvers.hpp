// Every solver of the registry as a list of types.
#pragma once

#include <gtest/gtest.h>

#include "host/model/choices.hpp"
#include "kernels/solver/solve_problem.hpp"

namespace stiction::test {

template <class First, class... Solvers>
struct ListAfter {
  using Types = testing::Types<Solvers...>;
};
using AllSolvers = ListAfter<void
#define ST_SOLVER(enumerator, name, function, scratch_of, factors) , SolverOf<SolverName::enumerator>
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
                             >::Types;

}  // namespace stiction::test
