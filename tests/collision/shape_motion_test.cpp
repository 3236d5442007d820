// Motions of a step: on the arc about an axis, or straight, and always to the same end.
#include "kernels/collision/shape_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stiction::test {
namespace {

constexpr double kSlack = 1e-6, kAnyRise = INFINITY;  // [m]

/// The motion of a body whose point `centre` goes straight by `shift` [m], and which turns by `turn` [rad].
template <class Real>
ShapeMotion<Real> straight(Vec3<Real> centre, Vec3<Real> shift, Vec3<Real> turn) {
  ShapeMotion<Real> motion{};
  motion.centre = centre, motion.shift = shift, motion.turn = turn;
  return motion;
}

/// The motion of a link by the turn of its hinge through `axis`, and how its centre starts.
template <class Real>
ShapeMotion<Real> of_hinge(Vec3<Real> axis, Vec3<Real> centre, Vec3<Real> turn, Vec3<Real>& tangent) {
  tangent = cross(turn, centre - axis);
  return straight(centre, axis + rotate(exp_quat(turn), centre - axis) - centre, turn);
}

template <class Real>
class MotionOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MotionOf, Reals);

TYPED_TEST(MotionOf, ALinkOnAHingeKeepsToItsArc) {
  using Real = TypeParam;
  using Vector = Vec3<Real>;
  const Vector axis{Real(0.3), Real(-0.2), Real(0.1)}, centre{Real(0.9), Real(0.1), Real(0.5)}, p{1, 0, 0};
  for (const double angle : {0.02, 0.1, 0.4, 1.0, 2.0, 3.0}) {
    const Vector turn = Real(angle) * Vector{Real(0.48), Real(0.64), Real(-0.6)};
    Vector tangent;
    ShapeMotion<Real> motion = of_hinge(axis, centre, turn, tangent);
    follow_path(tangent, Real(kSlack), Real(kAnyRise), motion);
    const double rounding = sizeof(Real) == 4 ? 3e-5 : 1e-13;
    for (const double f : {0.0, 0.3, 0.5, 0.8, 1.0}) {
      const Vector true_place = axis + rotate(exp_quat(Real(f) * turn), p - axis);
      EXPECT_NEAR(norm(point_at(motion, p, Real(f)) - true_place), 0, rounding) << angle << " rad, f " << f;
    }
  }
}

TYPED_TEST(MotionOf, AWheelThatSpinsOnACarKeepsToItsLine) {
  using Real = TypeParam;
  const Vec3<Real> way{Real(0.05), 0, 0};
  ShapeMotion<Real> motion = straight<Real>({0, 0, Real(0.1)}, way, {0, Real(0.5), 0});
  follow_path(way, Real(kSlack), Real(kAnyRise), motion);
  EXPECT_EQ(norm(motion.shift - way), 0);
  EXPECT_EQ(motion.centre.z, Real(0.1));
}

TYPED_TEST(MotionOf, TheEndOfTwoLinksIsFollowedToThirdOrder) {
  using Real = TypeParam;
  using Vector = Vec3<Real>;
  const auto error = [](double angle) {
    const Vector shoulder{0, 0, Real(angle)}, elbow{0, 0, Real(-1.3 * angle)}, joint{Real(0.4), 0, 0};
    const Vector centre{Real(0.4), Real(0.3), 0}, p{Real(0.5), Real(0.4), Real(0.1)};
    const auto place = [&](const Vector& of, double f) {
      return rotate(exp_quat(Real(f) * shoulder), joint + rotate(exp_quat(Real(f) * elbow), of - joint));
    };
    ShapeMotion<Real> motion = straight<Real>(centre, place(centre, 1) - centre, shoulder + elbow);
    follow_path(cross(shoulder, centre) + cross(elbow, centre - joint), Real(kSlack), Real(kAnyRise), motion);
    EXPECT_NEAR(norm(point_at(motion, p, Real(1)) - place(p, 1)), 0, sizeof(Real) == 4 ? 1e-5 : 1e-13);
    double worst = 0;
    for (double f = 0.1; f < 1; f += 0.1)
      worst = std::max<double>(worst, norm(point_at(motion, p, Real(f)) - place(p, f)));
    return worst;
  };
  EXPECT_LE(error(0.4), 0.01 * 0.4 * 0.4);
  EXPECT_LE(error(0.2), error(0.4) / 7);
}

TYPED_TEST(MotionOf, OnlyArcsWithinTheBoundsAreFollowed) {
  using Real = TypeParam;
  const auto follows = [](double angle, double most) {
    Vec3<Real> tangent;
    ShapeMotion<Real> motion = of_hinge<Real>({0, 0, 0}, {1, 0, 0}, {0, 0, Real(angle)}, tangent);
    const Vec3<Real> line = motion.shift;
    follow_path(tangent, Real(kSlack), Real(most), motion);
    return norm(motion.shift - line) > 0;
  };
  EXPECT_TRUE(follows(0.4, kAnyRise));
  EXPECT_FALSE(follows(0.001, kAnyRise));  // no more than the slack
  const double rise = norm(Vec3<double>{std::cos(0.4) - 1, std::sin(0.4) - 0.4, 0}) / 4;
  EXPECT_TRUE(follows(0.4, 1.05 * rise));
  EXPECT_FALSE(follows(0.4, 0.95 * rise));
}

}  // namespace
}  // namespace stiction::test
