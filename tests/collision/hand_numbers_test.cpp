// Pairs whose distance, witnesses and normal can be written down.
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/collision/narrow_phase_fixture.hpp"

namespace stiction::test {
namespace {

constexpr double kExact = 1e-12;    // formulas [m]
constexpr double kIterated = 1e-9;  // GJK and the polytope [m]
constexpr Vec kOrigin = {0, 0, 0};

struct HandCase {
  const char* name;
  TestShape A, B;
  double gap;
  Vec normal, p_A, p_B;
  double tolerance;
};

TestShape turned(TestShape shape, const Vec& axis, double angle) {
  turn(shape, axis, angle);
  return shape;
}

std::vector<HandCase> hand_cases() {
  constexpr double kQuarter = std::numbers::pi / 2;
  const TestShape plane = make_shape(GeomType::kPlane, {1, 1, 1}, {0, 0, 1});
  const auto sphere = [](double r, const Vec& at) { return make_shape(GeomType::kSphere, {r, 0, 0}, at); };
  const auto capsule = [](const Vec& at) { return make_shape(GeomType::kCapsule, {0.1, 0.5, 0}, at); };
  const auto cylinder = [](const Vec& at) { return make_shape(GeomType::kCylinder, {0.2, 0.5, 0}, at); };
  const auto ellipsoid = [](const Vec& at) { return make_shape(GeomType::kEllipsoid, {0.1, 0.2, 0.3}, at); };
  const auto box = [](const Vec& at) { return make_shape(GeomType::kBox, {0.1, 0.2, 0.3}, at); };
  const Hull corner = convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const Hull spike_down = convex_hull({{0, 0, 0}, {1, 0, 1}, {-1, 1, 1}, {-1, -1, 1}});
  const Hull spike_back = convex_hull({{0, 0, 0}, {1, 1, 0}, {1, -1, 1}, {1, -1, -1}});
  const double d3 = 1 / std::sqrt(3.0);
  return {
      {"plane_sphere", plane, sphere(0.5, {3, 4, 2}), 0.5, {0, 0, 1}, {3, 4, 1}, {3, 4, 1.5}, kExact},
      {"plane_capsule", plane, capsule({3, 4, 1.5}), -0.1, {0, 0, 1}, {3, 4, 1}, {3, 4, 0.9}, kExact},
      {"plane_ellipsoid", plane, ellipsoid({0, 0, 1.4}), 0.1, {0, 0, 1}, {0, 0, 1}, {0, 0, 1.1}, kExact},
      {"plane_mesh", plane, make_mesh(spike_down, {0, 0, 0.75}), -0.25, {0, 0, 1}, {0, 0, 1}, {0, 0, 0.75}, kExact},
      {"sphere_sphere",
       sphere(0.5, kOrigin),
       sphere(0.25, {3, 0, 4}),
       4.25,
       {0.6, 0, 0.8},
       {0.3, 0, 0.4},
       {2.85, 0, 3.8},
       kExact},
      {"sphere_in_sphere_centre",
       sphere(0.5, kOrigin),
       sphere(0.25, kOrigin),
       -0.75,
       {0, 0, -1},
       {0, 0, -0.5},
       {0, 0, 0.25},
       kExact},
      {"sphere_capsule",
       sphere(0.5, {0, 1, 0.3}),
       capsule(kOrigin),
       0.4,
       {0, -1, 0},
       {0, 0.5, 0.3},
       {0, 0.1, 0.3},
       kExact},
      {"sphere_cylinder_rim",
       sphere(0.1, {0.5, 0, 0.9}),
       cylinder(kOrigin),
       0.4,
       {-0.6, 0, -0.8},
       {0.44, 0, 0.82},
       {0.2, 0, 0.5},
       kExact},
      {"sphere_inside_cylinder",
       sphere(0.1, {0, 0, 0.45}),
       cylinder(kOrigin),
       -0.15,
       {0, 0, -1},
       {0, 0, 0.35},
       {0, 0, 0.5},
       kExact},
      {"sphere_ellipsoid",
       sphere(0.1, {0, 0, 1}),
       ellipsoid(kOrigin),
       0.6,
       {0, 0, -1},
       {0, 0, 0.9},
       {0, 0, 0.3},
       kIterated},
      {"sphere_box_edge",
       sphere(0.1, {0.4, 0.6, 0}),
       box(kOrigin),
       0.4,
       {-0.6, -0.8, 0},
       {0.34, 0.52, 0},
       {0.1, 0.2, 0},
       kExact},
      {"sphere_inside_box",
       sphere(0.1, {0.08, 0, 0}),
       box(kOrigin),
       -0.12,
       {-1, 0, 0},
       {-0.02, 0, 0},
       {0.1, 0, 0},
       kExact},
      {"sphere_mesh_face",
       sphere(0.1, {1, 1, 1}),
       make_mesh(corner),
       2 * d3 - 0.1,
       {-d3, -d3, -d3},
       {1 - 0.1 * d3, 1 - 0.1 * d3, 1 - 0.1 * d3},
       {1.0 / 3, 1.0 / 3, 1.0 / 3},
       kIterated},
      {"sphere_inside_mesh",
       sphere(0.1, {0.1, 0.3, 0.3}),
       make_mesh(corner),
       -0.2,
       {1, 0, 0},
       {0.2, 0.3, 0.3},
       {0, 0.3, 0.3},
       kExact},
      {"capsules_crossing",
       capsule(kOrigin),
       turned(capsule({0, 0.5, 0}), {1, 0, 0}, 0),
       0.3,
       {0, 1, 0},
       {0, 0.1, -0.5},
       {0, 0.4, -0.5},
       kExact},
      {"capsules_square",
       capsule(kOrigin),
       turned(capsule({0.2, 0.5, 0.3}), {0, 1, 0}, kQuarter),
       0.3,
       {0, 1, 0},
       {0, 0.1, 0.3},
       {0, 0.4, 0.3},
       kExact},
      {"capsule_cores_crossing",
       capsule(kOrigin),
       turned(capsule(kOrigin), {0, 1, 0}, kQuarter),
       -0.2,
       {0, 1, 0},
       {0, 0.1, 0},
       {0, -0.1, 0},
       kIterated},
      {"capsule_box_end", capsule({0, 0, 1}), box(kOrigin), 0.1, {0, 0, -1}, {0, 0, 0.4}, {0, 0, 0.3}, kIterated},
      {"capsule_end_cylinder_cap",
       capsule({0, 0, 1.2}),
       cylinder(kOrigin),
       0.1,
       {0, 0, -1},
       {0, 0, 0.6},
       {0, 0, 0.5},
       kIterated},
      {"cylinder_ellipsoid",
       cylinder(kOrigin),
       ellipsoid({0, 0, 1}),
       0.2,
       {0, 0, 1},
       {0, 0, 0.5},
       {0, 0, 0.7},
       kIterated},
      {"ellipsoids",
       ellipsoid(kOrigin),
       ellipsoid({0, 0.35, 0}),
       -0.05,
       {0, 1, 0},
       {0, 0.2, 0},
       {0, 0.15, 0},
       kIterated},
      {"ellipsoid_box", ellipsoid({0, 0, 0.7}), box(kOrigin), 0.1, {0, 0, -1}, {0, 0, 0.4}, {0, 0, 0.3}, kIterated},
      {"ellipsoid_mesh",
       ellipsoid({0, 0, -0.5}),
       make_mesh(corner, {-0.2, -0.2, 0}),
       0.2,
       {0, 0, 1},
       {0, 0, -0.2},
       {0, 0, 0},
       kIterated},
      {"boxes_vertex_vertex",
       box(kOrigin),
       box({0.5, 0.7, 1.2}),
       std::sqrt(0.09 + 0.09 + 0.36),
       (1 / std::sqrt(0.54)) * Vec{0.3, 0.3, 0.6},
       {0.1, 0.2, 0.3},
       {0.4, 0.5, 0.9},
       kIterated},
      {"box_mesh_vertex",
       box({-0.4, 0, 0}),
       make_mesh(spike_back, {0, 0.1, 0.1}),
       0.3,
       {1, 0, 0},
       {-0.3, 0.1, 0.1},
       {0, 0.1, 0.1},
       kIterated},
      {"meshes",
       make_mesh(corner),
       make_mesh(corner, {1, 1, 1}),
       2 * d3,
       {d3, d3, d3},
       {1.0 / 3, 1.0 / 3, 1.0 / 3},
       {1, 1, 1},
       kIterated},
  };
}

class HandNumbers : public testing::TestWithParam<HandCase> {};

TEST_P(HandNumbers, AreReturned) {
  const HandCase& c = GetParam();
  const Manifold<double> found = collide_shapes(c.A, c.B);
  ASSERT_GE(found.count, 1);
  EXPECT_NEAR(found.point[0].gap, c.gap, c.tolerance);
  // an iteration that stops at the distance to kIterated knows the direction to its square root
  const double lateral = c.tolerance == kExact ? kExact : 1e-5;
  expect_vec_near(found.point[0].normal, c.normal, lateral);
  expect_vec_near(found.point[0].p_A, c.p_A, lateral);
  expect_vec_near(found.point[0].p_B, c.p_B, lateral);
}

INSTANTIATE_TEST_SUITE_P(Pairs, HandNumbers, testing::ValuesIn(hand_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MaxGap, ExcludesWhatIsFartherAndKeepsWhatIsNot) {
  for (const HandCase& c : hand_cases()) {
    EXPECT_EQ(collide_shapes(c.A, c.B, c.gap - 1e-6).count, 0) << c.name;
    EXPECT_GE(collide_shapes(c.A, c.B, c.gap + 1e-6).count, 1) << c.name;
  }
}

TEST(Planes, AreInfiniteWhateverTheirSize) {
  const TestShape plane = make_shape(GeomType::kPlane, {0.1, 0.1, 0.1});
  const Manifold<double> found = collide_shapes(plane, make_shape(GeomType::kSphere, {1, 0, 0}, {500, -700, 3}));
  ASSERT_EQ(found.count, 1);
  EXPECT_NEAR(found.point[0].gap, 2, kExact);
}

TEST(Poses, WithoutNumbersGiveNoCrash) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int a = 0; a < kGeomTypes; ++a)
    for (int b = std::max(a, 1); b < kGeomTypes; ++b) {
      TestShape A = make_shape(static_cast<GeomType>(a), {0.1, 0.1, 0.1});
      TestShape B = make_shape(static_cast<GeomType>(b), {0.1, 0.1, 0.1}, {nan, nan, nan});
      if (A.type == GeomType::kMesh) A.hull = box_hull({0.1, 0.1, 0.1});
      if (B.type == GeomType::kMesh) B.hull = box_hull({0.1, 0.1, 0.1});
      const Manifold<double> found = collide_shapes(A, B);
      EXPECT_GE(found.count, 0);
      EXPECT_LE(found.count, kMaxManifold);
      turn(B, {nan, 0, 0}, 1);
      EXPECT_LE(collide_shapes(A, B).count, kMaxManifold);
    }
}

}  // namespace
}  // namespace stiction::test
