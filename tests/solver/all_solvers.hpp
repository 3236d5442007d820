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

/// How many of six generated stacks a solver has to bring to 1e-4: all; none of Gauss-Seidel, which may not.
template <class Solver>
constexpr int kSolvedOfSix = Solver::kName == SolverName::kPgs ? 0 : 6;

}  // namespace stiction::test
