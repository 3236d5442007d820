// Of several impulses that cause the same motion the default solver gives those of least norm, as far as cones allow.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/solver/active_set_run.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr double kWeight = 2.0;  // m g h [N s]
constexpr double kHalf = 0.05;   // [m]

/// A box on its four lower corners, pushed along x.
RawProblem<double> box_on_corners(double push, const FlatCone& cone) {
  RawProblem<double> p;
  p.cone = cone.cone, p.facets = cone.facets;
  p.law = cone.facets == 1 ? ContactLaw::kFrictionless : ContactLaw::kAnitescu;
  p.add_block({1, 1, 1, 1e-3, 1e-3, 1e-3}, {push, 0, -kWeight, 0, -push * kHalf, 0}, {1, 1, 1, kHalf, kHalf, kHalf},
              {1, 1, 1, 1e-3, 1e-3, 1e-3});
  for (const double x : {-kHalf, kHalf})
    for (const double y : {-kHalf, kHalf}) {
      const double z = -kHalf;
      RawContact<double> c;
      c.block = {-1, 0};
      c.J[1] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x};
      c.mu_t = c.mu_o = 0.5;
      p.contacts.push_back(c);
    }
  return p;
}

TEST(LeastImpulses, AreAQuarterOfTheWeightOnEachCorner) {
  for (const FlatCone& cone : kFlatCones) {
    if (cone.facets == 2) continue;  // keeps the corner of the active set: no friction along o
    RawProblem<double> p = box_on_corners(0, cone);
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << cone.facets;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(a.lambda[3 * i], kWeight / 4, kHandNumber) << cone.facets;
      EXPECT_NEAR(a.lambda[3 * i + 1], 0, kHandNumber) << cone.facets;
      EXPECT_NEAR(a.lambda[3 * i + 2], 0, kHandNumber) << cone.facets;
    }
  }
}

TEST(LeastImpulses, ShareAPushThatSticks) {
  const double push = 0.4;  // of at most 1
  RawProblem<double> p = box_on_corners(push, {ConeType::kPyramid, 4});
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.lambda[3 * i + 1], -push / 4, kHandNumber);
}

/// The impulses of `corner`, spread whether or not they are the only ones; u_0 of its motion is `speed`.
std::vector<double> spread(RawProblem<double>& raw, const Answer<double>& corner, double speed) {
  const ContactProblem<double> p = raw.view();
  const HostTeam<> team;
  Scratch memory(plan_scratch<double, double>(capacity_of(p)).all);
  auto& m = place_plan<double>(team, p, Arena(memory.base()));
  prepare_plan(team, p, SolverConfig{}, m);
  plan_factor(team, m);
  AnswerArrays<double> answer = m.active.answer();
  const WarmStart<double> from = {corner.v.data(), corner.lambda.data(), corner.row_lambda.data()};
  scale_warm_start(team, p, &from, m.scaled, answer);
  const double still = kStillShare<double> * kAsked * speed;
  spread_impulses(team, m.scaled, still, kTight, m.auxiliary, m.work.system, m.work.polish, answer);
  Answer<double> out = corner;
  ContactSolution<double> x{out.v.data(), out.lambda.data(), out.row_lambda.data()};
  unscale_solution(team, p, m.scaled, answer, x);
  return out.lambda;
}

RawProblem<double> stack_with_inertia(Rng& rng, int sample) {
  StackOptions o;
  o.boxes = 1 + sample % 4, o.robot_dofs = sample % 5, o.finger_contacts = sample % 3, o.mass_in_H = 1;
  return random_stack(rng, o);
}

double norm_squared_of(const std::vector<double>& a) { return std::inner_product(a.begin(), a.end(), a.begin(), 0.0); }

