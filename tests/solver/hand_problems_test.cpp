// Problems with answers known by hand.
#include <gtest/gtest.h>

#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// A point mass (x, y, z) above a plane z >= 0, gap in metres.
RawProblem<double> point_on_plane(double mass, std::array<double, 3> velocity, double gap, double mu) {
  RawProblem<double> p;
  p.step_size = 0.01;
  const double h = p.step_size;
  p.add_block({mass, mass, mass}, {mass * velocity[0], mass * velocity[1], mass * (velocity[2] - 10 * h)}, {1, 1, 1},
              {mass, mass, mass});
  RawContact<double> c;
  c.block = {-1, 0};
  c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  c.gap_rate = gap / h, c.mu_t = c.mu_o = mu;
  p.contacts.push_back(c);
  return p;
}

TEST(InteriorPoint, HoldsAPointAtRestOnAPlane) {
  auto p = point_on_plane(2.0, {0, 0, 0}, 0.0, 0.5);
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  for (double v : a.v) EXPECT_NEAR(v, 0.0, kHandNumber);
  EXPECT_NEAR(a.lambda[0], 0.2, kHandNumber);  // m g h
  EXPECT_NEAR(a.lambda[1], 0.0, kHandNumber);
}

TEST(InteriorPoint, LetsAPointFallWhileTheGapLasts) {
  auto p = point_on_plane(2.0, {0, 0, 0}, 1.0, 0.5);
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[2], -0.1, kHandNumber);
  EXPECT_NEAR(a.lambda[0], 0.0, kHandNumber);
}

TEST(InteriorPoint, SlidesWithTheBoundaryLayerOfAnitescu) {
  // v_z = μ v_x holds along the facet; λ = β (1, −μ): m (v_x − 1) = −μβ, m (μ v_x) + m g h = β
  auto p = point_on_plane(1.0, {1, 0, 0}, 0.0, 0.5);
  const auto a = solve(p, kAsked);
  const double mu = 0.5, gh = 0.1, v_x = (1 - mu * gh) / (1 + mu * mu), beta = mu * v_x + gh;
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], v_x, kHandNumber);
  EXPECT_NEAR(a.v[2], mu * v_x, kHandNumber);
  EXPECT_NEAR(a.lambda[0], beta, kHandNumber);
  EXPECT_NEAR(a.lambda[1], -mu * beta, kHandNumber);
}

TEST(InteriorPoint, AnObliqueSlideUsesThePolyhedralNorm) {
  // along the diagonal both facets of the edge carry the same: D = μ (1, 1)/2 of each, |D·v| = μ max(v_x, v_y)
  auto p = point_on_plane(1.0, {1, 1, 0}, 0.0, 0.5);
  const auto a = solve(p, kAsked);
  const double mu = 0.5, gh = 0.1, v = (1 - mu * gh / 2) / (1 + mu * mu / 2);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], v, kHandNumber);
  EXPECT_NEAR(a.v[1], v, kHandNumber);
  EXPECT_NEAR(a.v[2], mu * v, kHandNumber);
}

TEST(InteriorPoint, FollowsAConveyor) {
  // surface velocity −b of the scripted side enters as an offset of J v: stick means v = conveyor's
  auto p = point_on_plane(1.0, {0, 0, 0}, 0.0, 0.5);
  p.contacts[0].offset = {0, -0.04, 0};
  const auto a = solve(p, kAsked);
  const double mu = 0.5, gh = 0.1;
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.04, kHandNumber);  // needs m 0.04 <= μ m g h = 0.05
  EXPECT_NEAR(a.lambda[1], 0.04, kHandNumber);
  EXPECT_LE(a.lambda[1], mu * gh + kHandNumber);
}

/// A box of 6 dofs on a plane with n contacts per corner.
RawProblem<double> box_on_plane(int copies, double mass_in_H) {
  RawProblem<double> p;
  p.step_size = 0.1;
  const double h = p.step_size, m = 0.1, I = 6e-5, w = mass_in_H;
  p.add_block({w * m, w * m, w * m, w * I, w * I, w * I}, {0, 0, -h * m * 10, 0, 0, 0}, {1, 1, 1, .03, .03, .03},
              {m, m, m, I, I, I});
  for (int k = 0; k < 4 * copies; ++k) {
    const double x = k % 2 ? 0.03 : -0.03, y = (k / 2) % 2 ? 0.03 : -0.03, z = -0.03;
    RawContact<double> c;
    c.block = {-1, 0};
    c.J[1] = {0, 0, 1, y, -x, 0, /**/ 1, 0, 0, 0, z, -y, /**/ 0, 1, 0, -z, 0, x};
    c.mu_t = c.mu_o = 0.5;
    p.contacts.push_back(c);
  }
  return p;
}

