// The residual against numbers worked out by hand.
#include <gtest/gtest.h>

#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// A point of mass 2 on a plane, h = 0.01, g = (0, 0, −1): v = 0, λ_n = 1 solves it.
RawProblem<double> resting_point() {
  RawProblem<double> p;
  p.step_size = 0.01;
  p.add_block({2, 2, 2}, {0, 0, -1}, {1, 1, 1}, {2, 2, 2});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, c.mu_t = c.mu_o = 0.5;
  p.contacts.push_back(c);
  return p;
}

Residual<double> residual_at(RawProblem<double>& p, std::vector<double> v, std::vector<double> lambda,
                             std::vector<double> row_lambda = {}) {
  return certify(p.view(), v, lambda, row_lambda);
}

TEST(Residual, VanishesAtASolution) {
  auto p = resting_point();
  EXPECT_EQ(residual_at(p, {0, 0, 0}, {1, 0, 0}).total, 0.0);
}

TEST(Residual, MotionPartIsRelativeToTheLargestImpulse) {
  auto p = resting_point();
  // Hv − g − Jᵀλ = (0.02, 0, −0.5); ‖Jᵀλ‖∞ = 1.5
  const auto r = residual_at(p, {0.01, 0, 0}, {1.5, 0, 0});
  EXPECT_NEAR(r.motion, 0.5 / 1.5, kExact);
  EXPECT_NEAR(r.objective, 0.5 * 2 * 1e-4, kExact);
}

TEST(Residual, RotationRowsAreDividedByTheirRadius) {
  auto p = resting_point();
  p.dof_radius = {0.1, 1, 1};
  EXPECT_NEAR(residual_at(p, {0.01, 0, 0}, {1, 0, 0}).motion, 0.2, kExact);
}

TEST(Residual, ContactPartMeasuresPenetrationAgainstTheSpeedFloor) {
  auto p = resting_point();
  p.contacts[0].gap_rate = -0.05;
  // u_0 = 1 mm/h = 0.1, ρ = 1/0.1: λ − ρû = 1 + 0.5, distance 0.5, over ρ u_0 = 1
  const auto r = residual_at(p, {0, 0, 0}, {1, 0, 0});
  EXPECT_NEAR(r.contact, 0.5, kExact);
  EXPECT_NEAR(r.violation, 0.05 * 0.01, kExact);
}

TEST(Residual, WithoutFrictionASpeedAlongTheSurfaceIsNoMeasure) {
  auto p = resting_point();
  p.contacts[0].gap_rate = -0.05, p.contacts[0].mu_t = p.contacts[0].mu_o = 0;
  EXPECT_NEAR(residual_at(p, {1e6, 1e6, 0}, {1, 0, 0}).contact, 0.5, kExact);  // as at v = 0
  p.contacts[0].mu_t = p.contacts[0].mu_o = 0.5, p.law = ContactLaw::kFrictionless;
  EXPECT_NEAR(residual_at(p, {1e6, 1e6, 0}, {1, 0, 0}).contact, 0.5, kExact);
}

TEST(Residual, AFarGapBuysNoAccuracy) {
  auto p = resting_point();
  p.contacts[0].gap_rate = 1000;
  // λ = 0.001 at a distance: P_K(λ − ρû) = 0, so the whole impulse counts
  EXPECT_NEAR(residual_at(p, {0, 0, 0}, {0.001, 0, 0}).contact, 0.001, kExact);
}

TEST(Residual, ImpulsesOutsideTheConeCount) {
  auto p = resting_point();
  // (1, 1, 0) onto the ray (1, 0.5, 0): length 1.5/1.25, distance |(−0.2, 0.4)|
  EXPECT_NEAR(residual_at(p, {0, 0, 0}, {1, 1, 0}).contact, std::sqrt(0.2), kExact);
}

