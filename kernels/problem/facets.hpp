// Directions of a pyramid's facets: θ_j = 2πj/k from t, exact at multiples of a quarter turn.
//
//   symbol   variable       shape   unit
//   cos θ_j  cosine         (k)     [-]
//   sin θ_j  sine           (k)     [-]
//   D_j      (μ_t cos θ_j, μ_o sin θ_j); the pyramid is the cone of the generators (1, D_j)
#pragma once

#include "kernels/linalg/vec3.hpp"
#include "kernels/model/arena.hpp"

namespace stiction {

template <class Real>
struct FacetTable {
  int facets;
  Real* cosine;  // (facets)
  Real* sine;    // (facets)
};

/// cos(2π j / k), j in [0, k), with exact zeros, ones and symmetry.
template <class Real>
ST_FN Real facet_cosine(int j, int k) {
  if (2 * j > k) return facet_cosine<Real>(k - j, k);  // cos(2π − θ) = cos θ
  if (4 * j > k) {                                     // cos(π − θ) = −cos θ
    const Real fraction = Real(k - 2 * j) / Real(2 * k);
    return -std::cos(Real(6.283185307179586) * fraction);
  }
  if (4 * j == k) return Real(0);
  return std::cos(Real(6.283185307179586) * Real(j) / Real(k));
}

/// sin(2π j / k), j in [0, k).
template <class Real>
ST_FN Real facet_sine(int j, int k) {
  if (2 * j > k) return -facet_sine<Real>(k - j, k);
  if (j == 0 || 2 * j == k) return Real(0);
  if (4 * j == k) return Real(1);
  const Real fraction = 4 * j > k ? Real(k - 2 * j) / Real(2 * k) : Real(j) / Real(k);
  return std::sin(Real(6.283185307179586) * fraction);
}

template <class Real>
ST_FN FacetTable<Real> take_facet_table(int facets, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(facets);
  return {facets, arena.take<Real>(n), arena.take<Real>(n)};
}

template <class Team, class Real>
ST_FN void fill_facet_table(const Team& team, const FacetTable<Real>& table) {
  team.each(table.facets, [&](int j) {
    table.cosine[j] = facet_cosine<Real>(j, table.facets);
    table.sine[j] = facet_sine<Real>(j, table.facets);
  });
}

/// Generator (1, D_j) of a pyramid.
template <class Real>
ST_FN Vec3<Real> facet_generator(const FacetTable<Real>& table, int j, Real mu_t, Real mu_o) {
  return {Real(1), mu_t * table.cosine[j], mu_o * table.sine[j]};
}

}  // namespace stiction
