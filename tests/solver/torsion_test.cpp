// Contact problems with torsion: a disc on a floor whose answer is known by hand, random problems with a singular H,
// and what an answer may not depend on.
#include <gtest/gtest.h>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/float_share.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"
#include "tests/solver/torsion_problems.hpp"
#include "tests/support/every_choice.hpp"

namespace stiction::test {
namespace {

using Newton = SolverOf<SolverName::kNewton>;

constexpr double kMu = 0.5, kMuR = 0.01, kLoad = 0.1;  // μ [-], μ_r [m], weight of the disc times h [N s]

template <class Solver>
class TorsionOf : public testing::Test {
 public:
  /// The cones that the solver can do.
  static std::vector<ConeType> cones() {
    std::vector<ConeType> all;
    for (const auto& cone : kEveryCone)
      if (can_solve(Solver::kName, cone.value)) all.push_back(cone.value);
    return all;
  }
};
TYPED_TEST_SUITE(TorsionOf, AllSolvers);

/// v of the disc, its spin at the rim.
std::array<double, 4> rates(const Answer<double>& a) { return {a.v[0], a.v[1], a.v[2], kDiscRadius * a.v[3]}; }

template <class Solver>
void expect_disc(RawProblem<double> p, const std::array<double, 4>& velocity, const std::array<double, 4>& lambda) {
  const auto a = solve_with<Solver>(p, kAskedIterative);
  ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
  const std::array<double, 4> expected{velocity[0], velocity[1], velocity[2], kDiscRadius * velocity[3]};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(rates(a)[j], expected[j], kIterativeNumber) << "velocity " << j;
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(a.lambda[j], lambda[j], kIterativeNumber) << "impulse " << j;
}

TYPED_TEST(TorsionOf, SlowsASpinUnderEveryLaw) {
  const double spin = 5, slowed = spin - kMuR * kLoad / kInertia;
  // Anitescu's: v_z = μ_r ω, and the impulse that lifts the disc slows it down as well
  const double convex = (kInertia * spin - kMuR * kLoad) / (kInertia + kMuR * kMuR);
  for (const ConeType cone : this->cones()) {
    const auto spinning = [&](ContactLaw law) { return disc(law, cone, {0, 0, 0, spin}, kMu, kMuR); };
    expect_disc<TypeParam>(spinning(ContactLaw::kCoulomb), {0, 0, 0, slowed}, {kLoad, 0, 0, -kMuR * kLoad});
    expect_disc<TypeParam>(spinning(ContactLaw::kFrictionless), {0, 0, 0, spin}, {kLoad, 0, 0, 0});
    expect_disc<TypeParam>(spinning(ContactLaw::kAnitescu), {0, 0, kMuR * convex, convex},
                           {kLoad + kMuR * convex, 0, 0, -kMuR * (kLoad + kMuR * convex)});
  }
}

TYPED_TEST(TorsionOf, HoldsASpinThatIsSlowEnough) {
  for (const ConeType cone : this->cones())
    for (const auto law : {ContactLaw::kCoulomb, ContactLaw::kAnitescu}) {
      const double spin = 0.9 * kMuR * kLoad / kInertia;
      expect_disc<TypeParam>(disc(law, cone, {0, 0, 0, spin}, kMu, kMuR), {0, 0, 0, 0},
                             {kLoad, 0, 0, -kInertia * spin});
    }
}

TYPED_TEST(TorsionOf, ActsAloneWhereNothingResistsTheSlide) {
  const double spin = 5;
  for (const ConeType cone : this->cones())
    expect_disc<TypeParam>(disc(ContactLaw::kCoulomb, cone, {0.2, -0.1, 0, spin}, 0, kMuR),
                           {0.2, -0.1, 0, spin - kMuR * kLoad / kInertia}, {kLoad, 0, 0, -kMuR * kLoad});
}

TYPED_TEST(TorsionOf, SharesTheEllipsoidBetweenSlideAndSpin) {
  if (!can_solve(TypeParam::kName, ConeType::kQuadratic)) GTEST_SKIP() << "cannot do quadratic cones";
  // with the velocities after the step given, the impulse is −λ_n (μ² u, μ_r² ω)/√(μ² u² + μ_r² ω²)
  for (const double angle : {0.0, 1.0, -2.5})
    for (const double spin : {0.5, -8.0, 30.0}) {
      const double x = 0.3 * std::cos(angle), y = 0.3 * std::sin(angle);
      const double support = std::hypot(kMu * x, kMu * y, kMuR * spin), share = kLoad / support;
      const std::array<double, 4> lambda{kLoad, -share * kMu * kMu * x, -share * kMu * kMu * y,
                                         -share * kMuR * kMuR * spin};
      const std::array<double, 4> before{x - lambda[1], y - lambda[2], 0, spin - lambda[3] / kInertia};
      expect_disc<TypeParam>(disc(ContactLaw::kCoulomb, ConeType::kQuadratic, before, kMu, kMuR), {x, y, 0, spin},
                             lambda);
    }
}

TYPED_TEST(TorsionOf, LetsFacetsResistTheFasterOfSlideAndSpinAlone) {
  // the generator with the largest −g·u: a slide of 0.3 m/s along −x, or a spin of more than μ/μ_r times that
  const std::array<double, 4> slide{kLoad, kMu * kLoad, 0, 0}, turn{kLoad, 0, 0, -kMuR * kLoad};
  expect_disc<TypeParam>(disc(ContactLaw::kCoulomb, ConeType::kPyramid, {-0.3 - kMu * kLoad, 0, 0, 14}, kMu, kMuR),
                         {-0.3, 0, 0, 14}, slide);
  expect_disc<TypeParam>(
      disc(ContactLaw::kCoulomb, ConeType::kPyramid, {-0.3, 0, 0, 16 + kMuR * kLoad / kInertia}, kMu, kMuR),
      {-0.3, 0, 0, 16}, turn);
  // both are held where |λ_x|/μ + |λ_r|/μ_r is less than λ_n
  const double push = 0.5 * kMu * kLoad, twist = 0.45 * kMuR * kLoad;
  expect_disc<TypeParam>(disc(ContactLaw::kCoulomb, ConeType::kPyramid, {push, 0, 0, twist / kInertia}, kMu, kMuR),
                         {0, 0, 0, 0}, {kLoad, -push, 0, -twist});
}

TYPED_TEST(TorsionOf, HoldsAgainstAScriptThatTurns) {
  for (const ConeType cone : this->cones()) {
    auto p = disc(ContactLaw::kCoulomb, cone, {0, 0, 0, 0}, kMu, kMuR);
    p.contacts[0].offset[3] = -0.2;  // the floor turns at 0.2 rad/s; the torsion needed is 4e-4 < 1e-3
    expect_disc<TypeParam>(p, {0, 0, 0, 0.2}, {kLoad, 0, 0, 0.2 * kInertia});
  }
}

/// A random problem with one motion: masses in H, little friction under Coulomb's law.
RawProblem<double> unique_torsion(Rng& rng, ContactLaw law, ConeType cone = ConeType::kQuadratic) {
  StackOptions o;
  o.boxes = 3, o.columns = 2, o.finger_contacts = 4, o.mass_in_H = 1;
  auto p = add_torsion(rng, random_stack(rng, o));
  p.law = law, p.cone = cone;
  for (auto& c : p.contacts) c.mu_t *= kLittleFriction, c.mu_o *= kLittleFriction, c.mu_r *= kLittleFriction;
  return p;
}

TYPED_TEST(TorsionOf, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(710);
  for (const ConeType cone : this->cones())
    for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb, ContactLaw::kFrictionless}) {
      auto p = unique_torsion(rng, law, cone);
      expect_order_does_not_matter<TypeParam>(p, kAskedIterative, 5);
    }
}

