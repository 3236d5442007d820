// Runs the narrow phase on test shapes.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "kernels/collision/narrow_phase.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/collision/test_shapes.hpp"

namespace stiction::test {

inline TestShape make_shape(GeomType type, const Vec& size, const Vec& position = {0, 0, 0}) {
  TestShape shape;
  shape.type = type;
  shape.size = size;
  shape.position = position;
  return shape;
}

inline TestShape make_mesh(const Hull& hull, const Vec& position = {0, 0, 0}) {
  TestShape shape = make_shape(GeomType::kMesh, {0, 0, 0}, position);
  shape.hull = hull;
  return shape;
}

/// Turns the shape by `angle` [rad] about the world axis through its centre.
inline void turn(TestShape& shape, const Vec& axis, double angle) {
  shape.rotation = to_matrix(exp_quat(angle * axis)) * shape.rotation;
}

constexpr double kFarAway = 10;  // no pair of the tests is farther apart [m]

template <class Real = double>
Manifold<Real> collide_shapes(const TestShape& A, const TestShape& B, double max_gap = kFarAway) {
  const auto scratch = std::make_unique<CollisionScratch<Real>>();
  const Placed<Real> a(A), b(B);
  Manifold<Real> manifold;
  collide(a.shape, b.shape, static_cast<Real>(max_gap), *scratch, manifold);
  return manifold;
}

inline void expect_vec_near(const Vec& found, const Vec& expected, double tolerance) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

}  // namespace stiction::test
