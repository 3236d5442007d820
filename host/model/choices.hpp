// The choices of a scene by name, and which of them fit together.
#pragma once

#include <string>
#include <vector>

#include "kernels/model/traits.hpp"

namespace stiction {

/// One choice, such as "law": the names of its enumerators in their order.
struct Choice {
  std::string name;
  std::vector<std::string> built;
};

const Choice& dynamics_choice();
const Choice& law_choice();
const Choice& cone_choice();
const Choice& contact_choice();
const Choice& geometry_choice();
const Choice& rotation_choice();
const Choice& torsion_radius_choice();
const Choice& regions_choice();
const Choice& equality_choice();
const Choice& order_choice();
const Choice& solver_choice();
const Choice& dtype_choice();
const Choice& factor_choice();
const Choice& infeasible_choice();

template <class Enum>
const std::string& choice_name(const Choice& choice, Enum value) {
  return choice.built.at(static_cast<std::size_t>(value));
}

/// Most facets of a pyramid; with 64 it is within 0.2 % of its cone.
constexpr int kMostFacets = 1024;

/// True if the solver can solve problems with this cone: Lemke's method pivots on facets, which a quadratic cone lacks.
bool can_solve(SolverName solver, ConeType cone);

/// True if the solver has a factor in this precision. Solvers that factor a matrix have both; the others count as
/// double.
bool can_factor(SolverName solver, Dtype factor);

/// The solvers that factor a matrix, "interior_point, ..".
std::string factoring_solvers();

}  // namespace stiction
