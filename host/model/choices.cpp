#include "host/model/choices.hpp"

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
                                {}};
  return choice;
}

bool can_solve(SolverName solver, ConeType cone) {
  return solver != SolverName::kLemke || cone != ConeType::kQuadratic;
}

}  // namespace stiction
