// Claims: what pushed a body is found again from its motion; forces spread over a line or a face act as one at their
// centre of pressure; what nothing pushed has no contact. (Xie & Chakraborty, Proposition 2.)
#include <gtest/gtest.h>

#include "tests/api/motions.hpp"
#include "tests/api/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr int kSamples = 1000;
using tolerance::kAsked;

struct Push {
  Vector3d point;
  double p_n, p_t, p_o, p_r;

  Vector3d linear(const Motion& m) const { return p_n * m.normal + p_t * m.tangent + p_o * m.normal.cross(m.tangent); }
  Vector3d angular(const Motion& m) const { return (point - m.position).cross(linear(m)) + p_r * m.normal; }
};

Push random_push(Rng& rng, const Motion& m) {
  return {random_point(rng, m), uniform(rng, 0.1, 10), uniform(rng, -5, 5), uniform(rng, -5, 5), uniform(rng, -2, 2)};
}

Push push_of(const EquivalentContacts& found, std::size_t i) {
  const Vector3d point = Eigen::Map<const Vector3d>(found.point.data() + 3 * i);
  return {point, found.p_n[i], found.p_t[i], found.p_o[i], found.p_r[i]};
}

void expect_same(const Push& found, const Push& expected, const Motion& m) {
  const double size = expected.linear(m).norm(), arm = (expected.point - m.position).norm();
  EXPECT_LE((found.point - expected.point).norm(), kAsked * expected.point.norm());
  EXPECT_NEAR(found.p_n, expected.p_n, kAsked * size);
  EXPECT_NEAR(found.p_t, expected.p_t, kAsked * size);
  EXPECT_NEAR(found.p_o, expected.p_o, kAsked * size);
  EXPECT_NEAR(found.p_r, expected.p_r, kAsked * (size * arm + std::fabs(expected.p_r)));
}

class EveryGyroscopicTerm : public testing::TestWithParam<Gyroscopic> {};
INSTANTIATE_TEST_SUITE_P(, EveryGyroscopicTerm,
                         testing::Values(Gyroscopic::kNone, Gyroscopic::kOfTheEnd, Gyroscopic::kInTheMomentum));

TEST_P(EveryGyroscopicTerm, GivesBackARandomPush) {
  Rng rng(1);
  std::vector<Motion> motions;
  std::vector<Push> pushes;
  for (int k = 0; k < kSamples; ++k) {
    Motion m = random_motion(rng);
    pushes.push_back(random_push(rng, m));
    move(pushes.back().linear(m), pushes.back().angular(m), GetParam(), m);
    motions.push_back(m);
  }
  const MotionBatch batch(motions, GetParam());
  const EquivalentContacts found = contact_from_motion(batch.view);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    ASSERT_EQ(found.valid[i], 1);
    expect_same(push_of(found, i), pushes[i], motions[i]);
  }
}

/// D of (27).
Eigen::Matrix4d system_matrix(const Vector3d& A, const Vector3d& n) {
  Eigen::Matrix4d D = Eigen::Matrix4d::Zero();
  D.topLeftCorner<3, 3>() << 0, A.z(), -A.y(), -A.z(), 0, A.x(), A.y(), -A.x(), 0;
  D.topRightCorner<3, 1>() = n, D.bottomLeftCorner<1, 3>() = n.transpose();
  return D;
}

TEST(ContactFromMotion, SolvesTheSystemOfThePaper) {
  Rng rng(2);
  for (int k = 0; k < kSamples; ++k) {
    Motion m = random_motion(rng);
    const Push push = random_push(rng, m);
    move(push.linear(m), push.angular(m), Gyroscopic::kOfTheEnd, m);
    const Vector3d A = m.mass * (m.after - m.before).head<3>() - m.impulse.head<3>(), spin = m.after.tail<3>();
    const Vector3d B =
        m.inertia * (m.after - m.before).tail<3>() + m.h * spin.cross(m.inertia * spin) - m.impulse.tail<3>();
    const Eigen::Matrix4d D = system_matrix(A, m.normal);
    const Eigen::Vector4d right{B.x(), B.y(), B.z(), m.offset - m.normal.dot(m.position)};
    const Eigen::Vector4d solution = D.fullPivLu().solve(right);
    const MotionBatch batch({m}, Gyroscopic::kOfTheEnd);
    const Push found = push_of(contact_from_motion(batch.view), 0);
    expect_same(found,
                {m.position + solution.head<3>(), m.normal.dot(A), m.tangent.dot(A), m.normal.cross(m.tangent).dot(A),
                 solution[3]},
                m);
    EXPECT_NEAR(D.determinant(), -found.p_n * found.p_n, kAsked * A.squaredNorm());  // (28) is printed as A·n
  }
}

