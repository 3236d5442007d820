// ADMM and projected Gauss-Seidel: hand numbers, random problems with a singular H, honest flags.
#include <gtest/gtest.h>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve_with.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Solver>
class IterativeSolver : public testing::Test {};
using Solvers = testing::Types<Admm, Pgs>;  // Lemke: lemke_test.cpp
TYPED_TEST_SUITE(IterativeSolver, Solvers);

/// A point mass above z >= 0 with a velocity, gravity 10 m/s².
RawProblem<double> point(ContactLaw law, std::array<double, 3> velocity, double mu) {
  RawProblem<double> p;
  p.law = law, p.step_size = 0.01;
  p.add_block({1, 1, 1}, {velocity[0], velocity[1], velocity[2] - 10 * p.step_size}, {1, 1, 1}, {1, 1, 1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, c.mu_t = c.mu_o = mu;
  p.contacts.push_back(c);
  return p;
}

TYPED_TEST(IterativeSolver, SlidesUnderEveryLaw) {
  const double mu = 0.5, gh = 0.1, layer = (1 - mu * gh) / (1 + mu * mu);
  for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox}) {
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

TYPED_TEST(IterativeSolver, SticksWithinTheCone) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
    auto p = point(law, {0.04, -0.005, 0}, 0.5);
    const auto a = solve_with<TypeParam>(p, kAskedIterative);
    ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
    for (double v : a.v) EXPECT_NEAR(v, 0.0, kIterativeNumber);
    EXPECT_NEAR(a.lambda[1], -0.04, kIterativeNumber);
  }
}

/// Joints with stiffness impulse k and drive g, and one row on them.
RawProblem<double> joints(const std::vector<double>& k, const std::vector<double>& g, std::vector<double> J,
                          double offset, double lower, double upper, double compliance) {
  RawProblem<double> p;
  p.add_block(k, g, std::vector<double>(k.size(), 1.0), std::vector<double>(k.size(), 0.0));
  RawRow<double> r;
  r.block = {-1, 0}, r.J[1] = std::move(J);
  r.offset = offset, r.lower = lower, r.upper = upper, r.compliance = compliance;
  p.rows.push_back(r);
  return p;
}

struct RowCase {
  const char* name;
  RawProblem<double> problem;
  double v, lambda;
};

TYPED_TEST(IterativeSolver, KnowsEveryKindOfRow) {
  const double coupled = (1 + 0.5 * 3 * 0.02) / (1 + 0.25 * 3);
  std::vector<RowCase> cases{
      {"limit", joints({2}, {-1}, {1}, 0.1, 0, kInfinity, 0), -0.1, 0.8},
      {"far limit", joints({2}, {-1}, {1}, 100, 0, kInfinity, 0), -0.5, 0},
      {"upper limit", joints({2}, {1}, {1}, -0.1, -kInfinity, 0, 0), 0.1, -0.8},
      {"coupling", joints({1, 3}, {1, 0}, {-0.5, 1}, 0.02, -kInfinity, kInfinity, 0), coupled,
       3 * (0.5 * coupled - 0.02)},
      {"spring", joints({1}, {1}, {1}, 0, -kInfinity, kInfinity, 0.5), 1.0 / 3, -2.0 / 3},
      {"sticking", joints({1}, {0.5}, {1}, 0, -1, 1, 0), 0, -0.5},
      {"sliding", joints({1}, {2}, {1}, 0, -1, 1, 0), 1, -1},
      {"force limit reached", joints({1}, {-3}, {1}, -1, -1, 1, 0.25), -2, 1},
      {"force limit not reached", joints({1}, {-3}, {1}, -1, -100, 100, 0.25), 0.2, 3.2},
      {"given", joints({2}, {1}, {1}, 5, 0.5, 0.5, 0), 0.75, 0.5},
  };
  for (auto& c : cases) {
    const auto a = solve_with<TypeParam>(c.problem, kAskedIterative);
    ASSERT_TRUE(a.has(status::kConverged)) << c.name << " residual " << a.report.residual;
    EXPECT_NEAR(a.v[0], c.v, kIterativeNumber) << c.name;
    EXPECT_NEAR(a.row_lambda[0], c.lambda, kIterativeNumber) << c.name;
  }
}

TYPED_TEST(IterativeSolver, SaysNotFiniteAndSolvesTheEmptyProblem) {
  auto p = point(ContactLaw::kAnitescu, {1, 0, 0}, 0.5);
  p.g[1] = std::nan("");
  const auto a = solve_with<TypeParam>(p, kAskedIterative);
  EXPECT_EQ(a.report.status, status::kNotFinite);
  for (double v : a.v) EXPECT_EQ(v, 0.0);
  RawProblem<double> empty;
  EXPECT_TRUE(solve_with<TypeParam>(empty, kAskedIterative).has(status::kConverged));
}

TYPED_TEST(IterativeSolver, EndsOnHugeNumbersWithFiniteAnswers) {
  for (const double size : {1e-300, 1e-100, 1e100, 1e300})
    for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
      auto p = point(law, {1, 0, 0}, 0.5);
      p.g[2] = -size;
      const auto a = solve_with<TypeParam, double>(p, kAskedIterative, nullptr, 2);
      for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << size;
      for (double l : a.lambda) EXPECT_TRUE(std::isfinite(l)) << size;
    }
}