TEST(InteriorPoint, RedundantCornersShareTheWeight) {
  for (const double mass_in_H : {0.0, 1.0}) {
    auto p = box_on_plane(5, mass_in_H);
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << mass_in_H;
    double sum = 0;
    for (std::size_t i = 0; i < p.contacts.size(); ++i) sum += a.lambda[3 * i];
    EXPECT_NEAR(sum, 0.1, kHandNumber);
    for (double v : a.v) EXPECT_NEAR(v, 0.0, kHandNumber);
  }
}

/// P1 as printed: q = [x_c, y_c, x_l, x_r, y], three planar contacts; facets = 4 with J_o = 0.
RawProblem<double> gripper_step(const std::array<double, 5>& q, const std::array<double, 3>& command, double h) {
  RawProblem<double> p;
  p.step_size = h;
  const double K = 1000, r = 0.1;
  p.add_block({0, 0}, {0, -10 * h}, {1, 1}, {1, 1});
  const double k = h * h * K;
  p.add_block({k, k, k}, {h * K * (command[0] - q[2]), h * K * (command[1] - q[3]), h * K * (command[2] - q[4])},
              {1, 1, 1}, {0, 0, 0});
  const auto add = [&](double gap, std::vector<double> J_ball, std::vector<double> J_fingers, int fingers) {
    RawContact<double> c;
    c.block = {0, fingers};
    c.J = {std::move(J_ball), std::move(J_fingers)};
    c.gap_rate = gap / h, c.mu_t = c.mu_o = 0.5;
    p.contacts.push_back(c);
  };
  add(q[0] - q[2] - r, {1, 0, 0, 1, 0, 0}, {-1, 0, 0, 0, 0, -1, 0, 0, 0}, 1);
  add(q[3] - q[0] - r, {-1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 0, -1, 0, 0, 0}, 1);
  add(q[1] - r, {0, 1, 1, 0, 0, 0}, {}, -1);
  return p;
}

std::array<double, 3> gripper_command(double t) {
  const double times[] = {0, .08, .23}, left[] = {-.106, -.09, -.09}, height[] = {0, 0, -.03};
  int k = 0;
  while (k < 1 && t > times[k + 1]) ++k;
  const double s = std::fmin(1.0, (t - times[k]) / (times[k + 1] - times[k]));
  const double x = left[k] + s * (left[k + 1] - left[k]);
  return {x, -x, height[k] + s * (height[k + 1] - height[k])};
}

TEST(InteriorPoint, ReproducesTheGripperOfThe2021Paper) {
  const double h = 0.01;
  std::array<double, 5> q{0, .1, -.106, .106, 0};
  for (int step = 0; step < 35; ++step) {
    auto p = gripper_step(q, gripper_command((step + 1) * h), h);
    const auto a = solve(p, 1e-10);
    ASSERT_TRUE(a.has(status::kConverged)) << "step " << step << " residual " << a.report.residual;
    for (std::size_t j = 0; j < 5; ++j) q[j] += h * a.v[j];
    const double normal = a.lambda[0] / h, friction = (a.lambda[1] + a.lambda[4]) / h, floor = a.lambda[6] / h;
    if (step >= 3 && step <= 7) {
      EXPECT_NEAR(normal, 2.0 * (step - 2), 1e-6) << step;
    }
    if (step >= 8 && step <= 12) {
      EXPECT_NEAR(friction, -2.0 * (step - 7), 1e-6) << step;
      EXPECT_NEAR(floor, 10 + 2.0 * (step - 7), 1e-6) << step;
    }
    if (step >= 13 && step <= 22) {
      EXPECT_NEAR(q[0] - q[2] - .1, 1e-3 * (1 - std::pow(3.0, -(step - 12))), 1e-9) << step;
    }
  }
}