/// Expects the answer of p, without torsion, to be that of a problem of three rows.
template <class Solver>
void expect_answer_of_three_rows(RawProblem<double> p) {
  auto flat = p;
  flat.dimension = 3;
  for (auto& c : p.contacts) c.mu_r = 0;
  for (auto& c : flat.contacts)
    for (auto& J : c.J) J.resize(J.size() / 4 * 3);
  const auto a = solve_with<Solver>(p, kAskedIterative), b = solve_with<Solver>(flat, kAskedIterative);
  // in another order of sums: ADMM over the entries of contacts, the interior point over facets
  const bool sums = Solver::kName == SolverName::kAdmm;
  const bool sums_facets = Solver::kName == SolverName::kInteriorPoint && !is_round(p.cone);
  EXPECT_EQ(a.report.status, b.report.status);
  if (is_round(p.cone) || !(sums || sums_facets)) {
    EXPECT_EQ(a.report.iterations, b.report.iterations);
  }
  for (std::size_t j = 0; j < a.v.size(); ++j)
    EXPECT_NEAR(a.v[j], b.v[j], sums || sums_facets ? kIterativeNumber : 0.0) << j;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) EXPECT_EQ(a.lambda[4 * i + 3], 0.0);
}

TYPED_TEST(TorsionOf, AProblemWhoseContactsHaveNoneIsTheOneOfThreeRows) {
  Rng rng(711);
  for (const ConeType cone : this->cones())
    for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
      expect_answer_of_three_rows<TypeParam>(unique_torsion(rng, law, cone));
}

