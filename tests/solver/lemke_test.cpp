// Lemke's method on contact problems: Coulomb's law exactly, Anitescu's against the interior point, rows, certificates.
#include <gtest/gtest.h>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/hand_problems.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

TEST(LemkeContacts, SlideWithoutTheBoundaryLayer) {
  auto p = point(ContactLaw::kCoulomb, {1, 0, 0}, 0.5);
  const auto a = solve_with<Lemke>(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
  EXPECT_NEAR(a.v[0], 1 - 0.5 * 0.1, kHandNumber);
  EXPECT_NEAR(a.v[2], 0.0, kHandNumber);
  EXPECT_NEAR(a.lambda[0], 0.1, kHandNumber);
  EXPECT_NEAR(a.lambda[1], -0.05, kHandNumber);
}

TEST(LemkeContacts, StickWithinTheCone) {
  auto p = point(ContactLaw::kCoulomb, {0.04, -0.005, 0}, 0.5);
  const auto a = solve_with<Lemke>(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
  for (double v : a.v) EXPECT_NEAR(v, 0.0, kHandNumber);
  EXPECT_NEAR(a.lambda[1], -0.04, kHandNumber);
  EXPECT_NEAR(a.lambda[2], 0.005, kHandNumber);
}

TEST(LemkeContacts, WithoutFrictionHaveOneVariable) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb, ContactLaw::kFrictionless}) {
    auto p = point(law, {1, 0, 0}, law == ContactLaw::kFrictionless ? 0.5 : 0.0);
    const auto a = solve_with<Lemke>(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
    EXPECT_NEAR(a.v[0], 1.0, kHandNumber);
    EXPECT_NEAR(a.v[2], 0.0, kHandNumber);
  }
}

/// The Stewart-Trinkle conditions from the raw problem, relative to its largest impulse times its largest speed.
double worst_stewart_trinkle(const RawProblem<double>& p, const Answer<double>& a) {
  double worst = 0, impulse = 1e-12, speed = 1e-3 / p.step_size;
  for (double l : a.lambda) impulse = std::fmax(impulse, std::fabs(l));
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const auto& c = p.contacts[i];
    std::array<double, 3> u{c.offset[0], c.offset[1], c.offset[2]};
    for (std::size_t s = 0; s < 2; ++s) {
      if (c.block[s] < 0) continue;
      std::size_t adr = 0;
      for (int b = 0; b < c.block[s]; ++b) adr += static_cast<std::size_t>(p.block_size[static_cast<std::size_t>(b)]);
      const auto n = static_cast<std::size_t>(p.block_size[static_cast<std::size_t>(c.block[s])]);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t j = 0; j < n; ++j) u[r] += c.J[s][r * n + j] * a.v[adr + j];
    }
    for (double x : u) speed = std::fmax(speed, std::fabs(x));
    double resistance = 0;  // max −D_k·u_t
    for (int k = 0; k < p.facets; ++k) {
      const double angle = 2 * M_PI * k / p.facets;
      resistance = std::fmax(resistance, -c.mu_t * std::cos(angle) * u[1] - c.mu_o * std::sin(angle) * u[2]);
    }
    const double* lambda = &a.lambda[3 * i];
    const double open = u[0] + c.gap_rate;
    worst = std::fmax(worst, std::fmax(-lambda[0] * speed, -open * impulse));
    worst = std::fmax(worst, std::fabs(std::fmin(lambda[0] * speed, open * impulse)));
    worst = std::fmax(worst, std::fabs(lambda[1] * u[1] + lambda[2] * u[2] + lambda[0] * resistance));
  }
  return worst / (impulse * speed);
}

/// Small enough for dense pivots in a test of a second.
StackOptions small_options(Rng& rng) {
  StackOptions o = random_options(rng);
  o.boxes = std::min(o.boxes, 6), o.finger_contacts = std::min(o.finger_contacts, 16);
  return o;
}

