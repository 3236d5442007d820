// Motions of a step: on the arc about an axis, or straight, and always to the same end.
#include "kernels/collision/shape_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stiction::test {
namespace {

constexpr double kSlack = 1e-6;  // [m]

/// The motion of a body whose point `centre` starts with the way `way` and goes by `shift` [m], and which turns by
/// `turn` [rad].
template <class Real>
ShapeMotion<Real> motion_of(Vec3<Real> centre, Vec3<Real> way, Vec3<Real> shift, Vec3<Real> turn) {
  ShapeMotion<Real> motion{};
  motion.centre = centre, motion.shift = shift, motion.turn = turn, motion.bend = way - shift;
  follow_path(Real(kSlack), motion);
  return motion;
}

/// The motion of a link by the turn of its hinge through `axis`.
template <class Real>
ShapeMotion<Real> of_hinge(Vec3<Real> axis, Vec3<Real> centre, Vec3<Real> turn) {
  const Vec3<Real> shift = axis + rotate(exp_quat(turn), centre - axis) - centre;
  return motion_of(centre, cross(turn, centre - axis), shift, turn);
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
    const ShapeMotion<Real> motion = of_hinge(axis, centre, turn);
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
  const ShapeMotion<Real> motion = motion_of<Real>({0, 0, Real(0.1)}, way, way, {0, Real(0.5), 0});
  EXPECT_EQ(norm(motion.shift - way), 0);
  EXPECT_EQ(motion.centre.z, Real(0.1));
}

TYPED_TEST(MotionOf, TheSecondOfTwoLinksInAPlaneIsFollowedToThirdOrder) {
  using Real = TypeParam;
  using Vector = Vec3<Real>;
  const auto error = [](double angle) {
    const Vector shoulder{0, 0, Real(angle)}, elbow{0, 0, Real(-1.3 * angle)}, joint{Real(0.4), 0, 0};
    const Vector centre{Real(0.4), Real(0.3), 0}, p{Real(0.5), Real(0.4), Real(0.1)};
    const auto place = [&](const Vector& of, double f) {
      return rotate(exp_quat(Real(f) * shoulder), joint + rotate(exp_quat(Real(f) * elbow), of - joint));
    };
    const Vector way = cross(shoulder, centre) + cross(elbow, centre - joint);
    const ShapeMotion<Real> motion = motion_of<Real>(centre, way, place(centre, 1) - centre, shoulder + elbow);
    EXPECT_NEAR(norm(point_at(motion, p, Real(1)) - place(p, 1)), 0, sizeof(Real) == 4 ? 1e-5 : 1e-13);
    double worst = 0;
    for (double f = 0.1; f < 1; f += 0.1)
      worst = std::max<double>(worst, norm(point_at(motion, p, Real(f)) - place(p, f)));
    return worst;
  };
  EXPECT_LE(error(0.4), 0.01 * 0.4 * 0.4);
  EXPECT_LE(error(0.2), error(0.4) / 7);
}

TYPED_TEST(MotionOf, OnlyArcsThatAreToldFromALineAreFollowed) {
  using Real = TypeParam;
  const auto follows = [](double angle) {
    const ShapeMotion<Real> motion = of_hinge<Real>({0, 0, 0}, {1, 0, 0}, {0, 0, Real(angle)});
    return norm(motion.bend) > 0 || motion.centre.x != Real(1);
  };
  EXPECT_TRUE(follows(0.4));
  EXPECT_TRUE(follows(0.004));
  EXPECT_FALSE(follows(0.001));
}

}  // namespace
}  // namespace stiction::test
