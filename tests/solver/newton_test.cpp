// The Newton solver: its direction against differences, its answers against the other solvers', its share of random
// problems with a singular H, its certificates and its starts.
#include <gtest/gtest.h>

#include "tests/solver/float_share.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/hand_problems.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

using Newton = SolverOf<SolverName::kNewton>;

constexpr ConeType kCones[] = {
#define ST_CONE(enumerator, name, ...) ConeType::enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
};
constexpr ContactLaw kLaws[] = {
#define ST_LAW(enumerator, name, ...) ContactLaw::enumerator,
#include "kernels/problem/laws.inc"
#undef ST_LAW
};

/// A stack with a singular H, half of them with general rows; μ 0.1 ... 3, circular, elliptic or flat, where `wild`.
RawProblem<double> singular_stack(Rng& rng, ContactLaw law, ConeType cone, bool wild) {
  auto o = random_options(rng);
  o.mass_in_H = 0;
  auto p = random_stack(rng, o);
  p.law = law, p.cone = cone;
  if (uniform(rng, 0, 1) < 0.5) add_rows(rng, p);
  for (auto& c : p.contacts) {
    if (!wild) continue;
    const double kind = uniform(rng, 0, 1);
    c.mu_t = 0.1 * std::pow(30, uniform(rng, 0, 1));
    c.mu_o = kind < 0.5 ? c.mu_t : (kind < 0.6 ? 0.0 : 0.1 * std::pow(30, uniform(rng, 0, 1)));
  }
  return p;
}

/// The state of a solve at a random (v, λ) around size 1, with what it needs.
struct NewtonAt {
  NewtonAt(RawProblem<double>& raw, Rng& rng)
      : p(raw.view()), memory(newton_scratch<double, double>(capacity_of(p)).all) {
    Arena arena(memory.base());
    take_newton_memory(capacity_of(p), arena, m);
    scale_problem(team, p, m.scaled);
    plan_reduced_system(team, m.scaled, m.system);
    const auto fill = [&](double* x, int n) {
      for (int i = 0; i < n; ++i) x[i] = uniform(rng, -1, 1);
    };
    fill(m.state.v, p.nv), fill(m.state.center, p.nv);
    fill(m.state.lambda, 3 * p.num_contacts), fill(m.state.row_lambda, p.num_rows);
    for (int i = 0; i < p.num_contacts; ++i) m.state.lambda[3 * i] = std::fabs(m.state.lambda[3 * i]);
    if (p.law == ContactLaw::kCoulomb) newton_detail::start_coupling(team, m.scaled, m.shift);
    newton_detail::Progress<double> now{};
    newton_detail::start_proximal(team, 1.0, m, now);
    rho = 1, newton_detail::evaluate(team, p.law, rho, m);
  }
  /// F at v + step d
  std::vector<double> imbalance_at(double step) {
    PolishState<double>& x = m.state;
    const std::vector<double> v(x.v.data(), x.v + p.nv);
    for (int j = 0; j < p.nv; ++j) x.v[j] += step * x.direction[j];
    multiply_J(team, m.scaled, x.v, x.u, x.u_row);
    newton_detail::evaluate(team, p.law, rho, m);
    std::copy(v.begin(), v.end(), x.v.data());
    return {x.newton.data(), x.newton + p.nv};
  }
  HostTeam<> team;
  ContactProblem<double> p;
  Scratch memory;
  NewtonMemory<double, double> m;
  double rho;
};

/// Under Coulomb's law that direction may lead away, F·d < 0; then it is left out, and d = S⁻¹F.
TEST(NewtonStep, TheDirectionSolvesTheLinearisedProblemOrLeadsOn) {
  Rng rng(510);
  int smooth = 0, plain = 0;
  const int count = samples(60);
  for (int i = 0; i < count; ++i) {
    StackOptions o;
    o.boxes = 1 + i % 2, o.finger_contacts = i % 3;  // as many contacts as GMRES has products
    auto raw = random_stack(rng, o);
    raw.law = kLaws[i % 3], raw.cone = kCones[i / 3 % 3];
    add_rows(rng, raw);
    NewtonAt at(raw, rng);
    newton_detail::find_direction(at.team, raw.law, kExact, at.m);
    EXPECT_GT(newton_detail::descent_along(at.team, at.m.scaled, at.m.state), 0) << i;
    const double* d = at.m.state.direction;
    if (raw.law == ContactLaw::kCoulomb && std::equal(d, d + at.p.nv, at.m.shift.plain.data())) {
      ++plain;
      continue;
    }
    const auto F = at.imbalance_at(0), ahead = at.imbalance_at(kDifference), back = at.imbalance_at(-kDifference);
    double size = 0, error = 0, kink = 0;
    for (std::size_t j = 0; j < F.size(); ++j) {
      size = std::fmax(size, std::fabs(F[j]));
      error = std::fmax(error, std::fabs((ahead[j] - back[j]) / (2 * kDifference) + F[j]));
      kink = std::fmax(kink, std::fabs(ahead[j] + back[j] - 2 * F[j]) / kDifference);
    }
    if (kink > kSameFace * size) continue;
    ++smooth;
    EXPECT_LE(error, kNewtonDirection * size) << i;
  }
  EXPECT_GE(smooth, kShareWithoutKink * (count - plain));
  EXPECT_GT(plain, 0);
  EXPECT_LE(plain, count / 6);  // half of those under Coulomb's law
}

