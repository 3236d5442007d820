// Faces and edges touch in several points; the points keep their places.
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/collision/certificate.hpp"
#include "tests/collision/flush_poses.hpp"
#include "tests/collision/narrow_phase_fixture.hpp"
#include "tests/collision/overlap.hpp"

namespace stiction::test {
namespace {

constexpr double kRight = std::numbers::pi / 2;
constexpr Vec kX = {1, 0, 0}, kY = {0, 1, 0};
constexpr double kPlace = 1e-9;         // of a contact point [m]
constexpr double kUnderSurface = 1e-6;  // a witness may lie deeper inside than outside [m]

TestShape cube(double half, const Vec& at) { return make_shape(GeomType::kBox, {half, half, half}, at); }
TestShape table() { return make_shape(GeomType::kBox, {1, 1, 0.5}, {0, 0, -0.5}); }
TestShape ground() { return make_shape(GeomType::kPlane, {0, 0, 1}); }
TestShape table_mesh() { return make_mesh(box_hull({1, 1, 0.5}), {0, 0, -0.5}); }

/// Area of the convex polygon that the points span, seen along n.
double spanned_area(const Manifold<double>& m) {
  const Across across(m.point[0].normal);
  std::vector<Point2> points;
  for (int i = 0; i < m.count; ++i) points.push_back(across(m.point[i].p_B));
  return test::spanned_area(points);
}

struct FaceCase {
  const char* name;
  TestShape lower, upper;
  int count;
  double area;  // spanned [m²]
};

std::vector<FaceCase> face_cases() {
  TestShape lying_cylinder = make_shape(GeomType::kCylinder, {0.1, 0.3, 0}, {0, 0, 0.1});
  turn(lying_cylinder, kX, kRight);
  TestShape lying_capsule = make_shape(GeomType::kCapsule, {0.1, 0.3, 0}, {0, 0, 0.1});
  turn(lying_capsule, kX, kRight);
  const TestShape standing = make_shape(GeomType::kCylinder, {0.1, 0.3, 0}, {0, 0, 0.3});
  TestShape edge_down = cube(0.1, {0, 0, 0.1 * std::sqrt(2.0)});
  turn(edge_down, kX, kRight / 2);
  TestShape askew = cube(0.1, {0, 0, 0.1});
  turn(askew, {0, 0, 1}, kRight / 2);
  const TestShape upright = cube(0.1, {0, 0, 0.1}), upright_mesh = make_mesh(box_hull({0.1, 0.1, 0.1}), {0, 0, 0.1});
  const TestShape pole = make_shape(GeomType::kCylinder, {0.1, 0.5, 0}, {0, 0, -0.5});
  return {
      {"cube_on_plane", ground(), upright, 4, 0.04},
      {"cube_on_box", table(), upright, 4, 0.04},
      {"cube_on_cube", cube(0.1, {0, 0, -0.1}), upright, 4, 0.04},
      {"cube_on_cube_shifted", cube(0.1, {0.05, 0.1, -0.1}), upright, 4, 0.015},
      {"cube_on_cube_turned", cube(0.1, {0, 0, -0.1}), askew, 4, 0.0234},
      {"cube_on_mesh", upright, make_mesh(box_hull({1, 1, 0.5}), {0, 0, -0.5}), 4, 0.04},
      {"mesh_on_mesh", table_mesh(), upright_mesh, 4, 0.04},
      {"mesh_on_plane", ground(), upright_mesh, 4, 0.04},
      {"edge_on_plane", ground(), edge_down, 2, 0},
      {"edge_on_box", table(), edge_down, 2, 0},
      {"cylinder_standing_on_plane", ground(), standing, 8, 0.02 * std::sqrt(2.0)},
      {"cylinder_standing_on_box", standing, table(), 8, 0.02 * std::sqrt(2.0)},
      {"cylinder_standing_on_mesh", standing, table_mesh(), 8, 0.02 * std::sqrt(2.0)},
      {"cylinder_standing_on_cylinder", pole, standing, 8, 0.02 * std::sqrt(2.0)},
      {"cylinder_lying_on_plane", ground(), lying_cylinder, 2, 0},
      {"cylinder_lying_on_box", lying_cylinder, table(), 2, 0},
      {"cylinder_lying_on_mesh", lying_cylinder, table_mesh(), 2, 0},
      {"capsule_lying_on_plane", ground(), lying_capsule, 2, 0},
      {"capsule_lying_on_box", lying_capsule, table(), 2, 0},
      {"capsule_lying_on_mesh", lying_capsule, table_mesh(), 2, 0},
      {"capsule_lying_on_cylinder_cap", lying_capsule, make_shape(GeomType::kCylinder, {1, 0.5, 0}, {0, 0, -0.5}), 2,
       0},
  };
}

class FlatContact : public testing::TestWithParam<FaceCase> {};

TEST_P(FlatContact, HasItsPointsAndACleanNormal) {
  const FaceCase& c = GetParam();
  for (double gap : {0.0, 1e-3, -1e-3, 1e-9, -1e-9}) {
    FaceCase moved = c;
    const bool lower_first = c.upper.position.z > c.lower.position.z;
    (lower_first ? moved.upper : moved.lower).position.z += gap;
    const Manifold<double> m = collide_shapes(moved.lower, moved.upper, 0.005);
    ASSERT_EQ(m.count, c.count) << "gap " << gap;
    for (int k = 0; k < m.count; ++k) {
      EXPECT_EQ(std::fabs(m.point[k].normal.z), 1) << "gap " << gap;
      EXPECT_EQ(m.point[k].normal.x, 0);
      EXPECT_EQ(m.point[k].normal.y, 0);
      EXPECT_NEAR(m.point[k].gap, gap, kPlace);
      EXPECT_LE(distance_from_surface(moved.lower, m.point[k].p_A), kPlace);
      EXPECT_LE(distance_from_surface(moved.upper, m.point[k].p_B), kPlace);
    }
    EXPECT_NEAR(spanned_area(m), c.area, 1e-4) << "gap " << gap;
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, FlatContact, testing::ValuesIn(face_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TiltedBox, KeepsTheCornersThatALongStepCanBringDown) {
  for (const TestShape& lower : {ground(), table()})
    for (double tilt : {0.01, 0.1, 0.3, 0.5}) {
      TestShape box = cube(0.03, {0, 0, 0.06});
      turn(box, (1 / std::sqrt(2.0)) * Vec{1, 1, 0}, tilt);
      const Manifold<double> m = collide_shapes(lower, box, 0.1);
      ASSERT_EQ(m.count, 4) << "tilt " << tilt;
      for (int k = 0; k < 4; ++k) {
        const Vec corner = transpose_mul(box.rotation, m.point[k].p_B - box.position);
        EXPECT_NEAR(corner.z, -0.03, kPlace);
        EXPECT_NEAR(std::fabs(corner.x), 0.03, kPlace);
        EXPECT_NEAR(std::fabs(corner.y), 0.03, kPlace);
        EXPECT_NEAR(m.point[k].gap, m.point[k].p_B.z, kPlace);
      }
    }
}

TEST(Manifold, DropsPointsFartherThanMaxGap) {
  TestShape box = cube(0.03, {0, 0, 0.05});
  turn(box, kY, 0.3);
  const double rise = 2 * 0.03 * std::sin(0.3), low = collide_shapes(ground(), box).point[0].gap;
  EXPECT_EQ(collide_shapes(ground(), box, low + 0.9 * rise).count, 2);
  EXPECT_EQ(collide_shapes(ground(), box, low + 1.1 * rise).count, 4);
  EXPECT_EQ(collide_shapes(table(), box, low + 0.9 * rise).count, 2);
  EXPECT_EQ(collide_shapes(table(), box, low + 1.1 * rise).count, 4);
}

TEST(Manifold, KeepsItsPointsInPlaceUnderRounding) {
  Random random(11);
  for (const TestShape& lower : {ground(), table(), cube(0.03, {0.01, 0.005, -0.03})}) {
    const TestShape rest = cube(0.03, {0, 0, 0.03});
    const Manifold<double> before = collide_shapes(lower, rest, 0.1);
    ASSERT_EQ(before.count, 4);
    for (int k = 0; k < 200; ++k) {
      TestShape moved = rest;
      moved.position += 1e-11 * random_direction(random);
      turn(moved, random_direction(random), 1e-11);
      const Manifold<double> after = collide_shapes(lower, moved, 0.1);
      ASSERT_EQ(after.count, 4);
      for (int i = 0; i < 4; ++i) expect_vec_near(after.point[i].p_B, before.point[i].p_B, 1e-8);
    }
  }
}

TEST(Manifold, ChangesPlacesOnlyToPutTheDeepestInFront) {
  Random random(12);
  const TestShape rest = cube(0.03, {0, 0, 0.03});
  const Manifold<double> before = collide_shapes(table(), rest, 0.1);
  for (int k = 0; k < 200; ++k) {
    TestShape moved = rest;
    turn(moved, random_direction(random), 1e-4);
    const Manifold<double> after = collide_shapes(table(), moved, 0.1);
    ASSERT_EQ(after.count, 4);
    int displaced = 0;
    for (int i = 0; i < 4; ++i) {
      displaced += norm(after.point[i].p_B - before.point[i].p_B) > 1e-4 ? 1 : 0;
      EXPECT_GE(after.point[i].gap, after.point[0].gap);
    }
    EXPECT_LE(displaced, 2);
  }
}

TEST(Manifold, PointsFaceEachOtherAlongTheNormalOnBothSurfaces) {
  Random random(13);
  const GeomType types[] = {GeomType::kBox, GeomType::kMesh, GeomType::kCylinder};
  int points = 0;
  for (int k = 0; k < 1000; ++k) {
    const GeomType first = types[k % 2], second = types[(k / 2) % 2];
    const bool swap = first == GeomType::kMesh;
    TestShape A = random_shape(random, swap ? second : first, SizeKind::kOrdinary);
    TestShape B = random_shape(random, swap ? first : second, SizeKind::kOrdinary);
    pose_pair(random, static_cast<PoseKind>(k % kPoseKinds), A, B);
    const Manifold<double> m = collide_shapes(A, B, 0.2);
    for (int i = 1; i < m.count; ++i, ++points) {
      EXPECT_LE(distance_from_surface(A, m.point[i].p_A), 1e-6);
      EXPECT_LE(distance_from_surface(B, m.point[i].p_B), 1e-6);
      EXPECT_LE(norm(cross(m.point[i].normal, m.point[i].p_B - m.point[i].p_A)), 1e-9);
      for (int j = 0; j < i; ++j) EXPECT_GT(norm(m.point[i].p_B - m.point[j].p_B), 1e-10);
    }
  }
  EXPECT_GT(points, 300);
}

/// The point of the manifold that is nearest to where the foot on the table would tip [m].
double distance_of_tipping_point(const TestShape& foot, const Vec& along, const Vec& expected) {
  const auto scratch = std::make_unique<CollisionScratch<double>>();
  const TestShape below = table();
  Placed<double> a(foot), b(below);
  const bool foot_first = foot.type < below.type;
  a.shape.lean = b.shape.lean = {foot.position, along};
  Manifold<double> m;
  collide(foot_first ? a.shape : b.shape, foot_first ? b.shape : a.shape, 0.005, *scratch, m);
  EXPECT_EQ(m.count, 8);
  for (int i = 0; i < m.count; ++i)
    for (int j = 0; j < i; ++j) EXPECT_GT(norm(m.point[i].p_A - m.point[j].p_A), 1e-6);  // both shapes have this lean
  double nearest = kFarAway;
  for (int k = 0; k < m.count; ++k) nearest = std::min(nearest, norm(m.point[k].p_A - expected));
  return nearest;
}

TEST(Foot, HasAPointWhereItsBodyWouldTip) {
  const double r = 0.1;
  for (double angle = 0.05; angle < 2 * std::numbers::pi; angle += 0.4) {
    const Vec u = {std::cos(angle), std::sin(angle), 0}, along = u - Vec{0, 0, 3};
    const TestShape cylinder = make_shape(GeomType::kCylinder, {r, 0.3, 0}, {0.2, 0.1, 0.3});
    EXPECT_LE(distance_of_tipping_point(cylinder, along, Vec{0.2, 0.1, 0} + r * u), kPlace) << angle;
    const TestShape beside = make_shape(GeomType::kCylinder, {r, 0.3, 0}, {0.95, 0.1, 0.3});  // 50 mm over the edge
    const double to_edge = u.x > 0 ? 0.05 / u.x : kFarAway;
    EXPECT_LE(distance_of_tipping_point(beside, along, Vec{0.95, 0.1, 0} + std::min(r, to_edge) * u), 2e-4) << angle;
  }
}

/// B crosses A over its middle at `angle`, `gap` above it.
struct Rods {
  TestShape A, B;
};
Rods crossed_rods(Random& random, const TestShape& A, const TestShape& B, double angle, double gap) {
  Rods rods = {A, B};
  rods.A.rotation = random_rotation(random);
  rods.B.rotation = rods.A.rotation;
  const Vec n = rods.A.rotation.column(0);
  turn(rods.B, n, angle);
  rods.A.position = random_direction(random);
  rods.B.position = rods.A.position + (A.size.x + B.size.x + gap) * n;
  return rods;
}

TEST(CrossedRods, FaceEachOtherWhereverTheyTouch) {
  Random random(14);
  const TestShape capsule = make_shape(GeomType::kCapsule, {0.005, 0.5, 0});
  const TestShape cylinder = make_shape(GeomType::kCylinder, {0.01, 0.4, 0});
  const TestShape pairs[][2] = {{capsule, capsule}, {capsule, cylinder}, {cylinder, cylinder}};
  int points = 0;
  for (const auto& pair : pairs)
    for (double angle : {1e-6, 1e-4, 1e-3, 0.01, 0.02, 0.045, -0.003, 3.14})
      for (double gap : {-1e-5, 0.0, 1e-6, 1e-4}) {
        const Rods rods = crossed_rods(random, pair[0], pair[1], angle, gap);
        const Manifold<double> m = collide_shapes(rods.A, rods.B, 0.01);
        ASSERT_GE(m.count, 1);
        EXPECT_NEAR(m.point[0].gap, gap, kPlace);
        for (int i = 1; i < m.count; ++i, ++points) {
          EXPECT_LE(distance_from_surface(rods.A, m.point[i].p_A), kPlace) << angle;
          EXPECT_LE(distance_from_surface(rods.B, m.point[i].p_B), kPlace) << angle;
          EXPECT_LE(norm(cross(m.point[i].normal, m.point[i].p_B - m.point[i].p_A)), kPlace) << angle;
        }
      }
  EXPECT_GT(points, 100);
}

TEST(CapsuleOnCylinder, HasANormalSquareToBothAxes) {
  Random random(15);
  const TestShape capsule = make_shape(GeomType::kCapsule, {0.03, 0.2, 0});
  const TestShape cylinder = make_shape(GeomType::kCylinder, {0.07, 0.3, 0});
  for (int k = 0; k < 200; ++k) {
    const double gap = uniform(random, -0.02, 0.02);
    const Rods rods = crossed_rods(random, capsule, cylinder, uniform(random, 0.1, 1.5), gap);
    const Manifold<double> m = collide_shapes(rods.A, rods.B);
    ASSERT_EQ(m.count, 1);
    EXPECT_NEAR(m.point[0].gap, gap, 1e-14);
    expect_vec_near(m.point[0].normal, rods.A.rotation.column(0), 1e-13);
  }
}

/// A lying capsule or cylinder over the edge x = 1 of a table: `beyond` it, turned by `yaw` and `tilt`.
template <class Real>
void expect_both_ends(const TestShape& rod, const TestShape& below, double beyond, double yaw, double tilt) {
  const double length = 2 * rod.size.y, outside = clip_slack<Real>() + 16 * std::numeric_limits<Real>::epsilon();
  TestShape lying = rod;
  lying.position = {1 + beyond, 0, rod.size.x};
  turn(lying, kX, kRight + tilt);
  turn(lying, {0, 0, 1}, yaw);
  if (sizeof(Real) == 4) lying = in_single_precision(lying);
  const Manifold<Real> m = collide_shapes<Real>(lying, below, 0.02);
  ASSERT_GE(m.count, 2) << beyond << " " << yaw << " " << tilt;
  Random random(16);
  const double distance = -least_overlap(random, lying, below, widened(m.point[0].normal), 100);
  double low = kFarAway, high = -kFarAway;
  for (int k = 0; k < m.count; ++k) {
    const Vec p_A = widened(m.point[k].p_A), p_B = widened(m.point[k].p_B);
    EXPECT_LE(signed_distance(lying, p_A), outside) << beyond << " " << yaw << " " << tilt;
    EXPECT_GE(signed_distance(lying, p_A), -kUnderSurface);
    EXPECT_LE(signed_distance(below, p_B), outside) << beyond << " " << yaw << " " << tilt;
    EXPECT_GE(m.point[k].gap, distance - outside);
    low = std::min(low, p_B.y), high = std::max(high, p_B.y);
  }
  EXPECT_GE(high - low, 0.98 * length) << beyond << " " << yaw << " " << tilt;
}

TEST(RodAlongAnEdge, HasBothEndsWhateverItsNoise) {
  const TestShape rods[] = {make_shape(GeomType::kCapsule, {0.04, 0.06, 0}),
                            make_shape(GeomType::kCylinder, {0.05, 0.05, 0})};
  const double noises[] = {0, 1e-9, -1e-9, 1e-8, -1e-8, 1e-7, -1e-7, 1e-6, -1e-6, 1e-5, -1e-5, 1e-4, -1e-4};
  for (const TestShape& rod : rods)
    for (const TestShape& below : {table(), table_mesh()})
      for (double beyond : noises)
        for (double yaw : noises)
          for (double tilt : {0.0, 1e-8, -1e-6, 1e-4}) {
            expect_both_ends<double>(rod, below, beyond, yaw, tilt);
            expect_both_ends<float>(rod, below, beyond, yaw, tilt);
          }
}

/// A table whose edge x = 1 is bowed outwards by `bow`, with three more corners near its middle.
TestShape bowed_table(double bow) {
  std::vector<std::array<double, 3>> points;
  for (double z : {0.0, -0.2}) {
    for (double x : {-1.0, 1.0})
      for (double y : {-1.0, 1.0}) points.push_back({x, y, z});
    for (double y : {-0.05, 0.0, 0.05}) points.push_back({1 + bow * (1 - y * y), y, z});
  }
  return make_mesh(convex_hull(points));
}

TEST(RodAlongAnEdge, HasBothEndsWhereTheEdgeIsManyEdges) {
  const TestShape rods[] = {make_shape(GeomType::kCapsule, {0.04, 0.2, 0}),
                            make_shape(GeomType::kCylinder, {0.05, 0.15, 0})};
  for (const TestShape& rod : rods)
    for (double bow : {1e-6, 1e-5, 1e-4})
      for (double beyond : {-1e-5, -1e-6, -1e-7, 0.0, 1e-7, 1e-6, 1e-5})
        for (double yaw : {0.0, 1e-8, -1e-6}) expect_both_ends<double>(rod, bowed_table(bow), beyond, yaw, 0);
}

TEST(ThinSlab, TouchesLikeABox) {
  const TestShape slab = make_mesh(box_hull({0.1, 0.1, 1e-6}), {0, 0, 1e-6});
  const Manifold<double> m = collide_shapes(table_mesh(), slab, 0.005);
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR(m.point[0].gap, 0, kPlace);
  EXPECT_EQ(m.point[0].normal.z, 1);
}

}  // namespace
}  // namespace stiction::test
