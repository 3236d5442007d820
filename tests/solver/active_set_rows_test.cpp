// General rows in the active set: hand numbers, starts at bounds, rows that depend on each other.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/solver/active_set_run.hpp"
#include "tests/solver/full_blocks.hpp"
#include "tests/solver/hand_problems.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// A start of a problem without contacts.
Answer<double> start_at(std::vector<double> v, std::vector<double> row_lambda) {
  Answer<double> a;
  a.v = std::move(v), a.row_lambda = std::move(row_lambda);
  a.lambda.reserve(1);  // it is given, if empty
  return a;
}

TEST(ActiveSetRows, OfEveryKindHaveTheirHandNumbers) {
  for (auto& c : row_cases()) {
    ActiveSetRun<double> run(c.problem);
    for (const double start : {0.0, -100.0, 100.0}) {  // clamped to its bounds
      const auto warm = start_at(std::vector<double>(c.v.size(), 0.0), {start});
      const auto a = run.run(kAsked, &warm);
      ASSERT_TRUE(a.has(status::kConverged)) << c.name << " from " << start;
      for (std::size_t j = 0; j < c.v.size(); ++j) EXPECT_NEAR(a.v[j], c.v[j], kHandNumber) << c.name;
      EXPECT_NEAR(a.row_lambda[0], c.lambda, kHandNumber) << c.name;
    }
  }
}

TEST(ActiveSetRows, AreReleasedFromTheBoundThatTheyStartAt) {
  for (const double start : {-1.0, 1.0}) {  // dry friction [-1, 1], at a bound, sticks with -0.5
    auto p = joints({1}, {0.5});
    p.rows.push_back(row({1}, 0, -1, 1, 0));
    const auto warm = start_at({0}, {start});
    ActiveSetRun<double> run(p);
    ASSERT_TRUE(run.start(&warm));
    EXPECT_EQ(run.x.place[0], start > 0 ? RowPlace::kUpper : RowPlace::kLower);
    const auto a = run.run(kAsked, &warm);
    ASSERT_TRUE(a.has(status::kConverged));
    EXPECT_EQ(run.x.place[0], RowPlace::kWorks);
    EXPECT_EQ(a.report.iterations, 2);
    EXPECT_NEAR(a.row_lambda[0], -0.5, kHandNumber);
  }
}

TEST(ActiveSetRows, AreReleasedByTheirCompliance) {
  // at its force limit of 1 the spring's end moves back, and the spring of compliance 2 more than that
  auto p = joints({1}, {-2});
  p.rows.push_back(row({1}, 0, -1, 1, 2));
  const auto warm = start_at({0}, {1});
  const auto a = ActiveSetRun<double>(p).run(kAsked, &warm);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.row_lambda[0], 2.0 / 3, kHandNumber);
  EXPECT_NEAR(a.v[0], -4.0 / 3, kHandNumber);
}

/// A joint with dry friction 1, geared to a belt that moves.
struct BeltCase {
  double g, belt_friction;
  std::vector<double> start;
  double v, friction, belt;
};

TEST(ActiveSetRows, GiveWayToOneThatDependsOnThem) {
  const BeltCase cases[] = {
      {0.25, 0.25, {-0.75, 0.25}, 0, 0.25, -0.25},  // the belt's row ends at its other bound
      {-1.5, 1.0, {-0.5, 1.0}, -0.1, 1.0, 0.2},     // the joint's row meets a bound before
  };
  for (const BeltCase& c : cases) {
    auto p = joints({1}, {c.g});
    p.rows.push_back(row({1}, 0, -1, 1, 0)), p.rows.push_back(row({2}, 0.2, -c.belt_friction, c.belt_friction, 0));
    const auto warm = start_at({0}, c.start);
    const auto a = ActiveSetRun<double>(p).run(kAsked, &warm);
    ASSERT_TRUE(a.has(status::kConverged)) << c.g;
    EXPECT_NEAR(a.v[0], c.v, kHandNumber);
    EXPECT_NEAR(a.row_lambda[0], c.friction, kHandNumber);
    EXPECT_NEAR(a.row_lambda[1], c.belt, kHandNumber);
  }
}

TEST(ActiveSetRows, ShareAStartEitherWay) {
  // a coupling and a limit from above along the same direction: the limit's start is taken over by the coupling
  auto p = joints({1}, {1});
  p.rows.push_back(row({1}, 0, -kInfinity, kInfinity, 0)), p.rows.push_back(row({1}, -1, -kInfinity, 0, 0));
  const auto warm = start_at({0}, {-0.25, -0.75});
  const auto a = ActiveSetRun<double>(p).run(kAsked, &warm);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0, kHandNumber);
  EXPECT_NEAR(a.row_lambda[0], -1, kHandNumber);
  EXPECT_NEAR(a.row_lambda[1], 0, kHandNumber);
}