TEST(LemkeContacts, SolveCoulombsLawOnRandomStacks) {
  Rng rng(200);
  for (int i = 0; i < samples(60); ++i) {
    auto p = random_stack(rng, small_options(rng));
    p.law = ContactLaw::kCoulomb;
    const auto a = solve_with<Lemke>(p, kAsked);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " status " << a.report.status << " residual " << a.report.residual;
    EXPECT_EQ(a.report.residual, a.residual.total);
    EXPECT_LE(worst_stewart_trinkle(p, a), kStewartTrinkle) << i;
    EXPECT_LE(a.residual.motion, kAsked) << i;
  }
}

TEST(LemkeContacts, AgreeWithTheInteriorPointUnderAnitescusLaw) {
  Rng rng(201);
  for (int i = 0; i < samples(60); ++i) {
    auto p = random_stack(rng, small_options(rng));
    const auto a = solve_with<Lemke>(p, kAsked);
    const auto b = solve(p, kAsked);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " status " << a.report.status << " residual " << a.report.residual;
    if (!b.has(status::kConverged)) continue;
    const double size = std::fabs(b.residual.objective) + kObjectiveFloor;
    EXPECT_NEAR(a.residual.objective / size, b.residual.objective / size, kObjective) << i;
  }
}

TEST(LemkeContacts, SolveAMassRatioOfAMillion) {
  Rng rng(202);
  for (int i = 0; i < samples(20); ++i) {
    StackOptions o;
    o.boxes = 4, o.columns = 2, o.min_mass = 1e-3, o.max_mass = 1e3, o.mass_in_H = i % 2;
    auto p = random_stack(rng, o);
    p.law = i % 4 < 2 ? ContactLaw::kCoulomb : ContactLaw::kAnitescu;
    const auto a = solve_with<Lemke>(p, kAsked);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " status " << a.report.status << " residual " << a.report.residual;
  }
}

TEST(LemkeContacts, SolveTheBoxCone) {
  Rng rng(203);
  for (int i = 0; i < samples(20); ++i) {
    auto p = random_stack(rng, small_options(rng));
    p.law = i % 2 ? ContactLaw::kCoulomb : ContactLaw::kAnitescu, p.cone = ConeType::kBox;
    const auto a = solve_with<Lemke>(p, kAsked);
    EXPECT_TRUE(a.has(status::kConverged)) << i << " status " << a.report.status << " residual " << a.report.residual;
  }
}

TEST(LemkeContacts, LeaveAQuadraticConeUnsolvedAndSayIt) {
  auto p = point(ContactLaw::kCoulomb, {1, 0, 0}, 0.5);
  p.cone = ConeType::kQuadratic;
  const auto a = solve_with<Lemke>(p, kAsked);
  EXPECT_EQ(a.report.status, status::kStalled);
  EXPECT_GT(a.report.residual, kAsked);
}

TEST(LemkeContacts, SinglePrecisionProblemsAreSolvedInDouble) {
  Rng rng(204);
  int converged = 0;
  const int count = samples(30);
  for (int i = 0; i < count; ++i) {
    StackOptions o = small_options(rng);
    o.stiffness = 1000, o.max_mass = 0.1;
    auto p = convert<float>(random_stack(rng, o));
    p.law = ContactLaw::kCoulomb;
    const auto a = solve_with<Lemke>(p, kFloatResidual);
    converged += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.report.residual <= static_cast<float>(kFloatResidual)) << i;
  }
  EXPECT_GE(converged, kShareFloat * count);
}

TEST(LemkeContacts, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(205);
  for (int i = 0; i < 4; ++i) {
    auto p = random_stack(rng, small_options(rng));
    p.law = i % 2 ? ContactLaw::kCoulomb : ContactLaw::kAnitescu;
    expect_order_does_not_matter<Lemke>(p, kAsked);
  }
}

