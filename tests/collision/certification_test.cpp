// Every pair of shapes over random poses proves its own signed distance; see certificate.hpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "kernels/collision/narrow_phase.hpp"
#include "tests/collision/certificate.hpp"

namespace stiction::test {
namespace {

struct Tolerance {
  double surface = 1e-6;         // a witness from its surface [m]
  double distance = 1e-6;        // the bounds of the distance from each other [m]
  double unit = 1e-12;           // |n| from 1; the gap from n·(p_B − p_A) [m]
  double depth_share = 1e-6;     // depth above the least sampled one, flat-faced pairs [-]
  double curved_share = 1e-5;    // the same with cylinders and ellipsoids [-]
  double depth_floor = 1e-9;     // depths below are contacts, not overlaps [m]
  double float_distance = 1e-4;  // float from double [m]
};
constexpr Tolerance kTolerance;

int poses_per_pair() {
  const char* full = std::getenv("ST_FULL");
  return full != nullptr && *full != 0 ? 10000 : 400;
}
constexpr int kDirections = 2000;

bool is_curved(GeomType type) { return type == GeomType::kCylinder || type == GeomType::kEllipsoid; }

struct Pair {
  GeomType A, B;
};

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (int a = 0; a < kGeomTypes; ++a)
    for (int b = std::max(a, 1); b < kGeomTypes; ++b)
      pairs.push_back({static_cast<GeomType>(a), static_cast<GeomType>(b)});
  return pairs;
}

std::string describe(const TestShape& s) {
  std::string text = std::string(name_of(s.type)) + " size";
  char number[64];
  const auto put = [&](double x) { std::snprintf(number, sizeof number, " %.17g", x), text += number; };
  for (int i = 0; i < 3; ++i) put(s.size[i]);
  text += " at";
  for (int i = 0; i < 3; ++i) put(s.position[i]);
  text += " turned";
  for (int i = 0; i < 9; ++i) put(s.rotation.m[i]);
  return text + " vertices " + std::to_string(s.hull.num_vertices());
}

class CollisionOf : public testing::TestWithParam<Pair> {
 protected:
  CollisionScratch<double> scratch_ = {};
  CollisionScratch<float> scratch_float_ = {};
  Random random_{20};

  void certify_normal_and_witnesses(const TestShape& A, const TestShape& B, const Manifold<double>& m) {
    ASSERT_GE(m.count, 1);
    ASSERT_LE(m.count, kMaxManifold);
    for (int k = 0; k < m.count; ++k) {
      const ContactPoint<double>& c = m.point[k];
      ASSERT_NEAR(norm(c.normal), 1, kTolerance.unit);
      ASSERT_NEAR(c.gap, dot(c.normal, c.p_B - c.p_A), kTolerance.unit);
      ASSERT_GE(c.gap, m.point[0].gap - kTolerance.distance) << "point " << k;
    }
    ASSERT_LE(distance_from_surface(A, m.point[0].p_A), kTolerance.surface);
    ASSERT_LE(distance_from_surface(B, m.point[0].p_B), kTolerance.surface);
  }

  void certify_distance(const TestShape& A, const TestShape& B, const ContactPoint<double>& c) {
    const double overlap = overlap_along(A, B, c.normal);
    ASSERT_NEAR(-overlap, c.gap, kTolerance.distance);
    if (c.gap > 0) {
      ASSERT_LE(norm(c.p_B - c.p_A), c.gap + kTolerance.distance);
      return;
    }
    if (A.type == GeomType::kPlane) return;  // only one direction separates
    const double share = is_curved(A.type) || is_curved(B.type) ? kTolerance.curved_share : kTolerance.depth_share;
    const double least = least_overlap(random_, A, B, c.normal, kDirections);
    ASSERT_LE(overlap, (1 + share) * least + kTolerance.depth_floor);
  }

  void certify_separation(const Placed<double>& A, const Placed<double>& B, const ContactPoint<double>& c) {
    ASSERT_NEAR(separation_along(A.shape, B.shape, c.normal), c.gap, kTolerance.distance);
    if (GetParam().A == GeomType::kPlane) return;  // only one direction separates
    for (int k = 0; k < 100; ++k)
      ASSERT_LE(separation_along(A.shape, B.shape, random_direction(random_)), c.gap + kTolerance.distance);
  }

  void certify(const TestShape& A, const TestShape& B) {
    const Placed<double> a(A), b(B);
    Manifold<double> found;
    collide(a.shape, b.shape, 10.0, scratch_, found);
    certify_normal_and_witnesses(A, B, found);
    if (HasFatalFailure()) return;
    certify_distance(A, B, found.point[0]);
    if (HasFatalFailure()) return;
    certify_separation(a, b, found.point[0]);
    const Placed<float> a_float(A), b_float(B);
    Manifold<float> found_float;
    collide(a_float.shape, b_float.shape, 10.0f, scratch_float_, found_float);
    ASSERT_GE(found_float.count, 1);
    ASSERT_NEAR(found_float.point[0].gap, found.point[0].gap, kTolerance.float_distance);
    Manifold<double> too_far;
    collide(a.shape, b.shape, found.point[0].gap - 2 * kTolerance.distance, scratch_, too_far);
    ASSERT_EQ(too_far.count, 0);
  }
};

TEST_P(CollisionOf, RandomPosesProvesItsSignedDistance) {
  const int poses = poses_per_pair();
  for (int k = 0; k < poses; ++k) {
    const SizeKind sizes = k % 4 == 3 ? SizeKind::kDegenerate : SizeKind::kOrdinary;
    TestShape A = random_shape(random_, GetParam().A, sizes), B = random_shape(random_, GetParam().B, sizes);
    pose_pair(random_, static_cast<PoseKind>(k % kPoseKinds), A, B);
    certify(A, B);
    ASSERT_FALSE(HasFatalFailure()) << "pose " << k << "\n" << describe(A) << "\n" << describe(B);
  }
}

TEST_P(CollisionOf, AGuessOfTheNormalChangesNoDistance) {
  for (int k = 0; k < 400; ++k) {
    const SizeKind sizes = k % 4 == 3 ? SizeKind::kDegenerate : SizeKind::kOrdinary;
    TestShape A = random_shape(random_, GetParam().A, sizes), B = random_shape(random_, GetParam().B, sizes);
    pose_pair(random_, static_cast<PoseKind>(k % kPoseKinds), A, B);
    const Placed<double> a(A), b(B);
    Manifold<double> found, again;
    scratch_.guess = {0, 0, 0};
    collide(a.shape, b.shape, 10.0, scratch_, found);
    ASSERT_GE(found.count, 1);
    const Vec normal = found.point[0].normal;
    const double gap = found.point[0].gap;
    for (const Vec& guess : {normal, -normal, 1e3 * normal, 0.3 * random_direction(random_)}) {
      scratch_.guess = guess;
      collide(a.shape, b.shape, 10.0, scratch_, again);
      ASSERT_GE(again.count, 1) << "pose " << k;
      ASSERT_NEAR(again.point[0].gap, gap, kTolerance.distance) << "pose " << k << "\n" << describe(A) << describe(B);
      ASSERT_NEAR(norm(again.point[0].normal), 1, kTolerance.unit);
      collide(a.shape, b.shape, gap - 2 * kTolerance.distance, scratch_, again);
      ASSERT_EQ(again.count, 0) << "pose " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPair, CollisionOf, testing::ValuesIn(all_pairs()), [](const auto& info) {
  return std::string(name_of(info.param.A)) + "_" + name_of(info.param.B);
});

}  // namespace
}  // namespace stiction::test
