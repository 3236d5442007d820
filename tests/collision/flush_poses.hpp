// Poses that users build and random ones miss: flush faces, equal sizes, mirrored, on a grid, with a little noise.
#pragma once

#include "tests/collision/test_shapes.hpp"

namespace stiction::test {

/// Shapes of one type whose sizes fit each other: multiples of 25 mm; boxes, a wedge and a hexagonal prism as meshes.
const std::vector<TestShape>& grid_shapes(GeomType type);

struct FlushPair {
  TestShape A, B;
  Vec direction;  // along which they were put together, from A to B
  bool centred;   // B is straight in front of A
};

/// Puts two grid shapes together so that faces, edges or middles line up; then moves B by at most `noise` [m] and turns
/// it by at most `noise` [rad].
FlushPair flush_pair(Random& random, GeomType type_A, GeomType type_B, double noise);

/// The shape as it is in single precision.
TestShape in_single_precision(TestShape shape);

}  // namespace stiction::test
