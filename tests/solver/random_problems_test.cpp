// Random contact problems of a physical origin against the dense oracle.
#include <gtest/gtest.h>

#include "tests/solver/float_share.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/oracle.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

double objective_scale(const RawProblem<double>& p, const Answer<double>& a) {
  double quadratic = 0, linear = 0;
  std::size_t adr = 0;
  for (std::size_t b = 0; b < p.H.size(); ++b) {
    const auto n = static_cast<std::size_t>(p.block_size[b]);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) quadratic += 0.5 * a.v[adr + i] * p.H[b][i * n + j] * a.v[adr + j];
    adr += n;
  }
  for (std::size_t j = 0; j < a.v.size(); ++j) linear += p.g[j] * a.v[j];
  return std::fabs(quadratic) + std::fabs(linear) + 1e-3;
}

TEST(RandomProblems, ObjectiveAndViolationAgainstTheOracle) {
  Rng rng(100);
  const int count = samples(30);
  int good = 0;
  for (int i = 0; i < count; ++i) {
    auto p = random_stack(rng, random_options(rng));
    const auto a = solve(p, kAsked);
    const double expected = oracle_objective(p);
    ASSERT_FALSE(std::isnan(expected)) << "the oracle lost problem " << i;
    const double error = std::fabs(a.residual.objective - expected) / objective_scale(p, a);
    const bool within = error <= kObjective && a.residual.violation <= kViolation;
    good += within;
    EXPECT_TRUE(within || !a.has(status::kConverged))
        << i << " claims to converge: objective off by " << error << ", violation " << a.residual.violation;
    EXPECT_EQ(a.report.residual, a.residual.total);
    EXPECT_TRUE(within) << i << " nv " << p.nv() << " contacts " << p.contacts.size() << " facets " << p.facets << " h "
                        << p.step_size << " status " << a.report.status << " residual " << a.report.residual
                        << " objective off by " << error << " violation " << a.residual.violation;
  }
  EXPECT_GE(good, kShareConverged * count);
}

TEST(RandomProblems, MassRatioOfAMillion) {
  Rng rng(101);
  for (int i = 0; i < samples(20); ++i) {
    StackOptions o;
    o.boxes = 6, o.columns = 2, o.min_mass = 1e-3, o.max_mass = 1e3, o.mass_in_H = i % 2;
    auto p = random_stack(rng, o);
    const auto a = solve(p, 1e-8);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " residual " << a.report.residual;
  }
}

TEST(RandomProblems, WeightlessBodies) {
  Rng rng(102);
  for (int i = 0; i < samples(20); ++i) {
    StackOptions o;
    o.boxes = 4, o.min_mass = o.max_mass = 1e-12, o.mass_in_H = i % 2;
    auto p = random_stack(rng, o);
    const auto a = solve(p, 1e-8);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " residual " << a.report.residual;
  }
}

TEST(RandomProblems, FloatReachesWhatFloatCan) {
  EXPECT_GE(share_of_floats<InteriorPoint>(103, samples(40), random_stack), kShareOfFloats);
}

TEST(RandomProblems, AFloatFactorUnderDoubleStateStillReachesSixDigits) {
  Rng rng(104);
  int converged = 0;
  const int count = samples(30);
  for (int i = 0; i < count; ++i) {
    StackOptions o = random_options(rng);
    o.stiffness = 1000, o.max_mass = 0.1;
    auto p = random_stack(rng, o);
    converged += solve<double, float>(p, 1e-6).has(status::kConverged);
  }
  EXPECT_GE(converged, 0.9 * count);
}

TEST(RandomProblems, MoreBlocksThanAMaskHasBitsAreSolved) {
  Rng rng(105);
  StackOptions o;
  o.boxes = 66, o.columns = 33, o.robot_dofs = 3, o.finger_contacts = 4;
  auto p = random_stack(rng, o);
  const auto a = solve(p, 1e-8);
  EXPECT_TRUE(a.has(status::kConverged)) << a.report.residual;
}

TEST(RandomProblems, AWarmStartSolvesTheSameStepInFewIterations) {
  Rng rng(106);
  for (int i = 0; i < samples(20); ++i) {
    auto p = random_stack(rng, random_options(rng));
    const auto cold = solve(p, 1e-8);
    if (!cold.has(status::kConverged)) continue;
    const auto warm = solve(p, 1e-8, &cold);
    EXPECT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_LE(warm.report.iterations, 3) << i;
  }
}

TEST(RandomProblems, AWrongWarmStartDoesNoHarm) {
  Rng rng(107);
  for (int i = 0; i < samples(20); ++i) {
    auto p = random_stack(rng, random_options(rng));
    auto wrong = solve(p, 1e-8);
    for (double& v : wrong.v) v = uniform(rng, -10, 10);
    for (double& l : wrong.lambda) l = uniform(rng, -10, 10);
    const auto a = solve(p, 1e-8, &wrong);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " residual " << a.report.residual;
  }
}

}  // namespace
}  // namespace stiction::test