TYPED_TEST(TorsionOf, WhatItHoldsDoesNotFollowTheStart) {
  for (const ConeType cone : this->cones())
    for (const double mu_r : {0.0, kMuR}) {
      auto p = disc(ContactLaw::kAnitescu, cone, {0, 0, 0, 0}, kMu, mu_r);
      for (double& h : p.H[0]) h = 0;
      p.start = {0, 0, 0, 3};
      const auto a = solve_with<TypeParam>(p, kAskedIterative);
      ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
      EXPECT_NEAR(rates(a)[3], mu_r > 0 ? 0.0 : 3 * kDiscRadius, kIterativeNumber);
    }
}

TEST(Torsion, MotionDependsNeitherOnTheTangentsNorOnTheRadius) {
  Rng rng(712);
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (int i = 0; i < samples(10); ++i) {
      auto p = unique_torsion(rng, law), turned = p;
      for (auto& c : turned.contacts) {
        const double angle = uniform(rng, -M_PI, M_PI), cosine = std::cos(angle), sine = std::sin(angle);
        c.radius *= uniform(rng, 0.3, 3);
        for (auto& J : c.J) {
          const std::size_t n = J.size() / 4;
          for (std::size_t j = 0; j < n; ++j) {
            const double t = J[n + j], o = J[2 * n + j];
            J[n + j] = cosine * t + sine * o, J[2 * n + j] = cosine * o - sine * t;
          }
        }
      }
      const auto a = solve_with<Newton>(p, kTight), b = solve_with<Newton>(turned, kTight);
      ASSERT_TRUE(a.has(status::kConverged) && b.has(status::kConverged)) << i;
      for (std::size_t j = 0; j < a.v.size(); ++j)
        EXPECT_NEAR(p.step_size * a.v[j] * p.dof_radius[j], p.step_size * b.v[j] * p.dof_radius[j], kFrame) << i;
    }
}

/// The share of random problems that both solvers bring to kTight, with the same motion; Newton has to solve all.
template <class Solver>
double share_of_same_motions(Rng& rng, ConeType cone) {
  int compared = 0, count = 0;
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (int i = 0; i < samples(10); ++i, ++count) {
      auto p = unique_torsion(rng, law, cone);
      const auto a = solve_with<Solver>(p, kTight), b = solve_with<Newton>(p, kTight);
      EXPECT_TRUE(b.has(status::kConverged)) << i << " residual " << b.report.residual;
      if (!a.has(status::kConverged)) continue;  // flagged: under Coulomb's law the interior point leaves some
      ++compared;
      for (std::size_t j = 0; j < a.v.size(); ++j)
        EXPECT_NEAR(p.step_size * a.v[j] * p.dof_radius[j], p.step_size * b.v[j] * p.dof_radius[j], kSameMotion) << i;
    }
  return compared / static_cast<double>(count);
}

TEST(Torsion, SolversAgreeOnTheMotion) {
  Rng rng(713);
  for (const auto& cone : kEveryCone)
    EXPECT_GE(share_of_same_motions<InteriorPoint>(rng, cone.value), kShareOfGrasps) << cone;
  EXPECT_GE(share_of_same_motions<Lemke>(rng, ConeType::kPyramid), kShareOfGrasps);
  EXPECT_GE(share_of_same_motions<Lemke>(rng, ConeType::kBox), kShareOfGrasps);
}

TEST(Torsion, AWarmStartSolvesTheSameStepInFewIterations) {
  Rng rng(714);
  for (int i = 0; i < samples(20); ++i) {
    auto p = random_torsion(rng, random_options(rng));
    const auto cold = solve(p, 1e-8);
    if (!cold.has(status::kConverged)) continue;
    const auto warm = solve(p, 1e-8, &cold);
    EXPECT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_LE(warm.report.iterations, 3) << i;
  }
}

/// Share of random problems with a singular H that `Solver` brings to the tolerance; its flags are checked.
template <class Solver, class Make>
double share_converged(unsigned seed, int count, ContactLaw law, double tolerance, const Make& make) {
  Rng rng(seed);
  int converged = 0;
  for (int i = 0; i < count; ++i) {
    auto o = random_options(rng);
    o.mass_in_H = 0;
    auto p = make(rng, o);
    p.law = law;
    const auto a = solve_with<Solver>(p, tolerance);
    converged += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= tolerance) << i;
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << i;
  }
  std::printf("share converged to %g: %.4f of %d\n", tolerance, converged / static_cast<double>(count), count);
  return static_cast<double>(converged) / count;
}

/// The stacks of the other tests with torsion: one μ a contact, 0.3 ... 0.9.
RawProblem<double> tame_torsion(Rng& rng, const StackOptions& o) { return add_torsion(rng, random_stack(rng, o)); }

RawProblem<double> without_robot(Rng& rng, StackOptions o) {
  o.robot_dofs = 0;
  return add_torsion(rng, random_stack(rng, o));
}