TEST(Residual, ASlideWithoutLayerSolvesCoulombAndNotAnitescu) {
  auto p = resting_point();
  p.step_size = 1;
  // û = (0 + ½ · 1, 1, 0) under Coulomb's law, λ = (1, −½, 0): û·λ = 0
  p.law = ContactLaw::kCoulomb;
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox}) {
    p.cone = cone;
    EXPECT_NEAR(residual_at(p, {1, 0, 0}, {1, -0.5, 0}).contact, 0.0, kExact);
    EXPECT_EQ(residual_at(p, {1, 0, 0}, {1, -0.5, 0}).violation, 0.0);
    EXPECT_NEAR(residual_at(p, {1, 0, -0.25}, {1, -0.5, 0}).violation, 0.25, kExact);
  }
  p.law = ContactLaw::kAnitescu, p.cone = ConeType::kQuadratic;
  EXPECT_NEAR(residual_at(p, {1, 0, 0}, {1, -0.5, 0}).violation, 0.5, kExact);
  // λ − ρû = (1, −1.5, 0), nearest (1.4, −0.7, 0)
  EXPECT_NEAR(residual_at(p, {1, 0, 0}, {1, -0.5, 0}).contact, std::sqrt(0.2), kExact);
}

TEST(Residual, FrictionlessImpulsesAreNormal) {
  auto p = resting_point();
  p.law = ContactLaw::kFrictionless;
  EXPECT_EQ(residual_at(p, {0, 0, 0}, {1, 0, 0}).total, 0.0);
  EXPECT_NEAR(residual_at(p, {0, 0, 0}, {1, 0.25, 0}).contact, 0.25, kExact);
  EXPECT_EQ(residual_at(p, {9, 0, 0}, {1, 0, 0}).violation, 0.0);
}

TEST(Residual, ALimitRowIsMeasuredOnItsInterval) {
  auto p = resting_point();
  p.contacts.clear();
  RawRow<double> row;
  row.block = {-1, 0}, row.J[1] = {0, 0, 1}, row.offset = -0.02;
  p.rows.push_back(row);
  // ε = 1, u_0 = 0.1, ρ = 10: λ − ρû = 1 + 0.2
  const auto r = residual_at(p, {0, 0, 0}, {}, {1.0});
  EXPECT_NEAR(r.row, 0.2, kExact);
  EXPECT_NEAR(r.violation, 0.0002, kExact);
}

TEST(Residual, ABoxRowIsMeasuredOnItsInterval) {
  auto p = resting_point();
  p.contacts.clear();
  RawRow<double> row;
  row.block = {-1, 0}, row.J[1] = {0, 0, 1}, row.offset = 0.5, row.lower = -0.25, row.upper = 1.1, row.compliance = 0.1;
  p.rows.push_back(row);
  // û = 0.5 + 0.1, ρ = 10: 1 − 6 clamps to −0.25
  const auto r = residual_at(p, {0, 0, 0}, {}, {1.0});
  EXPECT_NEAR(r.row, 1.25, kExact);
  EXPECT_EQ(r.violation, 0.0);
}

/// Points without inertia and friction: one that 1,000 N s drive down and one that 1 mN s does. Contact 0 holds the
/// heavy one on the ground, contact 1 the light one on the heavy one; `light_first` swaps its sides.
RawProblem<double> gram_on_ton(bool light_first = false) {
  RawProblem<double> p;
  p.step_size = 0.01;
  p.add_block({0}, {-1000}, {1}, {1});
  p.add_block({0}, {-1e-3}, {1}, {1});
  RawContact<double> ground, between;
  ground.block = {-1, 0}, ground.J[1] = {1, 0, 0};
  between.block = {0, 1}, between.J = {std::vector<double>{-1, 0, 0}, std::vector<double>{1, 0, 0}};
  if (light_first) std::swap(between.block[0], between.block[1]), std::swap(between.J[0], between.J[1]);
  p.contacts = {ground, between};
  return p;
}

TEST(Residual, AGramIsJudgedByItsOwnImpulses) {
  for (const bool light_first : {false, true}) {
    auto p = gram_on_ton(light_first);
    EXPECT_NEAR(residual_at(p, {0, 0}, {1000.001, 0, 0, 1e-3, 0, 0}).total, 0.0, kExact);
    // a quarter of the gram is not carried
    EXPECT_NEAR(residual_at(p, {0, 0}, {1000.00075, 0, 0, 0.75e-3, 0, 0}).motion, 0.25, kExact);
  }
}

TEST(Residual, ATonIsJudgedByItsOwnImpulses) {
  auto p = gram_on_ton();
  EXPECT_NEAR(residual_at(p, {0, 0}, {750.001, 0, 0, 1e-3, 0, 0}).motion, 0.25, kExact);
}

