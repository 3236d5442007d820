#include "host/model/choices.hpp"

namespace stiction {

const Choice& dynamics_choice() {
  static const Choice choice = {"dynamics",
                                {
#define ST_DYNAMICS(enumerator, name, ...) name,
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
                                }};
  return choice;
}

const Choice& law_choice() {
  static const Choice choice = {"law",
                                {
#define ST_LAW(enumerator, name, ...) name,
#include "kernels/problem/laws.inc"
#undef ST_LAW
                                }};
  return choice;
}

const Choice& cone_choice() {
  static const Choice choice = {"cone",
                                {
#define ST_CONE(enumerator, name, ...) name,
#include "kernels/problem/cones.inc"
#undef ST_CONE
                                }};
  return choice;
}

const Choice& contact_choice() {
  static const Choice choice = {"contact",
                                {
#define ST_CONTACT_MODEL(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_CONTACT_MODEL
                                }};
  return choice;
}

const Choice& geometry_choice() {
  static const Choice choice = {"geometry",
                                {
#define ST_CONTACT_GEOMETRY(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_CONTACT_GEOMETRY
                                }};
  return choice;
}

const Choice& rotation_choice() {
  static const Choice choice = {"rotation",
                                {
#define ST_ROTATION(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_ROTATION
                                }};
  return choice;
}

const Choice& torsion_radius_choice() {
  static const Choice choice = {"torsion-radius",
                                {
#define ST_TORSION_RADIUS(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_TORSION_RADIUS
                                }};
  return choice;
}

const Choice& regions_choice() {
  static const Choice choice = {"regions",
                                {
#define ST_REGIONS(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_REGIONS
                                }};
  return choice;
}

const Choice& equality_choice() {
  static const Choice choice = {"equality",
                                {
#define ST_EQUALITY(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_EQUALITY
                                }};
  return choice;
}

const Choice& order_choice() {
  static const Choice choice = {"order",
                                {
#define ST_STEP_ORDER(enumerator, name) name,
#include "kernels/model/contact_choices.inc"
#undef ST_STEP_ORDER
                                }};
  return choice;
}

const Choice& solver_choice() {
  static const Choice choice = {"solver",
                                {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) name,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
                                }};
  return choice;
}

const Choice& dtype_choice() {
  static const Choice choice = {"dtype", {"float64", "float32"}};
  return choice;
}

const Choice& factor_choice() {
  static const Choice choice = {"factor", dtype_choice().built};
  return choice;
}

const Choice& infeasible_choice() {
  static const Choice choice = {"infeasible", {"least_violation", "keep"}};
  return choice;
}

bool can_factor(SolverName solver, Dtype factor) {
  static constexpr bool kFactors[] = {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) factors,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
  };
  return factor == Dtype::kFloat64 || kFactors[static_cast<std::size_t>(solver)];
}

std::string factoring_solvers() {
  std::string names;
  for (std::size_t i = 0; i < solver_choice().built.size(); ++i)
    if (can_factor(static_cast<SolverName>(i), Dtype::kFloat32))
      names += (names.empty() ? "" : ", ") + solver_choice().built[i];
  return names;
}

bool can_solve(SolverName solver, ConeType cone) { return solver != SolverName::kLemke || !is_round(cone); }

}  // namespace stiction