/// Share of random problems with a singular H that `Solver` brings to `asked`.
template <class Solver>
double share_converged(unsigned seed, int count, ContactLaw law, ConeType cone, bool wild, double asked = kAsked) {
  Rng rng(seed);
  int converged = 0;
  for (int i = 0; i < count; ++i) {
    auto p = singular_stack(rng, law, cone, wild);
    const auto a = solve_with<Solver>(p, asked);
    converged += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= asked) << i;
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << i;
  }
  std::printf("share converged to %g: %.4f of %d\n", asked, converged / static_cast<double>(count), count);
  return static_cast<double>(converged) / count;
}

TEST(NewtonShare, SolvesConvexProblemsWithASingularH) {
  EXPECT_GE(share_converged<Newton>(511, samples(25), ContactLaw::kAnitescu, ConeType::kPyramid, false), kShareNewton);
  EXPECT_GE(
      share_converged<Newton>(512, samples(25), ContactLaw::kAnitescu, ConeType::kQuadratic, true, kAskedSingular),
      kShareNewton);
  EXPECT_GE(share_converged<Newton>(513, samples(10), ContactLaw::kFrictionless, ConeType::kPyramid, false),
            kShareNewton);
}

TEST(NewtonShare, SolvesCoulombsLawWithASingularH) {
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kBox})
    EXPECT_GE(share_converged<Newton>(514, samples(50), ContactLaw::kCoulomb, cone, false), kShareNewtonFacets);
}

TEST(NewtonShare, SolvesQuadraticCoulombProblemsAtLeastAsOftenAsTheInteriorPoint) {
  const auto share = [](auto solver, bool wild) {
    return share_converged<decltype(solver)>(516, samples(15), ContactLaw::kCoulomb, ConeType::kQuadratic, wild);
  };
  const double tame = share(Newton{}, false), wild = share(Newton{}, true);
  EXPECT_GE(tame, kShareNewton);
  EXPECT_GE(tame, share(InteriorPoint{}, false));
  EXPECT_GE(wild, kShareNewtonWild);
  EXPECT_GE(wild, share(InteriorPoint{}, true));
}

TEST(NewtonShare, FloatReachesWhatFloatCan) {
  const auto make = [](Rng& rng, const StackOptions& o) { return random_stack(rng, o); };
  EXPECT_GE(share_of_floats<Newton>(517, samples(20), make), kShareNewtonFloat);
}

/// A small stack whose H is regular: the motion is unique under convex laws, and under Coulomb's with little friction.
RawProblem<double> unique_stack(Rng& rng, ContactLaw law, ConeType cone) {
  StackOptions o;
  o.boxes = 3, o.columns = 2, o.finger_contacts = 4, o.mass_in_H = 1;
  auto p = random_stack(rng, o);
  p.law = law, p.cone = cone;
  add_rows(rng, p);
  for (auto& c : p.contacts) c.mu_t *= kLittleFriction, c.mu_o *= kLittleFriction;
  return p;
}

template <class Solver>
void expect_same_motion(RawProblem<double>& p, const char* other, int i) {
  const auto a = solve_with<Newton>(p, kTight), b = solve_with<Solver>(p, kTight);
  ASSERT_TRUE(a.has(status::kConverged)) << other << " " << i << " residual " << a.report.residual;
  ASSERT_TRUE(b.has(status::kConverged)) << other << " " << i << " residual " << b.report.residual;
  for (std::size_t j = 0; j < a.v.size(); ++j)
    EXPECT_NEAR(p.step_size * a.v[j] * p.dof_radius[j], p.step_size * b.v[j] * p.dof_radius[j], kSameMotion)
        << other << " " << i;
}

TEST(Newton, MovesAsTheOtherSolversWhereTheMotionIsUnique) {
  Rng rng(518);
  for (const ContactLaw law : kLaws)
    for (const ConeType cone : kCones)
      for (int i = 0; i < samples(3); ++i) {
        auto p = unique_stack(rng, law, cone);
        expect_same_motion<InteriorPoint>(p, "interior point", i);
        if (cone != ConeType::kQuadratic) expect_same_motion<Lemke>(p, "Lemke", i);
      }
}