/// Pushes at the corners, with friction of each its own; the one push at their centre of pressure that does the same.
Push push_by_corners(Rng& rng, const std::vector<Vector3d>& corners, Motion& m) {
  const Vector3d t = m.tangent, o = m.normal.cross(t);
  std::vector<double> normal;
  std::vector<Vector3d> friction;
  Push whole{Vector3d::Zero(), 0, 0, 0, 0};
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  for (const Vector3d& x : corners) {
    normal.push_back(uniform(rng, 0, 2)), friction.push_back(uniform(rng, -1, 1) * t + uniform(rng, -1, 1) * o);
    const Vector3d impulse = normal.back() * m.normal + friction.back();
    linear += impulse, angular += (x - m.position).cross(impulse);
    whole.p_n += normal.back(), whole.p_t += friction.back().dot(t), whole.p_o += friction.back().dot(o);
    whole.point += normal.back() * x;
  }
  whole.point /= whole.p_n;
  for (std::size_t k = 0; k < corners.size(); ++k)
    whole.p_r += m.normal.dot((corners[k] - whole.point).cross(friction[k]));
  move(linear, angular, Gyroscopic::kNone, m);
  return whole;
}

/// A body on `count` corners of one plane: 1 a point, 2 a line, more a face.
class EveryPatch : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, EveryPatch, testing::Values(1, 2, 3, 4, 7));

TEST_P(EveryPatch, ActsAtItsCentreOfPressure) {
  Rng rng(3);
  for (int k = 0; k < kSamples / 10; ++k) {
    Motion m = random_motion(rng);
    std::vector<Vector3d> corners;
    for (int i = 0; i < GetParam(); ++i) corners.push_back(random_point(rng, m));
    const Push whole = push_by_corners(rng, corners, m);
    const MotionBatch batch({m});
    expect_same(push_of(contact_from_motion(batch.view), 0), whole, m);
  }
}

/// A step of the paper's first scene, a cube that slides on the floor in its closed form: q and ν after step k.
Motion sliding_cube(int k) {
  const double h = 0.01, g = 9.8, mu = 0.12;
  const auto speed = [&](int i) { return 5 - mu * g * h * i; };
  const Vector3d along{0.8, 0.6, 0};
  Motion m;
  m.h = h, m.impulse << 0, 0, -m.mass * g * h, 0, 0, 0;
  m.before.head<3>() = speed(k - 1) * along, m.after.head<3>() = speed(k) * along;
  m.position = Vector3d{0, 0, 0.5} + (5 * k * h - 1.176 * h * h * k * (k + 1) / 2) * along;
  return m;
}

TEST(ContactFromMotion, IsThatOfTheSlidingCubesClosedForm) {
  std::vector<Motion> motions;
  for (int k = 1; k <= 400; ++k) motions.push_back(sliding_cube(k));
  MotionBatch batch(motions, Gyroscopic::kOfTheEnd);
  const Push ahead{{0.048, 0.036, -0.5}, 0.098, -0.12 * 0.098 * 0.8, -0.12 * 0.098 * 0.6, 0};
  const EquivalentContacts found = contact_from_motion(batch.view);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    Push expected = ahead;
    expected.point += motions[i].position;
    expect_same(push_of(found, i), expected, motions[i]);
  }
  batch.view.tangent = {};  // MuJoCo's on a floor: t = y, o = -x
  const EquivalentContacts other = contact_from_motion(batch.view);
  EXPECT_NEAR(other.p_t[0], ahead.p_o, tolerance::kRoundings);
  EXPECT_NEAR(other.p_o[0], -ahead.p_t, tolerance::kRoundings);
}

