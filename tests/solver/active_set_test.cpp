// The dual active set by itself: its answers, its starts, its limits; where it stands in the default solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "host/reference/contact_solver.hpp"
#include "tests/solver/active_set_run.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/hand_problems.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// Few boxes with their mass and a robot; any flat cone, half of them with general rows.
RawProblem<double> small_stack(Rng& rng, int sample) {
  StackOptions o;
  o.boxes = 1 + sample % 4, o.columns = 1 + sample % 2, o.robot_dofs = sample % 8;
  o.finger_contacts = static_cast<int>(uniform(rng, 0, 12)), o.step_size = sample % 2 ? 0.1 : 0.01;
  o.mass_in_H = 1;
  auto p = random_stack(rng, o);
  const FlatCone& cone = kFlatCones[static_cast<std::size_t>(sample) % std::size(kFlatCones)];
  p.law = cone.facets == 1 ? ContactLaw::kFrictionless : ContactLaw::kAnitescu;
  p.cone = cone.cone, p.facets = cone.facets;
  if (uniform(rng, 0, 1) < 0.5) add_rows(rng, p);
  for (auto& c : p.contacts)
    if (uniform(rng, 0, 1) < 0.2) (uniform(rng, 0, 1) < 0.5 ? c.mu_t : c.mu_o) = 0;
  return p;
}

TEST(ActiveSet, MovesAsTheReferenceDoesWhereHIsRegular) {
  Rng rng(44);
  for (int i = 0; i < samples(100); ++i) {
    auto p = small_stack(rng, i);
    const auto a = ActiveSetRun<double>(p).run(kTight);
    ASSERT_TRUE(a.has(status::kConverged)) << i;
    EXPECT_LE(a.residual.total, kTight) << i;
    const auto r = reference::solve_contacts(reference::expand(p.view()));
    ASSERT_EQ(r.status, reference::QpStatus::kSolved) << i;
    for (std::size_t j = 0; j < a.v.size(); ++j)
      EXPECT_NEAR(p.step_size * a.v[j] * p.dof_radius[j],
                  p.step_size * r.solution.v[static_cast<Eigen::Index>(j)] * p.dof_radius[j], kSameMotion)
          << i;
  }
}

TEST(ActiveSet, HasTheResidualThatIsAskedOfSinglePrecision) {
  Rng rng(45);
  int converged = 0;
  const int count = samples(100);
  for (int i = 0; i < count; ++i) {
    auto p = convert<float>(small_stack(rng, i));
    const auto a = ActiveSetRun<float>(p).run(kFloatResidual);
    converged += a.has(status::kConverged) && a.residual.total <= static_cast<float>(kFloatResidual);
  }
  EXPECT_GE(converged, kShareActiveSetFloat * count);
}

template <class Real>
void expect_no_order(RawProblem<Real>& p, double tolerance) {
  const auto forward = ActiveSetRun<Real>(p).run(tolerance);
  expect_same_bits(forward, ActiveSetRun<Real, HostTeam<PhaseOrder::kBackward>>(p).run(tolerance));
  expect_same_bits(forward, ActiveSetRun<Real, HostTeam<PhaseOrder::kStrided>>(p).run(tolerance));
}

TEST(ActiveSet, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(46);
  for (int i = 0; i < samples(20); ++i) {
    auto p = small_stack(rng, i);
    auto single = convert<float>(p);
    expect_no_order(p, kAsked);
    expect_no_order(single, kFloatResidual);
  }
}

TEST(ActiveSet, NeedsOneSolveFromItsOwnAnswer) {
  Rng rng(47);
  for (int i = 0; i < samples(100); ++i) {
    auto p = small_stack(rng, i);
    if (p.facets == 3 || p.facets == 5)  // with one axis alone their sections have no generator across
      for (auto& c : p.contacts) c.mu_t = c.mu_o = std::fmax(c.mu_t, c.mu_o);
    ActiveSetRun<double> run(p);
    const auto cold = run.run(kAsked);
    ASSERT_TRUE(cold.has(status::kConverged)) << i;
    const auto warm = run.run(kAsked, &cold);
    ASSERT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_EQ(warm.report.iterations, 1) << i << " of " << cold.report.iterations;
    EXPECT_LE(warm.residual.total, kAsked) << i;
  }
}

/// A box at rest on eight corners, of which four say the same as the other four; pushed sideways within friction.
RawProblem<double> box_on_eight_corners(double mass) {
  Rng rng(48);
  StackOptions o;
  o.boxes = 1, o.robot_dofs = 0, o.max_gap = 0, o.mass_in_H = mass;
  auto p = random_stack(rng, o);
  const auto corners = p.contacts;
  for (const auto& c : corners) p.contacts.push_back(c);
  for (auto& c : p.contacts) c.mu_t = c.mu_o = 0.5;
  p.g[0] = -0.2 * p.g[2];
  return p;
}

