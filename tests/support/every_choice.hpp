// The dynamics, laws, cones and solvers of the registries with their names, for tests that run with each of them.
#pragma once

#include <ostream>

#include "kernels/model/types.hpp"

namespace stiction::test {

template <class Choice>
struct Named {
  Choice value;
  const char* name;
};

template <class Choice>
std::ostream& operator<<(std::ostream& out, const Named<Choice>& choice) {
  return out << choice.name;
}

constexpr Named<Dynamics> kEveryNamedDynamics[] = {
#define ST_DYNAMICS(enumerator, name, ...) {Dynamics::enumerator, name},
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
};

constexpr Named<ContactLaw> kEveryLaw[] = {
#define ST_LAW(enumerator, name, ...) {ContactLaw::enumerator, name},
#include "kernels/problem/laws.inc"
#undef ST_LAW
};

constexpr Named<ConeType> kEveryCone[] = {
#define ST_CONE(enumerator, name, ...) {ConeType::enumerator, name},
#include "kernels/problem/cones.inc"
#undef ST_CONE
};

constexpr Named<SolverName> kEveryNamedSolver[] = {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) {SolverName::enumerator, name},
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
};

}  // namespace stiction::test