TEST(LemkeRows, OfEveryKindHaveTheirHandNumbers) {
  for (auto& c : row_cases()) {
    const auto a = solve_with<Lemke>(c.problem, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << c.name << " residual " << a.report.residual;
    for (std::size_t j = 0; j < c.v.size(); ++j) EXPECT_NEAR(a.v[j], c.v[j], kHandNumber) << c.name;
    EXPECT_NEAR(a.row_lambda[0], c.lambda, kHandNumber) << c.name;
  }
}

TEST(LemkeContacts, SayThatClosingWallsLeaveNoRoom) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb, ContactLaw::kFrictionless}) {
    auto p = closing_walls(law);
    const auto a = solve_with<Lemke>(p, kAsked);
    ASSERT_EQ(a.report.status, status::kInfeasible) << static_cast<int>(law);
    ASSERT_EQ(a.certificate.size(), 6u);
    // Jᵀy = 0 along x, y, z; Σ y_n φ/h < 0
    EXPECT_NEAR(a.certificate[0], a.certificate[3], kCertificate);
    EXPECT_NEAR(a.certificate[1], a.certificate[4], kCertificate);
    EXPECT_NEAR(a.certificate[2], -a.certificate[5], kCertificate);
    EXPECT_GT(a.certificate[0], 0.0);
  }
}

TEST(LemkeContacts, SayThatABodyWithoutSupportIsUnbounded) {
  for (const double mu : {0.5, 0.0}) {
    RawProblem<double> p;
    p.law = mu > 0 ? ContactLaw::kAnitescu : ContactLaw::kCoulomb;
    p.add_block({0, 0, 0}, {0, 0, -1}, {1, 1, 1}, {1, 1, 1});
    RawContact<double> c;  // a wall beside it
    c.block = {-1, 0}, c.J[1] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c.mu_t = c.mu_o = mu;
    p.contacts.push_back(c);
    const auto a = solve_with<Lemke>(p, kAsked);
    ASSERT_EQ(a.report.status, status::kUnbounded) << mu;
    ASSERT_EQ(a.certificate.size(), 3u);
    EXPECT_LT(a.certificate[2], 0.0);                                               // gᵀd > 0
    EXPECT_GE(a.certificate[0] - mu * std::fabs(a.certificate[2]), -kCertificate);  // J d ∈ K*
  }
}