TEST(ActiveSet, NeedsOneSolveFromImpulsesThatManyCornersShare) {
  auto p = box_on_eight_corners(1);
  ActiveSetRun<double> run(p);
  const auto basic = run.run(kAsked);
  ASSERT_TRUE(basic.has(status::kConverged));
  auto shared = basic;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      const double half = 0.5 * (basic.lambda[3 * i + a] + basic.lambda[3 * (i + 4) + a]);
      shared.lambda[3 * i + a] = shared.lambda[3 * (i + 4) + a] = half;
    }
  const auto again = run.run(kAsked, &shared);
  ASSERT_TRUE(again.has(status::kConverged));
  EXPECT_EQ(again.report.iterations, 1);
  EXPECT_LE(again.residual.total, kAsked);
}

TEST(ActiveSet, StartsWithNoMoreRigidRowsThanVelocities) {
  Rng rng(49);
  for (int sample = 0; sample < samples(200); ++sample) {  // contacts that differ by what rounding cannot tell apart
    auto p = joints({1, 1, 1}, {0.1, 0.2, -0.3});
    p.facets = 8;
    RawContact<double> first;
    first.block = {-1, 0}, first.J[1].resize(9), first.mu_t = first.mu_o = 0.5;
    for (double& entry : first.J[1]) entry = uniform(rng, -1, 1);
    Answer<double> warm;
    for (int i = 0; i < 20; ++i) {
      auto c = i && i % 4 ? p.contacts[static_cast<std::size_t>(i - 1)] : first;
      for (double& entry : c.J[1]) entry += (i % 4 ? kAlmostDependent : 1.0) * uniform(rng, -1, 1);
      p.contacts.push_back(c);
      const double normal = uniform(rng, 0, 1), angle = uniform(rng, 0, 2 * M_PI);
      const double friction = uniform(rng, 0, 0.45) * normal;
      for (double l : {normal, friction * std::cos(angle), friction * std::sin(angle)}) warm.lambda.push_back(l);
    }
    warm.v.resize(3);
    ActiveSetRun<double> run(p);
    run.start(&warm);
    ASSERT_LE(run.x.gram.size, 3) << sample;
    std::vector<int> slot(run.x.slot.data(), run.x.slot + run.x.gram.capacity), all(slot.size());
    std::iota(all.begin(), all.end(), 0);
    std::sort(slot.begin(), slot.end());
    EXPECT_EQ(slot, all) << sample;
  }
}

/// Twelve contacts that oppose each other on a joint, with hardly any friction: λ_t/μ_t is infinite, and with it the
/// share of the generator across. The warm start has λ of every contact.
RawProblem<double> overflowing(int facets, const std::array<double, 3>& lambda, Answer<double>& warm) {
  auto p = joints({1}, {-1});
  p.facets = facets;
  warm.v = {0};
  for (int i = 0; i < 12; ++i) {
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = {i % 2 ? -1.0 : 1.0, 0, 0}, c.gap_rate = 1;
    c.mu_t = c.mu_o = std::numeric_limits<double>::denorm_min();
    p.contacts.push_back(c);
    warm.lambda.insert(warm.lambda.end(), lambda.begin(), lambda.end());
  }
  return p;
}

TEST(ActiveSet, IsLostWhereAStartOverflows) {
  Answer<double> warm;
  auto p = overflowing(5, {1, 1, 0}, warm);
  ActiveSetRun<double> run(p);
  EXPECT_FALSE(run.start(&warm));
  EXPECT_LE(run.x.gram.size, run.x.gram.capacity);
}

TEST(ActiveSet, EndsFromAStartThatIsNoNumber) {
  for (const int facets : {3, 4, 5, 8})
    for (const double value : {kInfinity, -kInfinity, std::nan(""), 1e300})
      for (std::size_t entry = 0; entry < 3; ++entry) {
        std::array<double, 3> lambda{1, 1, 1};
        lambda[entry] = value;
        Answer<double> warm;
        auto p = overflowing(facets, lambda, warm);
        ActiveSetRun<double> run(p);
        EXPECT_LE(run.run(kAsked, &warm).report.iterations, run.most_changes() + 1);
        EXPECT_LE(run.x.gram.size, run.x.gram.capacity);
        const auto a = solve(p, kAsked, &warm);  // the default solver goes on without it
        for (double v : a.v) EXPECT_TRUE(std::isfinite(v));
      }
}