TEST(Residual, AContactIsJudgedByItsLighterTree) {
  for (const bool light_first : {false, true}) {
    auto p = gram_on_ton(light_first);
    p.contacts[1].gap_rate = 1;  // u_0 = 0.1, ρ û = 10 S: what presses across the gap counts as a share of the gram
    EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0, 0.5e-3, 0, 0}).contact, 0.5, kExact);
    p.contacts[1].gap_rate = -0.05;  // ρ û = −S/2
    EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0, 1e-3, 0, 0}).contact, 0.5, kExact);
  }
}

TEST(Residual, AContactWithTheGroundIsJudgedByTheBodyOnIt) {
  auto p = gram_on_ton();
  p.contacts[1].block = {-1, 1}, p.contacts[1].gap_rate = 1;
  EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0, 0.5e-3, 0, 0}).contact, 0.5, kExact);
  p.contacts[0].gap_rate = 1;
  EXPECT_NEAR(residual_at(p, {0, 0}, {250, 0, 0, 0, 0, 0}).contact, 0.25, kExact);
}

TEST(Residual, ARowIsJudgedByItsLighterTree) {
  for (const bool light_first : {false, true}) {
    auto p = gram_on_ton(light_first);
    RawRow<double> row;
    row.block = p.contacts[1].block, row.J[0] = {p.contacts[1].J[0][0]}, row.J[1] = {p.contacts[1].J[1][0]};
    row.offset = 1, row.radius = 0.5;
    p.contacts.pop_back(), p.rows.push_back(row);
    // λ/radius = S/2 across an open row
    EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0}, {0.25e-3}).row, 0.5, kExact);
    p.rows[0].offset = -0.1;  // û = 0.05 of u_0 = 0.1
    EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0}, {0.5e-3}).row, 0.5, kExact);
  }
}

TEST(Residual, WhatNothingDrivesIsJudgedByAMillinewton) {
  auto p = gram_on_ton();
  p.g = {0, 0}, p.contacts[1].gap_rate = 1;
  EXPECT_EQ(residual_at(p, {0, 0}, {0, 0, 0, 0, 0, 0}).total, 0.0);
  // h · 1 mN = 1e-5 N s; both trees are out of balance by a quarter of it, and press across the gap with as much
  const auto r = residual_at(p, {0, 0}, {0, 0, 0, 0.25e-5, 0, 0});
  EXPECT_NEAR(r.motion, 0.25, kExact);
  EXPECT_NEAR(r.contact, 0.25, kExact);
}

TEST(Residual, ASqueezedBodyIsJudgedByAThousandthOfTheSqueeze) {
  auto p = gram_on_ton();
  p.g[1] = 0;
  RawContact<double> wall;
  wall.block = {-1, 1}, wall.J[1] = {-1, 0, 0};
  p.contacts.push_back(wall);
  // 2 N s from both sides and 1 mN s more from below: half of a thousandth
  EXPECT_NEAR(residual_at(p, {0, 0}, {1002, 0, 0, 2.001, 0, 0, 2, 0, 0}).motion, 1e-3 / 2.001e-3, kExact * 1e3);
  RawRow<double> row;
  row.block = {-1, 1}, row.J[1] = {1}, row.upper = 9, row.radius = 0.5;
  p.contacts.pop_back(), p.rows.push_back(row);
  p.rows[0].lower = -9;
  EXPECT_NEAR(residual_at(p, {0, 0}, {1002, 0, 0, 2, 0, 0}, {-1.999}).motion, 1e-3 / 3.998e-3, kExact * 1e3);
}

TEST(Residual, WhatActsOnNothingIsJudgedByItself) {
  auto p = gram_on_ton();
  RawContact<double> idle;
  idle.gap_rate = 1;
  p.contacts[1] = idle;
  EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0, 0.25e-5, 0, 0}).contact, 0.25, kExact);
  EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0, 3, 0, 0}).contact, 1.0, kExact);
  RawRow<double> row;
  row.offset = 1;
  p.contacts.pop_back(), p.rows.push_back(row);
  EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0}, {0.25e-5}).row, 0.25, kExact);
  EXPECT_NEAR(residual_at(p, {0, 0}, {1000, 0, 0}, {3}).row, 1.0, kExact);
}

TEST(Residual, ANotANumberIsNeverLost) {
  auto p = resting_point();
  EXPECT_TRUE(std::isnan(residual_at(p, {0, std::nan(""), 0}, {1, 0, 0}).total));
  EXPECT_TRUE(std::isnan(residual_at(p, {0, 0, 0}, {1, std::nan(""), 0}).total));
}

}  // namespace
}  // namespace stiction::test