TEST(Newton, TakesTheLeastOfSeveralMotions) {
  RawProblem<double> p;  // a floor rises under a body that nothing else holds
  p.add_block({0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {.1, .1, .1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {.6, 0, .8, 1, 0, 0, 0, 1, 0}, c.gap_rate = -1;
  p.contacts.push_back(c);
  const auto a = solve_with<Newton>(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.6, kHandNumber);
  EXPECT_NEAR(a.v[1], 0.0, kHandNumber);
  EXPECT_NEAR(a.v[2], 0.8, kHandNumber);
}

TEST(Newton, SolvesAMassRatioOfAMillion) {
  Rng rng(519);
  for (int i = 0; i < samples(12); ++i) {
    StackOptions o;
    o.boxes = 4, o.columns = 2, o.min_mass = 1e-3, o.max_mass = 1e3, o.mass_in_H = i % 2;
    auto p = random_stack(rng, o);
    p.law = kLaws[i % 2], p.cone = kCones[i / 2 % 3];
    const auto a = solve_with<Newton>(p, 1e-8);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " residual " << a.report.residual;
  }
}

TEST(Newton, AWarmStartSolvesTheSameStepInFewSteps) {
  Rng rng(520);
  for (int i = 0; i < samples(12); ++i) {
    auto p = singular_stack(rng, kLaws[i % 3], kCones[i / 3 % 3], false);
    const auto cold = solve_with<Newton>(p, kAsked);
    if (!cold.has(status::kConverged)) continue;
    const auto warm = solve_with<Newton>(p, kAsked, &cold);
    EXPECT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_LE(warm.report.iterations, kWarmNewtonSteps) << i;
  }
}

TEST(Newton, AWrongWarmStartDoesNoHarm) {
  Rng rng(521);
  for (int i = 0; i < samples(9); ++i) {
    auto p = random_stack(rng, random_options(rng));
    p.law = kLaws[i % 3], p.cone = kCones[i / 3 % 3];
    Answer<double> wrong = solve_with<Newton, double>(p, kAsked, nullptr, 1);
    for (double& v : wrong.v) v = uniform(rng, -10, 10);
    for (double& l : wrong.lambda) l = uniform(rng, -10, 10);
    const auto a = solve_with<Newton>(p, kAsked, &wrong);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " residual " << a.report.residual;
  }
}

TEST(Newton, SaysWithACertificateThatClosingWallsLeaveNoRoom) {
  for (const auto law : kLaws) {
    auto p = closing_walls(law);
    const auto a = solve_with<Newton>(p, kAsked);
    ASSERT_EQ(a.report.status, status::kInfeasible) << static_cast<int>(law);
    ASSERT_EQ(a.certificate.size(), 6u);
    // Jᵀy = 0 along x, y, z; Σ y_n φ/h < 0
    const double size = a.certificate[0];
    EXPECT_GT(size, 0.0);
    EXPECT_NEAR(a.certificate[0], a.certificate[3], kCertificate * size);
    EXPECT_NEAR(a.certificate[1], a.certificate[4], kCertificate * size);
    EXPECT_NEAR(a.certificate[2], -a.certificate[5], kCertificate * size);
  }
}

TEST(Newton, SaysWithACertificateThatABodyWithoutSupportIsUnbounded) {
  RawProblem<double> p;
  p.add_block({0, 0, 0}, {0, 0, -1}, {1, 1, 1}, {1, 1, 1});
  RawContact<double> c;  // a wall beside it
  c.block = {-1, 0}, c.J[1] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c.mu_t = c.mu_o = 0.5;
  p.contacts.push_back(c);
  const auto a = solve_with<Newton>(p, kAsked);
  ASSERT_EQ(a.report.status, status::kUnbounded);
  ASSERT_EQ(a.certificate.size(), 3u);
  EXPECT_LT(a.certificate[2], 0.0);                                                // gᵀd > 0
  EXPECT_GE(a.certificate[0] - 0.5 * std::fabs(a.certificate[2]), -kCertificate);  // J d ∈ K*
}

TEST(Newton, EndsWithinItsBudgetWhereThereIsNoSolution) {
  auto p = closing_walls(ContactLaw::kCoulomb);
  p.contacts[0].J[1] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p.contacts.pop_back();
  p.contacts[0].gap_rate = 0;  // it slides down a wall that nothing presses it to: no solution, no certificate
  const auto a = solve_with<Newton>(p, kAsked);
  EXPECT_FALSE(a.has(status::kConverged));
  EXPECT_GT(a.report.residual, kAsked);
  EXPECT_TRUE(a.has(status::kIterationLimit | status::kUnbounded)) << a.report.status;
  EXPECT_LE(a.report.iterations, 50 * kNewtonStepsPerIteration);
}

TEST(Newton, AWarmStartHasNoMoreThanItsBudget) {
  auto p = closing_walls(ContactLaw::kCoulomb);
  p.contacts[0].J[1] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p.contacts.pop_back();
  p.contacts[0].gap_rate = 0;  // as above
  const auto last = solve_with<Newton, double>(p, kAsked, nullptr, 1);
  const auto a = solve_with<Newton, double>(p, kAsked, &last, 1);
  EXPECT_FALSE(a.has(status::kConverged));
  EXPECT_LE(a.report.iterations, 2 * kNewtonStepsPerIteration);
}

TEST(Newton, TheOrderOfPhasesDoesNotMatterUnderAnyLaw) {
  Rng rng(522);
  for (const ContactLaw law : kLaws)
    for (const ConeType cone : kCones) {
      StackOptions o;
      o.boxes = 3, o.finger_contacts = 5;
      auto p = random_stack(rng, o);
      p.law = law, p.cone = cone;
      expect_order_does_not_matter<Newton>(p, kAsked);
    }
}

}  // namespace
}  // namespace stiction::test