TYPED_TEST(IterativeSolver, StatesItsResidualHonestly) {
  Rng rng(300);
  for (int i = 0; i < samples(12); ++i) {
    auto o = random_options(rng);
    o.boxes = std::min(o.boxes, 5), o.finger_contacts = std::min(o.finger_contacts, 10);
    auto p = random_stack(rng, o);
    p.law = i % 3 == 0 ? ContactLaw::kCoulomb : ContactLaw::kAnitescu;
    p.cone = i % 2 ? ConeType::kQuadratic : ConeType::kPyramid;
    const auto a = solve_with<TypeParam>(p, kAskedIterative);
    EXPECT_EQ(a.report.residual, a.residual.total) << i;
    EXPECT_EQ(a.has(status::kConverged), a.report.residual <= kAskedIterative) << i;
    EXPECT_TRUE(a.has(status::kConverged) || a.has(status::kIterationLimit)) << i;
  }
}

TYPED_TEST(IterativeSolver, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(301);
  for (int i = 0; i < 3; ++i) {
    StackOptions o;
    o.boxes = 2 + i, o.facets = 3 + i;
    auto p = random_stack(rng, o);
    const auto forward = solve_with<TypeParam, double, HostTeam<PhaseOrder::kForward>>(p, kAskedIterative, nullptr, 5);
    for (const auto& other :
         {solve_with<TypeParam, double, HostTeam<PhaseOrder::kBackward>>(p, kAskedIterative, nullptr, 5),
          solve_with<TypeParam, double, HostTeam<PhaseOrder::kStrided>>(p, kAskedIterative, nullptr, 5)}) {
      EXPECT_EQ(forward.v, other.v);
      EXPECT_EQ(forward.lambda, other.lambda);
      EXPECT_EQ(forward.report.iterations, other.report.iterations);
    }
  }
}

TYPED_TEST(IterativeSolver, AWarmStartOnTheAnswerIsTheAnswer) {
  Rng rng(302);
  for (int i = 0; i < samples(10); ++i) {
    StackOptions o;
    o.boxes = 2;
    auto p = random_stack(rng, o);
    const auto cold = solve_with<TypeParam>(p, kFloatResidual);
    if (!cold.has(status::kConverged)) continue;
    const auto warm = solve_with<TypeParam>(p, kFloatResidual, &cold);
    EXPECT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_LE(warm.report.iterations, cold.report.iterations) << i;
  }
}

/// Share of random problems with a singular H that `Solver` brings to the tolerance.
template <class Solver>
double share_converged(int seed, int count, ConeType cone, ContactLaw law, double tolerance) {
  Rng rng(static_cast<unsigned>(seed));
  int converged = 0;
  for (int i = 0; i < count; ++i) {
    auto o = random_options(rng);
    o.mass_in_H = 0;
    auto p = random_stack(rng, o);
    p.cone = cone, p.law = law;
    const auto a = solve_with<Solver>(p, tolerance);
    converged += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= tolerance) << i;
  }
  return static_cast<double>(converged) / count;
}

TEST(AdmmShare, SolvesSingularProblemsToSixDigits) {
  const double pyramid =
      share_converged<Admm>(310, samples(40), ConeType::kPyramid, ContactLaw::kAnitescu, kAskedIterative);
  const double quadratic =
      share_converged<Admm>(311, samples(40), ConeType::kQuadratic, ContactLaw::kAnitescu, kAskedIterative);
  std::printf("share converged to %g: pyramid %.3f, quadratic %.3f\n", kAskedIterative, pyramid, quadratic);
  EXPECT_GE(pyramid, kShareAdmm);
  EXPECT_GE(quadratic, kShareAdmm);
}

TEST(AdmmShare, OfCoulombProblemsIsStated) {
  const double share =
      share_converged<Admm>(312, samples(20), ConeType::kPyramid, ContactLaw::kCoulomb, kAskedIterative);
  std::printf("share converged to %g: %.3f\n", kAskedIterative, share);
  EXPECT_GE(share, kShareAdmmCoulomb);
}

TEST(PgsShare, OfSingularProblemsIsStated) {
  const double share =
      share_converged<Pgs>(313, samples(20), ConeType::kPyramid, ContactLaw::kAnitescu, kFloatResidual);
  std::printf("share converged to %g: %.3f\n", kFloatResidual, share);
  EXPECT_GE(share, kSharePgs);
}

TEST(AdmmShare, FloatReachesWhatFloatCan) {
  Rng rng(314);
  int converged = 0;
  const int count = samples(20);
  for (int i = 0; i < count; ++i) {
    auto o = random_options(rng);
    o.stiffness = 1000, o.max_mass = 0.1;
    auto p = convert<float>(random_stack(rng, o));
    const auto a = solve_with<Admm>(p, kFloatResidual);
    for (float v : a.v) ASSERT_TRUE(std::isfinite(v)) << i;
    converged += a.has(status::kConverged);
  }
  std::printf("share converged to %g in float: %.3f\n", kFloatResidual, converged / static_cast<double>(count));
  EXPECT_GE(converged, kShareAdmmFloat * count);
}

}  // namespace
}  // namespace stiction::test