TEST(LeastImpulses, AreNoLongerThanTheActiveSetsAndCauseItsMotion) {
  Rng rng(61);
  int shorter = 0;
  for (int sample = 0; sample < samples(60); ++sample) {
    auto p = stack_with_inertia(rng, sample);
    const auto corner = ActiveSetRun<double>(p).run(kTight);
    const auto least = solve(p, kTight);
    ASSERT_TRUE(corner.has(status::kConverged) && least.has(status::kConverged)) << sample;
    for (std::size_t j = 0; j < least.v.size(); ++j)
      EXPECT_NEAR(least.v[j] * p.step_size, corner.v[j] * p.step_size, kSameMotion) << sample;
    const double before = norm_squared_of(corner.lambda), after = norm_squared_of(least.lambda);
    EXPECT_LE(after, before * (1 + kHandNumber)) << sample;
    shorter += after < before * (1 - kHandNumber);
  }
  EXPECT_GT(shorter, 0);
}

TEST(LeastImpulses, AreNoLongerThanThoseThatWereSpread) {
  Rng rng(61);
  int shorter = 0;
  for (int sample = 0; sample < samples(60); ++sample) {
    auto p = stack_with_inertia(rng, sample);
    ActiveSetRun<double> run(p);
    auto corner = run.run(kAsked);
    ASSERT_TRUE(corner.has(status::kConverged)) << sample;
    auto least = spread(p, corner, run.x.now->speed);
    EXPECT_LE(certify(p.view(), corner.v, least, corner.row_lambda).total, kHandNumber) << sample;
    const double before = norm_squared_of(corner.lambda), after = norm_squared_of(least);
    EXPECT_LE(after, before * (1 + kHandNumber)) << sample;
    shorter += after < before * (1 - kHandNumber);
  }
  EXPECT_GT(shorter, 0);
}

/// Points of 1 kg that are pushed at random, each over one or two floors, some of which coincide.
RawProblem<double> points_on_floors(Rng& rng, const FlatCone& cone) {
  RawProblem<double> p;
  p.cone = cone.cone, p.facets = cone.facets;
  p.law = cone.facets == 1 ? ContactLaw::kFrictionless : ContactLaw::kAnitescu;
  const int points = 1 + static_cast<int>(uniform(rng, 0, 4));
  for (int b = 0; b < points; ++b) {
    p.add_block({1, 1, 1}, {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -2, 0.2)}, {1, 1, 1}, {1, 1, 1});
    const double mu = uniform(rng, 0.1, 0.9);
    const int floors = 1 + static_cast<int>(uniform(rng, 0, 2));
    for (int i = 0; i < floors; ++i) {
      const Frame3 frame = i == 0 || uniform(rng, 0, 1) < 0.5 ? upright_frame() : random_frame(rng);
      RawContact<double> c;
      c.block = {-1, b};
      for (const auto& row : frame.row) c.J[1].insert(c.J[1].end(), row.begin(), row.end());
      c.gap_rate = uniform(rng, 0, 1) < 0.7 ? 0 : uniform(rng, 0, 0.3);
      c.mu_t = c.mu_o = mu;
      p.contacts.push_back(c);
    }
  }
  return p;
}

TEST(LeastImpulses, AreTheOnlyOnesWhereTheActiveSetSaysSo) {
  Rng rng(62);
  for (const FlatCone& cone : kFlatCones) {
    if (cone.facets == 2) continue;  // keeps its impulses
    int unique = 0, several = 0;
    for (int sample = 0; sample < samples(400); ++sample) {
      auto p = points_on_floors(rng, cone);
      ActiveSetRun<double> run(p);
      const auto corner = run.run(kAsked);
      if (!corner.has(status::kConverged)) continue;  // left to another method
      const auto least = spread(p, corner, run.x.now->speed);
      double change = 0;
      for (std::size_t k = 0; k < least.size(); ++k) change = std::max(change, std::fabs(least[k] - corner.lambda[k]));
      EXPECT_LE(run.x.now->unique ? change : 0, kHandNumber) << cone.facets << " " << sample;
      unique += run.x.now->unique && run.x.gram.size > 0;
      several += change > kHandNumber;
    }
    EXPECT_GT(unique, samples(40));
    EXPECT_GT(several, cone.facets > 2 ? samples(20) : -1);
  }
}

}  // namespace
}  // namespace stiction::test
