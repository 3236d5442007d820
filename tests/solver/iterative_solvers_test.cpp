// ADMM and projected Gauss-Seidel on random problems: the shares that they solve, and warm starts.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/float_share.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

template <class Solver>
class IterativeSolver : public testing::Test {};
using Iterative = testing::Types<Admm, Pgs>;
TYPED_TEST_SUITE(IterativeSolver, Iterative);

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

/// True if a contact of the answer carries and has all the friction that it may have.
bool slides_somewhere(const RawProblem<double>& p, const Answer<double>& a) {
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const double* l = &a.lambda[3 * i];
    if (l[0] > kFloatResidual && std::hypot(l[1], l[2]) > 0.999 * p.contacts[i].mu_t * l[0]) return true;
  }
  return false;
}

TEST(Admm, TakesNoStepFromAnAnswerThatSlidesUnderCoulombsLaw) {
  Rng rng(315);
  int slides = 0;
  for (int i = 0; i < samples(20); ++i) {
    StackOptions o;
    o.boxes = 2;
    auto p = random_stack(rng, o);
    p.law = ContactLaw::kCoulomb, p.cone = ConeType::kQuadratic;
    const auto cold = solve_with<Admm>(p, kAsked);
    if (!cold.has(status::kConverged)) continue;
    slides += slides_somewhere(p, cold);
    EXPECT_EQ(solve_with<Admm>(p, kFloatResidual, &cold).report.iterations, 0) << i;
  }
  EXPECT_GT(slides, 0);
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
      share_converged<Admm>(310, samples(160), ConeType::kPyramid, ContactLaw::kAnitescu, kAskedIterative);
  const double quadratic =
      share_converged<Admm>(311, samples(160), ConeType::kQuadratic, ContactLaw::kAnitescu, kAskedIterative);
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
  EXPECT_GE(share_of_floats<Admm>(314, samples(20), random_stack), kShareAdmmFloat);
}

}  // namespace
}  // namespace stiction::test