TEST(LemkeContacts, DoNotClaimToHoldABodyThatSlidesDownAWall) {
  // under Coulomb's law nothing presses it to the wall: no solution, and no direction in K* that Δv would show
  RawProblem<double> p;
  p.law = ContactLaw::kCoulomb;
  p.add_block({0, 0, 0}, {0, 0, -1}, {1, 1, 1}, {1, 1, 1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c.mu_t = c.mu_o = 0.5;
  p.contacts.push_back(c);
  const auto a = solve_with<Lemke>(p, kAsked);
  EXPECT_FALSE(a.has(status::kConverged));
  EXPECT_GT(a.report.residual, kAsked);
}

TEST(LemkeContacts, SayNotFinite) {
  auto p = point(ContactLaw::kCoulomb, {1, 0, 0}, 0.5);
  p.g[1] = std::nan("");
  const auto a = solve_with<Lemke>(p, kAsked);
  EXPECT_EQ(a.report.status, status::kNotFinite);
  for (double v : a.v) EXPECT_EQ(v, 0.0);
}

TEST(LemkeContacts, EndOnHugeNumbersWithFiniteAnswers) {
  for (const double size : {1e-300, 1e-100, 1e100, 1e300})
    for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
      auto p = point(ContactLaw::kCoulomb, {1, 0, 0}, 0.5);
      p.law = law, p.g[2] = -size;
      const auto a = solve_with<Lemke>(p, kAsked);
      for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << size;
      for (double l : a.lambda) EXPECT_TRUE(std::isfinite(l)) << size;
    }
}

/// One quasistatic step of the planar gripper (docs/validation.md, P1): ball (x, y), fingers (x_l, x_r, y).
RawProblem<double> gripper_step(const std::array<double, 5>& q, const std::array<double, 3>& command, double h) {
  RawProblem<double> p;
  p.law = ContactLaw::kCoulomb, p.step_size = h;
  const double K = 1000, r = 0.1, k = h * h * K;
  p.add_block({0, 0}, {0, -10 * h}, {1, 1}, {1, 1});
  p.add_block({k, k, k}, {h * K * (command[0] - q[2]), h * K * (command[1] - q[3]), h * K * (command[2] - q[4])},
              {1, 1, 1}, {0, 0, 0});
  const auto add = [&](double gap, std::vector<double> J_ball, std::vector<double> J_fingers, int fingers) {
    RawContact<double> c;
    c.block = {0, fingers}, c.J = {std::move(J_ball), std::move(J_fingers)};
    c.gap_rate = gap / h, c.mu_t = c.mu_o = 0.5;
    p.contacts.push_back(c);
  };
  add(q[0] - q[2] - r, {1, 0, 0, 1, 0, 0}, {-1, 0, 0, 0, 0, -1, 0, 0, 0}, 1);
  add(q[3] - q[0] - r, {-1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 0, -1, 0, 0, 0}, 1);
  add(q[1] - r, {0, 1, 1, 0, 0, 0}, {}, -1);
  return p;
}

TEST(LemkeContacts, ReproduceTheGrippersLcpOfThe2021Paper) {
  const double h = 0.01;
  std::array<double, 5> q{0, .1, -.106, .106, 0};
  for (int step = 0; step < 35; ++step) {
    const double t = (step + 1) * h, squeeze = std::fmin(1.0, t / .08), lower = std::clamp((t - .08) / .15, 0.0, 1.0);
    const double x = -.106 + .016 * squeeze;
    auto p = gripper_step(q, {x, -x, -.03 * lower}, h);
    const auto a = solve_with<Lemke>(p, kGripperAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << "step " << step << " residual " << a.report.residual;
    for (std::size_t j = 0; j < 5; ++j) q[j] += h * a.v[j];
    const double normal = a.lambda[0] / h, friction = (a.lambda[1] + a.lambda[4]) / h, floor = a.lambda[6] / h;
    if (step >= 3 && step <= 7) {
      EXPECT_NEAR(normal, 2.0 * (step - 2), kGripperForce) << step;
    }
    if (step >= 8 && step <= 12) {
      EXPECT_NEAR(friction, -2.0 * (step - 7), kGripperForce) << step;
      EXPECT_NEAR(floor, 10 + 2.0 * (step - 7), kGripperForce) << step;
    }
    if (step >= 13 && step <= 22) {  // sliding: on the surface, not in a boundary layer
      EXPECT_NEAR(q[0] - q[2] - .1, 0.0, kGripperPosition) << step;
      EXPECT_NEAR(normal, 10.0, kGripperForce) << step;
      EXPECT_NEAR(friction, -10.0, kGripperForce) << step;
      EXPECT_NEAR(floor, 20.0, kGripperForce) << step;
    }
  }
  EXPECT_NEAR(q[4], -.02, kGripperPosition);
}

TEST(LemkeContacts, SolveAnEmptyProblem) {
  RawProblem<double> p;
  EXPECT_TRUE(solve_with<Lemke>(p, kAsked).has(status::kConverged));
}

TEST(LemkeContacts, MoveNoFurtherThanTheyArePushed) {
  RawProblem<double> p;
  p.add_block({0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {.1, .1, .1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {.6, 0, .8, 1, 0, 0, 0, 1, 0}, c.gap_rate = -1;
  p.contacts.push_back(c);
  const auto a = solve_with<Lemke>(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.6, kHandNumber);
  EXPECT_NEAR(a.v[1], 0.0, kHandNumber);
  EXPECT_NEAR(a.v[2], 0.8, kHandNumber);
}

}  // namespace
}  // namespace stiction::test
