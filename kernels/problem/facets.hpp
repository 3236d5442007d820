// The shape of a friction section: how a law and a cone turn (μ_t, μ_o) into a section, alike for all contacts of a
// problem.
//
//   symbol   variable       shape   unit
//   cos θ_j  cosine         (k)     [-]
//   sin θ_j  sine           (k)     [-]
//   D_j      (μ_t cos θ_j, μ_o sin θ_j); a cone with facets is the cone of the generators (1, D_j)
//   k        facets         of the polygon: torsion adds (1, 0, 0, ±μ_r) to the generators (1, D_j, 0)
//
//   pyramid       θ_j = 2πj/k from t, exact at multiples of a quarter turn
//   box           D_j = (±μ_t, ±μ_o): k = 4, cosine and sine ±1, angles increasing; (33) of Trinkle, Berard, Pang
//   frictionless  the pyramid with the single generator (1, 0, 0), with μ = 0
//   quadratic     {‖(λ_t/μ_t, λ_o/μ_o, λ_r/μ_r)‖ <= λ_n}: no generators, and the table's entries are not read
#pragma once

#include "kernels/linalg/vec3.hpp"
#include "kernels/model/arena.hpp"
#include "kernels/model/traits.hpp"
#include "kernels/problem/contact_problem.hpp"
#include "kernels/problem/contact_vector.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct FacetTable {
  int facets;
  Array<Real> cosine;  // (facets)
  Array<Real> sine;    // (facets)
  ConeType cone = ConeType::kPyramid;
};

/// A law and a cone with the numbers that a solver keeps for each of its contacts.
struct ConeShape {
  ContactLaw law;
  ConeType cone;
  int polygon;    // generators of the polygon of (t, o)
  int dimension;  // dimension of the problem: 3, or 4 with torsion
  int facets;     // generators in all; for a quadratic cone, whose slack and multiplier are vectors, the dimension
};

/// The number of generators that torsion adds to a cone with facets.
constexpr int kTwists = 2;

/// The cone under a law; `facets` and `dimension` are those of the problem. Under laws without friction a quadratic
/// cone with torsion stays quadratic, with μ = 0.
ST_FN ConeShape shape_cone(ContactLaw law, ConeType cone, int facets, int dimension = 3) {
  if (is_round(cone) && (dimension == 4 || has_friction(law))) return {law, cone, dimension, dimension, dimension};
  if (!has_friction(law)) return {law, ConeType::kPyramid, 1, dimension, 1};
  const int polygon = cone == ConeType::kBox ? 4 : facets;
  return {law, cone, polygon, dimension, dimension == 4 ? polygon + kTwists : polygon};
}

template <class Real>
ST_FN ConeShape shape_cone(const ContactProblem<Real>& p) {
  return shape_cone(p.law, p.cone, p.facets, p.dimension);
}

/// Friction of a contact whose row r has been turned into one of forces [-].
template <class Real>
struct Friction {
  Real mu_t, mu_o;
  Real mu_r = Real(0);  // μ_r/a
};

/// Friction of a contact under the law.
template <class Real>
ST_FN Friction<Real> choose_friction(const ContactProblem<Real>& p, const ContactRow<Real>& row) {
  if (!has_friction(p.law)) return {Real(0), Real(0)};
  return {row.mu_t, row.mu_o, p.dimension == 4 ? row.mu_r / row.radius : Real(0)};
}

/// True if the contact's row r counts; without torsional friction the contact is the same as in a problem without
/// torsion.
template <class Real>
ST_FN bool twists(const ContactProblem<Real>& p, const ContactRow<Real>& row) {
  return p.dimension == 4 && choose_friction(p, row).mu_r > Real(0);
}

/// cos(2π j / k), j in [0, k), with exact zeros, ones and symmetry.
template <class Real>
ST_FN Real facet_cosine(int j, int k) {
  if (2 * j > k) j = k - j;  // cos(2π − θ) = cos θ
  if (4 * j > k) {           // cos(π − θ) = −cos θ
    const Real fraction = Real(k - 2 * j) / Real(2 * k);
    return -std::cos(Real(6.283185307179586) * fraction);
  }
  if (4 * j == k) return Real(0);
  return std::cos(Real(6.283185307179586) * Real(j) / Real(k));
}

/// sin(2π j / k), j in [0, k).
template <class Real>
ST_FN Real facet_sine(int j, int k) {
  const Real sign = 2 * j > k ? Real(-1) : Real(1);  // sin(2π − θ) = −sin θ
  if (2 * j > k) j = k - j;
  if (j == 0 || 2 * j == k) return Real(0);
  if (4 * j == k) return sign;
  const Real fraction = 4 * j > k ? Real(k - 2 * j) / Real(2 * k) : Real(j) / Real(k);
  return sign * std::sin(Real(6.283185307179586) * fraction);
}

template <class Real>
ST_FN FacetTable<Real> take_facet_table(int facets, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(facets);
  return {facets, arena.take<Real>(n), arena.take<Real>(n)};
}

template <class Real>
ST_FN FacetTable<Real> take_facet_table(const ConeShape& shape, Arena& arena) {
  FacetTable<Real> table = take_facet_table<Real>(shape.polygon, arena);
  table.cone = shape.cone;
  return table;
}

template <class Team, class Real>
ST_FN void fill_facet_table(const Team& team, FacetTable<Real>& table) {
  const bool box = table.cone == ConeType::kBox;
  team.each(table.facets, [&](int j) {
    table.cosine[j] = box ? Real(j == 0 || j == 3 ? 1 : -1) : facet_cosine<Real>(j, table.facets);
    table.sine[j] = box ? Real(j < 2 ? 1 : -1) : facet_sine<Real>(j, table.facets);
  });
}

/// Generator (1, D_j) of a cone with facets.
template <class Real>
ST_FN Vec3<Real> facet_generator(const FacetTable<Real>& table, int j, Real mu_t, Real mu_o) {
  return {Real(1), mu_t * table.cosine[j], mu_o * table.sine[j]};
}

/// The number of generators of a contact with this friction: without torsional friction only those of the polygon.
template <class Real>
ST_FN int count_generators(const FacetTable<Real>& table, const Friction<Real>& mu) {
  return mu.mu_r > Real(0) ? table.facets + kTwists : table.facets;
}

/// Generator j of a cone with facets that may have torsion: those of the polygon, then (1, 0, 0, ±μ_r).
template <class Real>
ST_FN ContactVector<Real> twisting_generator(const FacetTable<Real>& table, int j, const Friction<Real>& mu) {
  if (j < table.facets) return without_torsion(facet_generator(table, j, mu.mu_t, mu.mu_o));
  return {Real(1), Real(0), Real(0), j == table.facets ? mu.mu_r : -mu.mu_r};
}

}  // namespace stiction