TEST(ActiveSet, LeavesWhatHasNoSolutionToTheInteriorPoint) {
  auto opposing = joints({1}, {0});
  opposing.rows.push_back(row({1}, -0.1, 0, kInfinity, 0)), opposing.rows.push_back(row({-1}, -0.1, 0, kInfinity, 0));
  auto nowhere = joints({1}, {1});
  nowhere.rows.push_back(row({0}, -1, 0, kInfinity, 0));
  for (auto p : {closing_walls(ContactLaw::kAnitescu, 1), opposing, nowhere}) {
    ActiveSetRun<double> run(p);
    const auto a = run.run(kAsked);
    EXPECT_FALSE(run.x.now->solved);
    EXPECT_LE(a.report.iterations, run.most_changes() + 1);
    EXPECT_EQ(solve_with<InteriorPoint>(p, kAsked).report.status, status::kInfeasible);
  }
  auto falling = joints({0, 0, 0}, {0, 0, -1});
  ActiveSetRun<double> run(falling);
  EXPECT_LE(run.run(kAsked).report.iterations, run.most_changes() + 1);
  EXPECT_FALSE(run.x.now->solved);
  EXPECT_EQ(solve_with<InteriorPoint>(falling, kAsked).report.status, status::kUnbounded);
}

TEST(ActiveSet, TakesRowsThatActOnNothing) {
  auto p = joints({1}, {1});
  p.contacts.push_back({}), p.contacts.back().gap_rate = 0.5, p.contacts.back().mu_t = 0.5;
  p.rows.push_back(row({0}, 1, 0, kInfinity, 0)), p.rows.push_back(row({0}, 1, -1, 1, 0));
  Answer<double> warm;
  warm.v = {0}, warm.lambda = {1, 0.1, 0}, warm.row_lambda = {1, 0.5};
  const auto a = ActiveSetRun<double>(p).run(kAsked, &warm);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_LE(a.residual.total, kAsked);
  EXPECT_NEAR(a.v[0], 1, kHandNumber);
  EXPECT_NEAR(a.lambda[0], 0, kHandNumber);
  EXPECT_NEAR(a.row_lambda[1], -1, kHandNumber);
}

/// A weightless point on the floor z >= 0, pressed with 1 N s and pushed along x.
RawProblem<double> weightless_point(double push, double mu) {
  auto p = point(ContactLaw::kAnitescu, {0, 0, 0}, mu);
  p.H[0].assign(9, 0.0), p.g = {push, 0, -1};
  return p;
}

/// Whether the motion is said to be one of several.
bool is_loose(RawProblem<double>& p, const Answer<double>* warm = nullptr) {
  ActiveSetRun<double> run(p);
  const auto a = run.run(kAsked, warm);
  EXPECT_TRUE(a.has(status::kConverged));
  EXPECT_LE(a.residual.total, kAsked);
  return run.x.now->loose;
}

TEST(ActiveSetLooseness, IsWhatNothingThatPressesHolds) {
  auto slippery = weightless_point(0, 0);
  EXPECT_TRUE(is_loose(slippery));
  for (const int facets : {3, 4, 5, 8}) {
    auto inside = weightless_point(0.2, 0.5);
    inside.facets = facets;
    EXPECT_FALSE(is_loose(inside)) << facets;
  }
  auto along_t = weightless_point(0.2, 0.5);  // two facets hold nothing along o
  along_t.facets = 2;
  EXPECT_TRUE(is_loose(along_t));
  along_t.contacts[0].mu_o = 0, along_t.facets = 8;  // nor do eight without friction there
  EXPECT_TRUE(is_loose(along_t));
  auto heavy = weightless_point(0.2, 0.5);
  heavy.H[0] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  heavy.contacts.clear();
  EXPECT_FALSE(is_loose(heavy));
}

TEST(ActiveSetLooseness, IsNotHeldByARowThatDoesNotPress) {
  auto p = weightless_point(0, 0.5);
  p.contacts[0].mu_t = p.contacts[0].mu_o = 0;
  for (const double side : {1.0, -1.0})  // limits along x and y that are met with no impulse
    for (std::size_t axis : {0u, 1u}) {
      std::vector<double> J(3, 0.0);
      J[axis] = side;
      p.rows.push_back(row(J, side > 0 ? 0 : 1, 0, kInfinity, 0));
    }
  Answer<double> warm;  // they work, with no impulse
  warm.v = {0, 0, 0}, warm.lambda = {1, 0, 0}, warm.row_lambda = {1, 1, 0, 0};
  EXPECT_TRUE(is_loose(p, &warm));
  p.g[0] = p.g[1] = -0.1;  // now they press
  EXPECT_FALSE(is_loose(p));
}