/// A tree of 20 dofs with `rows` random rows, which are limits or, if `soft`, springs that always work.
RawProblem<double> many_rows(Rng& rng, int rows, bool soft) {
  RawProblem<double> p;
  add_full_block(rng, 20, p);
  for (std::size_t j = 0; j < 20; ++j) p.H[0][21 * j] += 0.1;
  for (int r = 0; r < rows; ++r) {
    auto limit = row(random_vector(rng, 20), uniform(rng, 0, 2), soft ? -kInfinity : 0, kInfinity, soft ? 0.5 : 0);
    p.rows.push_back(limit);
  }
  return p;
}

TEST(ActiveSetRows, MayBeMoreThanCanWork) {
  Rng rng(77);
  for (int sample = 0; sample < 10; ++sample) {
    auto p = many_rows(rng, 200, false);
    ActiveSetRun<double> run(p);
    ASSERT_TRUE(run.x.fits);
    const auto a = run.run(kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << sample;
    EXPECT_LE(a.residual.total, kAsked) << sample;
    EXPECT_GT(run.x.gram.size, 0) << sample;
  }
}

TEST(ActiveSetRows, AreLeftToOthersWhereMoreWorkThanThereIsRoomFor) {
  Rng rng(78);
  for (const int rows : {ActiveSetLimit::kWorking, ActiveSetLimit::kWorking + 1, 90}) {
    auto p = many_rows(rng, rows, true);
    const auto alone = ActiveSetRun<double>(p).run(kAsked);
    EXPECT_EQ(alone.has(status::kConverged), rows <= ActiveSetLimit::kWorking) << rows;
    const auto a = solve(p, kAsked);
    EXPECT_TRUE(a.has(status::kConverged)) << rows;
    EXPECT_LE(a.residual.total, kAsked) << rows;
  }
}

TEST(ActiveSetRows, ThatAreReleasedTakeNoChanges) {
  Rng rng(80);
  auto p = many_rows(rng, 12, false);
  const auto without = ActiveSetRun<double>(p).run(kAsked);
  ASSERT_TRUE(without.has(status::kConverged));
  ASSERT_GT(without.report.iterations, 1);
  for (int r = 0; r < 30; ++r) p.rows.push_back(row(random_vector(rng, 20), uniform(rng, -2, 2), 0, 0, 0));
  p.rows.push_back(
      row(std::vector<double>(20, 0.0), 1, 0.25, 0.25, 0));  // an impulse that is given, at a row without motion
  const auto a = ActiveSetRun<double>(p).run(kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_EQ(a.report.iterations, without.report.iterations);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(a.v[j], without.v[j]) << j;
  EXPECT_EQ(a.row_lambda[42], 0.25);
}

TEST(ActiveSetRows, AreTakenOfOneTreeWithMoreDofsThanOfManyBodies) {
  const auto fits = [](const std::vector<int>& blocks) {
    const int nv = std::accumulate(blocks.begin(), blocks.end(), 0);
    return has_few_dofs({nv, static_cast<int>(blocks.size()), blocks.data(), 0, 0, {}, 0});
  };
  EXPECT_TRUE(fits({160}));
  EXPECT_FALSE(fits({161}));
  EXPECT_TRUE(fits({40, 40, 40, 40}));
  EXPECT_TRUE(fits(std::vector<int>(16, 6)));
  EXPECT_FALSE(fits(std::vector<int>(17, 6)));
  Rng rng(81);
  RawProblem<double> p;
  add_full_block(rng, 140, p);
  for (std::size_t j = 0; j < 140; ++j) p.H[0][141 * j] += 0.1;
  for (int r = 0; r < 100; ++r) p.rows.push_back(row(random_vector(rng, 140), uniform(rng, 0, 2), 0, kInfinity, 0));
  ActiveSetRun<double> run(p);
  ASSERT_TRUE(run.x.fits);
  const auto a = run.run(kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_LE(a.residual.total, kAsked);
}

TEST(ActiveSetRows, AreTakenWhereContactsWouldHaveTorsion) {
  Rng rng(79);
  auto p = many_rows(rng, 30, false);
  p.dimension = 4, p.cone = ConeType::kQuadratic, p.law = ContactLaw::kCoulomb;
  ActiveSetRun<double> run(p);
  ASSERT_TRUE(run.x.fits);
  const auto a = run.run(kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_LE(a.residual.total, kAsked);
  p.contacts.resize(1);
  EXPECT_FALSE(ActiveSetRun<double>(p).x.fits);
}

}  // namespace
}  // namespace stiction::test
