// Claims about every solver of the registry: hand numbers, bad numbers, honest flags, three phase orders.
#include <gtest/gtest.h>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/hand_problems.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

template <class Solver>
class EverySolver : public testing::Test {};
TYPED_TEST_SUITE(EverySolver, AllSolvers);

TYPED_TEST(EverySolver, SlidesUnderEveryLaw) {
  const double mu = 0.5, gh = 0.1, layer = (1 - mu * gh) / (1 + mu * mu);
  for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox}) {
    if (!can_solve(TypeParam::kName, cone)) continue;
    for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb, ContactLaw::kFrictionless}) {
      auto p = point(law, {1, 0, 0}, mu);
      p.cone = cone;
      const auto a = solve_with<TypeParam>(p, kAskedIterative);
      const std::string name = std::to_string(static_cast<int>(cone)) + " " + std::to_string(static_cast<int>(law));
      ASSERT_TRUE(a.has(status::kConverged)) << name << " residual " << a.report.residual;
      const double expected =
          law == ContactLaw::kFrictionless ? 1 : (law == ContactLaw::kCoulomb ? 1 - mu * gh : layer);
      EXPECT_NEAR(a.v[0], expected, kIterativeNumber) << name;
      EXPECT_NEAR(a.v[2], law == ContactLaw::kAnitescu ? mu * layer : 0, kIterativeNumber) << name;
    }
  }
}

TYPED_TEST(EverySolver, SticksWithinTheCone) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
    auto p = point(law, {0.04, -0.005, 0}, 0.5);
    const auto a = solve_with<TypeParam>(p, kAskedIterative);
    ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
    for (double v : a.v) EXPECT_NEAR(v, 0.0, kIterativeNumber);
    EXPECT_NEAR(a.lambda[1], -0.04, kIterativeNumber);
  }
}

TYPED_TEST(EverySolver, KnowsEveryKindOfRow) {
  for (auto& c : row_cases()) {
    const auto a = solve_with<TypeParam>(c.problem, kAskedIterative);
    ASSERT_TRUE(a.has(status::kConverged)) << c.name << " residual " << a.report.residual;
    for (std::size_t j = 0; j < c.v.size(); ++j) EXPECT_NEAR(a.v[j], c.v[j], kIterativeNumber) << c.name;
    EXPECT_NEAR(a.row_lambda[0], c.lambda, kIterativeNumber) << c.name;
  }
}

TYPED_TEST(EverySolver, SaysNotFiniteAndSolvesTheEmptyProblem) {
  auto p = point(ContactLaw::kAnitescu, {1, 0, 0}, 0.5);
  p.g[1] = std::nan("");
  const auto a = solve_with<TypeParam>(p, kAskedIterative);
  EXPECT_EQ(a.report.status, status::kNotFinite);
  for (double v : a.v) EXPECT_EQ(v, 0.0);
  RawProblem<double> empty;
  EXPECT_TRUE(solve_with<TypeParam>(empty, kAskedIterative).has(status::kConverged));
}

TYPED_TEST(EverySolver, EndsOnHugeNumbersWithFiniteAnswers) {
  for (const double size : {1e-300, 1e-100, 1e100, 1e300})
    for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
      auto p = point(law, {1, 0, 0}, 0.5);
      p.g[2] = -size;
      const auto a = solve_with<TypeParam, double>(p, kAskedIterative, nullptr, 2);
      for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << size;
      for (double l : a.lambda) EXPECT_TRUE(std::isfinite(l)) << size;
    }
}

TYPED_TEST(EverySolver, StatesItsResidualHonestly) {
  Rng rng(300);
  for (int i = 0; i < samples(12); ++i) {
    auto o = random_options(rng);
    o.boxes = std::min(o.boxes, 5), o.finger_contacts = std::min(o.finger_contacts, 10);
    auto p = random_stack(rng, o);
    p.law = i % 3 == 0 ? ContactLaw::kCoulomb : ContactLaw::kAnitescu;
    p.cone = i % 2 && can_solve(TypeParam::kName, ConeType::kQuadratic) ? ConeType::kQuadratic : ConeType::kPyramid;
    const auto a = solve_with<TypeParam>(p, kAskedIterative);
    EXPECT_EQ(a.report.residual, a.residual.total) << i;
    EXPECT_EQ(a.has(status::kConverged), a.report.residual <= kAskedIterative) << i;
    EXPECT_TRUE(a.has(status::kConverged) || a.has(status::kFailed)) << i;
  }
}

/// Random stacks under both laws and, where the solver has them, both cones.
template <class Solver, class Check>
void for_random_problems(int count, Check check) {
  Rng rng(302);
  for (int i = 0; i < count; ++i) {
    auto o = random_options(rng);
    o.boxes = std::min(o.boxes, 5), o.finger_contacts = std::min(o.finger_contacts, 10);
    auto p = random_stack(rng, o);
    p.law = i % 2 ? ContactLaw::kCoulomb : ContactLaw::kAnitescu;
    p.cone = i / 2 % 2 && can_solve(Solver::kName, ConeType::kQuadratic) ? ConeType::kQuadratic : ConeType::kPyramid;
    check(p, i);
  }
}

TYPED_TEST(EverySolver, AllPhasesTogetherKeepTheTotal) {
  int limited = 0;
  for_random_problems<TypeParam>(samples(24), [&](RawProblem<double>& p, int i) {
    for (const int total : {1, 2, 7, 30}) {
      const auto a = solve_with<TypeParam, double>(p, kAskedIterative, nullptr, 50, total);
      EXPECT_LE(a.report.iterations, total) << i;
      EXPECT_EQ(a.report.residual, a.residual.total) << i;
      for (const double v : a.v) EXPECT_TRUE(std::isfinite(v)) << i;
      if (a.has(status::kConverged)) continue;
      EXPECT_EQ(a.report.status, status::kIterationLimit) << i << " total " << total;
      ++limited;
    }
  });
  EXPECT_GT(limited, samples(24));
}

TYPED_TEST(EverySolver, ATotalThatIsNotReachedChangesNothing) {
  for_random_problems<TypeParam>(samples(8), [&](RawProblem<double>& p, int i) {
    const auto free = solve_with<TypeParam, double>(p, kAskedIterative);
    const auto a = solve_with<TypeParam, double>(p, kAskedIterative, nullptr, 50, 1'000'000);
    EXPECT_EQ(a.v, free.v) << i;
    EXPECT_EQ(a.lambda, free.lambda) << i;
    EXPECT_EQ(a.report.iterations, free.report.iterations) << i;
    EXPECT_EQ(a.report.status, free.report.status) << i;
  });
}

TYPED_TEST(EverySolver, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(301);
  for (int i = 0; i < 3; ++i) {
    StackOptions o;
    o.boxes = 2 + i, o.facets = 3 + i;
    auto p = random_stack(rng, o);
    expect_order_does_not_matter<TypeParam>(p, kAskedIterative, 5);
  }
}

}  // namespace
}  // namespace stiction::test
