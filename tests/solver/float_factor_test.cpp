// Claims about a factor in single precision under a problem in double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

template <class Solver>
Answer<double> solve_in_float(RawProblem<double>& p, double tolerance) {
  return solve_with<Solver, double, HostTeam<>, float>(p, tolerance);
}

template <class Solver>
class FloatFactor : public testing::Test {};
using FactoringSolvers =
    testing::Types<SolverOf<SolverName::kInteriorPoint>, SolverOf<SolverName::kAdmm>, SolverOf<SolverName::kNewton>>;
TYPED_TEST_SUITE(FloatFactor, FactoringSolvers);

// Random masses, stiffness, friction and steps; the residual is that of the problem in double.
TYPED_TEST(FloatFactor, SolvesToFourDigitsWhatADoubleOneSolves) {
  Rng rng(311);
  int by_double = 0, by_float = 0;
  for (int i = 0; i < samples(40); ++i) {
    auto p = random_stack(rng, random_options(rng));
    by_double += solve_with<TypeParam>(p, kAskedOfFloats).has(status::kConverged);
    const auto a = solve_in_float<TypeParam>(p, kAskedOfFloats);
    by_float += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= kAskedOfFloats) << i;
    for (const double v : a.v) EXPECT_TRUE(std::isfinite(v)) << i;
  }
  std::printf("solved to %g: %d by a factor in double, %d in float\n", kAskedOfFloats, by_double, by_float);
  EXPECT_GE(by_float, kShareOfFloatFactors * by_double);
}

// Its factor has v itself to give, not only Newton's steps.
TEST(FloatFactorOfAdmm, DoesNotMoveWhatItConvergesTo) {
  using Admm = SolverOf<SolverName::kAdmm>;
  Rng rng(311);
  int by_double = 0, by_float = 0;
  for (int i = 0; i < samples(20); ++i) {
    auto p = random_stack(rng, random_options(rng));
    by_double += solve_with<Admm>(p, kBelowFloats).has(status::kConverged);
    by_float += solve_in_float<Admm>(p, kBelowFloats).has(status::kConverged);
  }
  EXPECT_GT(by_double, 0);
  EXPECT_GE(by_float, kShareOfFloatFactors * by_double);
}

TYPED_TEST(FloatFactor, GivesTheSameBitsInEveryPhaseOrder) {
  Rng rng(312);
  for (int i = 0; i < 4; ++i) {
    auto p = random_stack(rng, random_options(rng));
    if (i % 2) p.law = ContactLaw::kCoulomb;
    expect_order_does_not_matter<TypeParam, double, float>(p, kAskedOfFloats);
  }
}

/// A stack without the floor, and one with a lid that is too low.
std::array<RawProblem<double>, 2> without_solution() {
  Rng rng(22);
  StackOptions o;
  o.boxes = 3, o.robot_dofs = 0;
  std::array<RawProblem<double>, 2> p{random_stack(rng, o), random_stack(rng, o)};
  p[0].contacts.erase(p[0].contacts.begin(), p[0].contacts.begin() + 4);
  for (auto& c : p[1].contacts) c.gap_rate = 0;
  RawContact<double> lid = p[1].contacts.back();
  for (auto& J : lid.J)
    for (double& x : J) x = -x;
  lid.gap_rate = -0.1;
  p[1].contacts.push_back(lid);
  return p;
}

TYPED_TEST(FloatFactor, LeavesTheCertificatesToADoubleOne) {
  for (auto& p : without_solution()) {
    const auto a = solve_with<TypeParam>(p, kAskedOfFloats), b = solve_in_float<TypeParam>(p, kAskedOfFloats);
    EXPECT_TRUE(a.has(status::kUnbounded) || a.has(status::kInfeasible));
    EXPECT_EQ(a.report.status, b.report.status);
    EXPECT_FALSE(a.certificate.empty());
    EXPECT_EQ(a.certificate, b.certificate);
  }
}

TYPED_TEST(FloatFactor, TakesHalfTheRoom) {
  Rng rng(313);
  auto raw = random_stack(rng, StackOptions{});
  const auto capacity = capacity_of(raw.view());
  SolverConfig config;
  config.name = TypeParam::kName;
  const std::size_t in_double = solver_near_bytes<double>(config, capacity).most;
  EXPECT_GT(in_double, 0u);
  config.factor = Dtype::kFloat32;
  EXPECT_LE(solver_near_bytes<double>(config, capacity).most, in_double / 2 + 2 * Arena::kAlignment);
}

}  // namespace
}  // namespace stiction::test
