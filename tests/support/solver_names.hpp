// The solvers of the registry, for tests that run with each of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/model/types.hpp"

namespace stiction::test {

constexpr SolverName kEverySolver[] = {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) SolverName::enumerator,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
};

/// Solvers that are not known to be direct are asked for less, and may leave a step in a hundred flagged.
constexpr bool is_iterative(SolverName solver) {
  return solver != SolverName::kInteriorPoint && solver != SolverName::kLemke && solver != SolverName::kNewton;
}

inline const char* name_of(SolverName solver) {
  switch (solver) {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) \
  case SolverName::enumerator:                               \
    return name;
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  }
  return "";
}

inline std::string solver_name(const testing::TestParamInfo<SolverName>& info) { return name_of(info.param); }

}  // namespace stiction::test