TEST(InteriorPoint, LeavesAloneWhatNothingMoves) {
  // frictionless floor, H = 0: x and y are free and must stay
  auto p = point_on_plane(1.0, {0, 0, 0}, 0.0, 0.0);
  p.H[0].assign(9, 0.0);
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  for (double v : a.v) EXPECT_NEAR(v, 0.0, kHandNumber);
}

/// A free point that a face with normal n must not meet: n·v >= 1.
RawProblem<double> pushed_point(const std::array<double, 3>& n, double mass) {
  RawProblem<double> p;
  p.add_block({0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {mass, mass, mass});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {n[0], n[1], n[2], 1, 0, 0, 0, 1, 0}, c.gap_rate = -1;
  p.contacts.push_back(c);
  return p;
}

TEST(InteriorPoint, MovesNoFurtherThanItIsPushed) {
  auto p = pushed_point({.6, 0, .8}, 0.1);
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.6, kHandNumber);
  EXPECT_NEAR(a.v[1], 0.0, kHandNumber);
  EXPECT_NEAR(a.v[2], 0.8, kHandNumber);
}

TEST(InteriorPoint, AWarmStartDoesNotKeepABodyMoving) {
  auto p = pushed_point({.6, 0, .8}, 0.1);
  auto moving = solve(p, kAsked);
  p.contacts[0].gap_rate = 1;  // the push is over
  const auto a = solve(p, kAsked, &moving);
  ASSERT_TRUE(a.has(status::kConverged));
  for (double v : a.v) EXPECT_NEAR(v, 0.0, kHandNumber);
}

TEST(InteriorPoint, TheLighterBodyGivesWay) {
  // two points pushed apart by 1: least m1 v1² + m2 v2² is v1 = −m2/(m1 + m2)
  RawProblem<double> p;
  for (const double m : {3.0, 1.0}) p.add_block({0}, {0}, {1}, {m});
  RawContact<double> c;
  c.block = {0, 1}, c.J = {std::vector<double>{-1, 0, 0}, std::vector<double>{1, 0, 0}}, c.gap_rate = -1;
  p.contacts.push_back(c);
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], -0.25, 1e-4);  // the weight has a floor of 1e-4 of the largest
  EXPECT_NEAR(a.v[1], 0.75, 1e-4);
}

TEST(InteriorPoint, SolvesAProblemWithoutContacts) {
  RawProblem<double> p;
  p.add_block({2, 4}, {1, 1}, {1, 1}, {0, 0});
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.5, kHandNumber);
  EXPECT_NEAR(a.v[1], 0.25, kHandNumber);
}

TEST(InteriorPoint, SolvesAnEmptyProblem) {
  RawProblem<double> p;
  const auto a = solve(p, kAsked);
  EXPECT_TRUE(a.has(status::kConverged));
  EXPECT_EQ(a.report.residual, 0.0);
}

TEST(InteriorPoint, SaysNotFiniteForEveryKindOfBadNumber) {
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};
  for (const double x : bad)
    for (int place = 0; place < 7; ++place) {
      auto p = point_on_plane(1.0, {0, 0, 0}, 0.0, 0.5);
      double* field[] = {
          &p.H[0][4],          &p.g[1],   &p.contacts[0].J[1][2], &p.contacts[0].gap_rate, &p.contacts[0].offset[1],
          &p.contacts[0].mu_t, &p.M[0][0]};
      *field[place] = x;
      const auto a = solve(p, kAsked);
      EXPECT_EQ(a.report.status, status::kNotFinite) << place;
      for (double v : a.v) EXPECT_EQ(v, 0.0);
      for (double l : a.lambda) EXPECT_EQ(l, 0.0);
    }
}

TEST(InteriorPoint, HugeNumbersEndWithFiniteAnswers) {
  for (const double size : {1e-300, 1e-100, 1e100, 1e300}) {
    auto p = point_on_plane(1.0, {0, 0, 0}, 0.0, 0.5);
    p.g[2] = -size;
    const auto a = solve(p, kAsked);
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << size;
    for (double l : a.lambda) EXPECT_TRUE(std::isfinite(l)) << size;
  }
}

}  // namespace
}  // namespace stiction::test