TEST(ActiveSet, MovesWhatHasNoMassAsFarAsItMust) {
  for (const int facets : {3, 4, 5, 8}) {
    auto p = weightless_point(0.2, 0.5);
    p.facets = facets, p.contacts[0].gap_rate = -1, p.contacts[0].offset = {0, 2, -3, 0};
    ActiveSetRun<double> run(p);
    const auto a = run.run(kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << facets;
    EXPECT_FALSE(run.x.now->loose) << facets;
    EXPECT_LE(a.residual.total, kAsked) << facets;
    const double v[] = {-2, 3, 1};  // it sticks to a floor that moves
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a.v[j], v[j], kHandNumber) << facets;
  }
}

/// Points without mass that couplings move as one, along the diagonal of space alone.
RawProblem<double> train(int points) {
  RawProblem<double> p;
  for (int b = 0; b < points; ++b) p.add_block({0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1});
  const auto couple = [&](int a, int b, const std::vector<double>& J) {
    RawRow<double> r = row(J, 0, -kInfinity, kInfinity, 0);
    r.block = {a, b};
    for (double x : J) r.J[0].push_back(-x);
    p.rows.push_back(r);
  };
  for (int b = 1; b < points; ++b)
    for (const std::vector<double>& J : {std::vector<double>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) couple(b - 1, b, J);
  couple(-1, 0, {1, -1, 0}), couple(-1, 0, {1, 1, -2});
  return p;
}

TEST(ActiveSetLooseness, IsSeenWhereADirectionIsSharedByManyVelocities) {
  for (int points = 1; 3 * points <= ActiveSetLimit::kWorking; ++points) {
    auto p = train(points);
    EXPECT_TRUE(is_loose(p)) << points;
  }
}

TEST(ActiveSet, SolvesAnIslandWithinTheScratchOfTheWhole) {
  Rng rng(50);
  StackOptions o;
  o.boxes = 12, o.columns = 3, o.robot_dofs = 0, o.mass_in_H = 1;  // three islands of 24 velocities
  auto raw = random_stack(rng, o);
  const ContactProblem<double> p = raw.view();
  ASSERT_GT(std::min(p.nv, 3 * p.num_contacts), ActiveSetLimit::kHeld);
  const std::size_t bytes = explained_scratch<SolverName::kInteriorPoint, double, double>(capacity_of(p));
  constexpr std::size_t kGuard = 1 << 16;
  Scratch memory(bytes + kGuard);
  Answer<double> a;
  a.v.resize(raw.g.size()), a.lambda.resize(3 * raw.contacts.size());
  ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  SolverConfig config;
  config.tolerance = kAsked;
  a.report = solve_explained<SolverName::kInteriorPoint, HostTeam<>, double, double>(
      HostTeam<>{}, p, config, WarmStart<double>{}, Arena(memory.base()), out);
  EXPECT_EQ(a.report.status, status::kConverged);
  const auto* guard = static_cast<const std::byte*>(memory.base()) + bytes;
  EXPECT_TRUE(std::all_of(guard, guard + kGuard, [](std::byte b) { return b == std::byte{0xff}; }));

  int most = 0;  // changes of the active set on one island
  for (int column = 0; column < o.columns; ++column) {
    RawProblem<double> part;
    part.step_size = raw.step_size, part.facets = raw.facets;
    std::vector<int> place(raw.block_size.size(), -1);
    for (std::size_t b = static_cast<std::size_t>(column); b < place.size(); b += static_cast<std::size_t>(o.columns)) {
      place[b] = static_cast<int>(part.block_size.size());
      part.block_size.push_back(6), part.H.push_back(raw.H[b]), part.M.push_back(raw.M[b]);
      for (std::size_t j = 6 * b; j < 6 * b + 6; ++j)
        part.g.push_back(raw.g[j]), part.dof_radius.push_back(raw.dof_radius[j]);
    }
    for (auto c : raw.contacts) {
      if (place[static_cast<std::size_t>(c.block[1])] < 0) continue;
      for (int& b : c.block) b = b < 0 ? b : place[static_cast<std::size_t>(b)];
      part.contacts.push_back(c);
    }
    const auto alone = ActiveSetRun<double>(part).run(kAsked);
    EXPECT_TRUE(alone.has(status::kConverged));
    most = std::max(most, alone.report.iterations);
  }
  EXPECT_EQ(a.report.iterations, most);
}

TEST(ActiveSet, HasRoomForTreesWithoutVelocities) {
  RawProblem<double> p;
  for (int b = 0; b < 40; ++b) p.add_block({}, {}, {}, {});
  const int last = p.add_block({2}, {1}, {1}, {1});
  RawContact<double> c;
  c.block = {last, -1}, c.J[0] = {1, 0, 0};
  p.contacts.push_back(c);
  const auto a = ActiveSetRun<double>(p).run(kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.5, kHandNumber);
}

}  // namespace
}  // namespace stiction::test