TEST(ContactFromMotion, HasTheFrameOfContacts) {
  Rng rng(4);
  for (int k = 0; k < kSamples; ++k) {
    Motion m = random_motion(rng);
    move(m.normal, Vector3d::Zero(), Gyroscopic::kNone, m);
    MotionBatch batch({m});
    batch.view.tangent = {};
    const EquivalentContacts found = contact_from_motion(batch.view);
    const Vector3d n = m.normal, e = std::fabs(n.y()) < 0.5 ? Vector3d::UnitY() : Vector3d::UnitZ();
    const Vector3d t = (e - n.dot(e) * n).normalized();
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> frame(found.frame.data());
    EXPECT_LE((frame.row(0).transpose() - n).norm(), tolerance::kRoundings);
    EXPECT_LE((frame.row(1).transpose() - t).norm(), tolerance::kRoundings);
    EXPECT_LE((frame.row(2).transpose() - n.cross(t)).norm(), tolerance::kRoundings);
  }
}

TEST(ContactFromMotion, TakesVectorsOfSinglePrecision) {
  Rng rng(5);
  for (int k = 0; k < kSamples; ++k) {
    Motion m = random_motion(rng);
    const Push push = random_push(rng, m);
    move(push.linear(m), push.angular(m), Gyroscopic::kNone, m);
    Motion longer = m;  // the same plane
    longer.normal *= 1 + 5e-7, longer.offset *= 1 + 5e-7, longer.tangent *= 1 - 5e-7;
    const MotionBatch batch({longer});
    expect_same(push_of(contact_from_motion(batch.view), 0), push, m);
  }
}

bool is_nan(const EquivalentContacts& found, std::size_t i) {
  const Push p = push_of(found, i);
  return p.point.array().isNaN().all() && std::isnan(p.p_n) && std::isnan(p.p_t) && std::isnan(p.p_o) &&
         std::isnan(p.p_r);
}

TEST(ContactFromMotion, IsNoneInFreeFlight) {
  Rng rng(6);
  std::vector<Motion> motions;
  for (int k = 0; k < kSamples; ++k) {
    motions.push_back(random_motion(rng));
    move(Vector3d::Zero(), Vector3d::Zero(), Gyroscopic::kNone, motions.back());
  }
  motions.push_back(Motion{});  // at rest: all impulses are exactly 0
  const MotionBatch batch(motions);
  const EquivalentContacts found = contact_from_motion(batch.view);
  for (std::size_t i = 0; i < motions.size(); ++i) EXPECT_TRUE(found.valid[i] == 0 && is_nan(found, i)) << i;
}

TEST(ContactFromMotion, IsFoundOfAFaintPush) {
  Motion m;
  m.before << 3, -2, 1, 1, 2, 3, m.after = m.before;
  const Push faint{{0.3, 0.2, 0}, 1e-6, 1e-7, -2e-7, 1e-8};
  move(faint.linear(m), faint.angular(m), Gyroscopic::kNone, m);
  const MotionBatch batch({m});
  const EquivalentContacts found = contact_from_motion(batch.view);
  ASSERT_EQ(found.valid[0], 1);
  EXPECT_LE((push_of(found, 0).point - faint.point).norm(), tolerance::kHand);
}

TEST(ContactFromMotion, OfOneEntryMovesNoOther) {
  Rng rng(7);
  std::vector<Motion> motions;
  for (int k = 0; k < 5; ++k) {
    motions.push_back(random_motion(rng));
    const Push push = random_push(rng, motions.back());
    move(push.linear(motions.back()), push.angular(motions.back()), Gyroscopic::kNone, motions.back());
  }
  move(-motions[1].normal, Vector3d::Zero(), Gyroscopic::kNone, motions[1]);  // pulled
  motions[3].after *= 1e300, motions[3].mass = 1e300;                         // overflows
  const MotionBatch batch(motions);
  const EquivalentContacts found = contact_from_motion(batch.view);
  EXPECT_EQ(found.valid, (std::vector<int>{1, 0, 1, 0, 1}));
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const MotionBatch alone({motions[i]});
    const EquivalentContacts single = contact_from_motion(alone.view);
    const Push a = push_of(single, 0), b = push_of(found, i);
    if (found.valid[i] == 0) {
      EXPECT_TRUE(is_nan(single, 0) && is_nan(found, i));
      continue;
    }
    EXPECT_TRUE(a.point == b.point && a.p_n == b.p_n && a.p_t == b.p_t && a.p_o == b.p_o && a.p_r == b.p_r);
  }
}

TEST(ContactFromMotion, OfNoBodiesIsEmpty) {
  const EquivalentContacts found = contact_from_motion({});
  EXPECT_TRUE(found.point.empty() && found.p_n.empty() && found.frame.empty() && found.valid.empty());
}

}  // namespace
}  // namespace stiction::test
