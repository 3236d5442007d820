// What proves a signed distance without computing one: support functions, distances from a surface, sampled directions.
//
//   s(n) = max { n·x : x in A } − min { n·x : x in B }
//   apart:       −s(n) ≤ distance ≤ |p_B − p_A|  for every unit n and every pair of points
//   overlapping: depth = min over unit n of s(n)
#pragma once

#include <vector>

#include "tests/collision/test_shapes.hpp"

namespace stiction::test {

/// Highest point of the shape along n; for a plane only along its own normal.
double support_height(const TestShape& shape, const Vec& n);

/// Distance of p from the surface, negative inside; of first order for ellipsoids; of a hull outside the largest height
/// over a face [m].
double signed_distance(const TestShape& shape, const Vec& p);

/// Its size [m].
double distance_from_surface(const TestShape& shape, const Vec& p);

/// s(n) of a pair.
double overlap_along(const TestShape& A, const TestShape& B, const Vec& n);

/// Directions that are likely to be least: face normals, axes and their products, the line of centres, and the
/// neighbourhood of `n`.
std::vector<Vec> likely_directions(Random& random, const TestShape& A, const TestShape& B, const Vec& n);

/// The least s over `count` random and all likely directions.
double least_overlap(Random& random, const TestShape& A, const TestShape& B, const Vec& n, int count);

}  // namespace stiction::test