TEST(TorsionShare, OfConvexProblemsWithASingularH) {
  const auto law = ContactLaw::kAnitescu;
  EXPECT_GE(share_converged<InteriorPoint>(720, samples(200), law, kAskedSingular, random_torsion), kShareOfCones);
  EXPECT_GE(share_converged<Newton>(721, samples(40), law, kAskedSingular, random_torsion), kShareNewton);
  EXPECT_GE(share_converged<Admm>(722, samples(40), law, kAskedIterative, tame_torsion), kShareAdmm);
  EXPECT_GE(share_converged<Pgs>(723, samples(20), law, kFloatResidual, tame_torsion), kSharePgs);
}

TEST(TorsionShare, OfCoulombProblemsWithASingularH) {
  const auto law = ContactLaw::kCoulomb;
  EXPECT_GE(share_converged<InteriorPoint>(724, samples(40), law, kAsked, without_robot), kShareOfStacks);
  EXPECT_GE(share_converged<InteriorPoint>(725, samples(20), law, kAsked, tame_torsion), kShareOfGrasps);
  EXPECT_GE(share_converged<Newton>(726, samples(30), law, kAsked, tame_torsion), kShareNewton);
  EXPECT_GE(share_converged<Newton>(727, samples(30), law, kAsked, random_torsion), kShareNewtonWild);
  EXPECT_GE(share_converged<Admm>(728, samples(20), law, kAskedIterative, tame_torsion), kShareAdmmCoulomb);
}

/// The same problems with pyramids of 3 to 8 facets or boxes.
template <class Make>
auto with_facets(const Make& make) {
  return [&](Rng& rng, const StackOptions& o) {
    auto p = make(rng, o);
    p.facets = 3 + static_cast<int>(uniform(rng, 0, 6));
    p.cone = uniform(rng, 0, 1) < 0.2 ? ConeType::kBox : ConeType::kPyramid;
    return p;
  };
}

TEST(TorsionShare, OfConvexProblemsWithFacets) {
  const auto law = ContactLaw::kAnitescu;
  const auto wild = with_facets(random_torsion), tame = with_facets(tame_torsion);
  EXPECT_GE(share_converged<InteriorPoint>(740, samples(200), law, kAskedSingular, wild), kShareOfCones);
  EXPECT_GE(share_converged<Newton>(741, samples(40), law, kAskedSingular, wild), kShareNewton);
  EXPECT_GE(share_converged<Lemke>(742, samples(20), law, kAsked, tame), kShareNewton);
  EXPECT_GE(share_converged<Admm>(743, samples(40), law, kAskedIterative, tame), kShareAdmmFacetsTorsion);
  EXPECT_GE(share_converged<Pgs>(744, samples(20), law, kFloatResidual, tame), kSharePgs);
}

TEST(TorsionShare, OfCoulombProblemsWithFacets) {
  const auto law = ContactLaw::kCoulomb;
  const auto wild = with_facets(random_torsion), tame = with_facets(tame_torsion);
  const auto free = with_facets(without_robot);
  EXPECT_GE(share_converged<InteriorPoint>(745, samples(40), law, kAsked, free), kShareOfStacks);
  EXPECT_GE(share_converged<InteriorPoint>(746, samples(20), law, kAsked, tame), kShareOfGrasps);
  EXPECT_GE(share_converged<Newton>(747, samples(30), law, kAsked, tame), kShareNewtonFacets);
  EXPECT_GE(share_converged<Newton>(748, samples(30), law, kAsked, wild), kShareNewtonWild);
  EXPECT_GE(share_converged<Lemke>(749, samples(20), law, kAsked, free), kShareOfGrasps);
  EXPECT_GE(share_converged<Admm>(750, samples(20), law, kAskedIterative, tame), kShareAdmmCoulomb);
}

TEST(TorsionShare, OfFloatsWithFacets) {
  const auto wild = with_facets(random_torsion), tame = with_facets(tame_torsion);
  EXPECT_GE(share_of_floats<InteriorPoint>(751, samples(40), wild), kShareOfFloats);
  EXPECT_GE(share_of_floats<Newton>(752, samples(20), tame), kShareNewtonFloat);
  EXPECT_GE(share_of_floats<Admm>(753, samples(20), tame), kShareAdmmFloat);
}

TEST(TorsionShare, OfFloats) {
  EXPECT_GE(share_of_floats<InteriorPoint>(730, samples(40), random_torsion), kShareOfFloats);
  EXPECT_GE(share_of_floats<Newton>(731, samples(20), tame_torsion), kShareNewtonFloat);
  EXPECT_GE(share_of_floats<Admm>(732, samples(20), tame_torsion), kShareAdmmFloat);
}

}  // namespace
}  // namespace stiction::test
