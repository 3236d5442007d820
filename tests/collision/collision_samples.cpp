// Prints random pairs with their signed distance, one JSON object a line, for comparison with other programs.
//   collision_samples [pairs of each kind, default 100]
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "kernels/collision/narrow_phase.hpp"
#include "tests/collision/test_shapes.hpp"

namespace {

using namespace stiction;
using namespace stiction::test;

void print_numbers(const char* name, const double* values, int count) {
  std::printf("\"%s\": [", name);
  for (int i = 0; i < count; ++i) std::printf("%s%.17g", i ? ", " : "", values[i]);
  std::printf("]");
}

void print_shape(const char* name, const TestShape& shape) {
  const double size[3] = {shape.size.x, shape.size.y, shape.size.z};
  const double position[3] = {shape.position.x, shape.position.y, shape.position.z};
  std::printf("\"%s\": {\"type\": \"%s\", ", name, name_of(shape.type));
  print_numbers("size", size, 3), std::printf(", ");
  print_numbers("position", position, 3), std::printf(", ");
  print_numbers("rotation", shape.rotation.m, 9), std::printf(", ");
  print_numbers("vertices", shape.hull.vertices.data(), 3 * shape.hull.num_vertices());
  std::printf("}, ");
}

void print_result(const ContactPoint<double>& c) {
  const double normal[3] = {c.normal.x, c.normal.y, c.normal.z};
  const double p_A[3] = {c.p_A.x, c.p_A.y, c.p_A.z}, p_B[3] = {c.p_B.x, c.p_B.y, c.p_B.z};
  std::printf("\"gap\": %.17g, ", c.gap);
  print_numbers("normal", normal, 3), std::printf(", ");
  print_numbers("p_A", p_A, 3), std::printf(", ");
  print_numbers("p_B", p_B, 3), std::printf("}\n");
}

void print_pairs(GeomType type_A, GeomType type_B, int count) {
  constexpr double kFar = 10;  // [m]
  const auto scratch = std::make_unique<CollisionScratch<double>>();
  Random random(static_cast<unsigned>(100 * static_cast<int>(type_A) + static_cast<int>(type_B)));
  for (int k = 0; k < count; ++k) {
    TestShape A = random_shape(random, type_A, SizeKind::kOrdinary);
    TestShape B = random_shape(random, type_B, SizeKind::kOrdinary);
    pose_pair(random, static_cast<PoseKind>(k % kPoseKinds), A, B);
    const Placed<double> a(A), b(B);
    Manifold<double> found;
    collide(a.shape, b.shape, kFar, *scratch, found);
    std::printf("{\"kind\": %d, ", k % kPoseKinds);
    print_shape("A", A), print_shape("B", B), print_result(found.point[0]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100;
  for (int a = 0; a < kGeomTypes; ++a)
    for (int b = a > 0 ? a : 1; b < kGeomTypes; ++b)
      print_pairs(static_cast<GeomType>(a), static_cast<GeomType>(b), count);
  return 0;
}
