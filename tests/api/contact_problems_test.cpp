// Claims about solve_contact: hand numbers, the reference's residual and objective, certificates, padding.
#include <gtest/gtest.h>

#include "host/reference/contact_solver.hpp"
#include "host/reference/residual.hpp"
#include "tests/api/choices.hpp"
#include "tests/api/problems.hpp"
#include "tests/solver/samples.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]

class EveryContactChoice : public testing::TestWithParam<SolveOptions> {
 protected:
  double hand() const { return is_iterative(*GetParam().solver) ? tolerance::kHandIterative : tolerance::kHand; }
};

TEST_P(EveryContactChoice, SlidesAndSticksByHand) {
  const SolveOptions& o = GetParam();
  const double mu = 0.5, weight = 10 * kStep, layer = (1 - mu * weight) / (1 + mu * mu);
  const ContactBatch batch({point_on_floor(kStep, {1, 0, 0}, mu), point_on_floor(kStep, {0.04, -0.005, 0}, mu)}, kStep);
  const ContactAnswers a = solve_contact(batch.view, o);
  for (const std::uint32_t status : a.status) ASSERT_EQ(status, status::kConverged);
  const bool free = o.law == ContactLaw::kFrictionless, hovers = o.law == ContactLaw::kAnitescu;
  EXPECT_NEAR(a.v[0], free ? 1 : (hovers ? layer : 1 - mu * weight), hand());
  EXPECT_NEAR(a.v[2], hovers ? mu * layer : 0, hand());
  EXPECT_NEAR(a.v[3], free ? 0.04 : 0, hand());
  EXPECT_NEAR(a.lambda[3], weight, hand());
  EXPECT_NEAR(a.lambda[4], free ? 0 : -0.04, hand());
  EXPECT_NEAR(a.lambda[5], free ? 0 : 0.005, hand());
}

/// The reference's residual of answer i.
double reference_residual(const RandomProblem& r, const ContactAnswers& a, std::size_t batch, std::size_t i) {
  return reference::residual(r.dense, {part_of(a.v, batch, i), part_of(a.lambda, batch, i), Vector()});
}

TEST_P(EveryContactChoice, AtRandomPassesTheReferencesResidualOrIsFlagged) {
  const SolveOptions& o = GetParam();
  Rng rng(41);
  std::vector<RandomProblem> problems;
  std::vector<OneContactProblem> given;
  for (int i = 0; i < samples(6); ++i) {
    problems.push_back(random_problem(rng, o, kStep, 2));
    given.push_back(problems.back().problem);
  }
  const ContactAnswers a = solve_contact(ContactBatch(given, kStep).view, o);
  int converged = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const double residual = reference_residual(problems[i], a, problems.size(), i);
    EXPECT_NEAR(a.residual[i], residual, tolerance::kRoundings + tolerance::kHand * residual) << i;
    EXPECT_EQ(a.status[i] == status::kConverged, a.residual[i] <= o.tolerance) << i;
    if (a.status[i] != status::kConverged) continue;
    ++converged;
    if (o.law == ContactLaw::kCoulomb || is_iterative(*o.solver)) continue;
    const auto expected = reference::solve_contacts(problems[i].dense);
    const double of_answer = reference::objective(problems[i].dense, part_of(a.v, problems.size(), i));
    const double of_reference = reference::objective(problems[i].dense, expected.solution.v);
    EXPECT_NEAR(of_answer, of_reference, tolerance::kObjective * (std::fabs(of_reference) + 1e-3)) << i;
  }
  RecordProperty("converged", converged);
  if (!is_iterative(*o.solver)) {
    EXPECT_GE(converged, tolerance::kShareConverged * static_cast<double>(problems.size()));
  }
}

TEST_P(EveryContactChoice, WithoutRoomHasACertificate) {
  // a point between a floor and a ceiling that are 1 mm into it
  OneContactProblem p = point_on_floor(kStep, {0, 0, 0}, 0.5);
  p.J.conservativeResize(6, 3);
  p.J.bottomRows(3) = -p.J.topRows(3);
  p.phi = Vector::Constant(2, -1e-3), p.mu = Vector::Constant(2, 0.5);
  const ContactAnswers a = solve_contact(ContactBatch({p}, kStep).view, GetParam());
  ASSERT_EQ(a.status[0], status::kInfeasible);
  const Vector y = part_of(a.farkas, 1, 0);
  const double size = y.cwiseAbs().maxCoeff();
  EXPECT_LE((p.J.transpose() * y).cwiseAbs().maxCoeff(), tolerance::kCertificate * size);
  EXPECT_LT(y[0] * p.phi[0] + y[3] * p.phi[1], 0.0);
  for (const Eigen::Index i : {0, 3}) {
    EXPECT_GE(y[i] + tolerance::kCertificate * size, 0.0);
    EXPECT_LE(std::hypot(y[i + 1], y[i + 2]), std::sqrt(2.0) * 0.5 * y[i] + tolerance::kCertificate * size);
  }
  EXPECT_TRUE(std::isnan(a.direction[0]));
  EXPECT_NEAR(a.violation[0], 2e-3, hand());
}

TEST_P(EveryContactChoice, WithoutSupportHasADirection) {
  OneContactProblem p = point_on_floor(kStep, {0, 0, 0}, 0.5);
  p.H.setZero();
  p.g << 0, 0, 1;  // upwards, where nothing is
  const ContactAnswers a = solve_contact(ContactBatch({p}, kStep).view, GetParam());
  ASSERT_EQ(a.status[0], status::kUnbounded);
  const Vector d = part_of(a.direction, 1, 0);
  EXPECT_GT(p.g.dot(d), 0.0);
  EXPECT_LE((p.H * d).cwiseAbs().maxCoeff(), tolerance::kCertificate * d.norm());
  const Vector u = p.J * d;
  EXPECT_GE(u[0] - std::sqrt(2.0) * 0.5 * std::hypot(u[1], u[2]), -tolerance::kCertificate * d.norm());
  EXPECT_TRUE(std::isnan(a.farkas[0]));
}

INSTANTIATE_TEST_SUITE_P(EveryChoice, EveryContactChoice, testing::ValuesIn(every_choice()), choice_name);

TEST(RawContact, LeavesOutContactsBeyondTheCount) {
  OneContactProblem two = point_on_floor(kStep, {1, 0, 0}, 0.5);
  two.J.conservativeResize(6, 3);
  two.J.bottomRows(3).setConstant(std::nan(""));
  two.phi = Vector::Constant(2, 0.0), two.mu = Vector::Constant(2, 0.5);
  two.phi[1] = std::nan("");
  ContactBatch padded({two, two}, kStep);
  padded.count = {1, 0};
  padded.refresh();
  const ContactAnswers a = solve_contact(padded.view);
  const ContactAnswers alone = solve_contact(ContactBatch({point_on_floor(kStep, {1, 0, 0}, 0.5)}, kStep).view);
  EXPECT_EQ(part_of(a.v, 2, 0), part_of(alone.v, 1, 0));
  EXPECT_EQ(part_of(a.lambda, 2, 0).head(3), part_of(alone.lambda, 1, 0));
  EXPECT_EQ(part_of(a.lambda, 2, 0).tail(3), Vector::Zero(3));
  EXPECT_EQ(a.status[1], status::kConverged);
  EXPECT_NEAR(a.v[5], -10 * kStep, tolerance::kHand);
}

TEST(RawContact, OfSeveralMotionsIsTheShortest) {
  // x is pushed up to a wall by nothing: any x >= 0.2 m/s solves it
  OneContactProblem p = point_on_floor(kStep, {0, 0, 0}, 0);
  p.H.setZero(), p.g.setZero();
  p.phi[0] = -0.2 * kStep;
  const ContactAnswers a = solve_contact(ContactBatch({p}, kStep).view);
  ASSERT_EQ(a.status[0], status::kConverged);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a.v[j], j == 2 ? 0.2 : 0, tolerance::kHand);
}

TEST(RawContact, OfADenseSingularMatrixIsSolvedOrHasACertificate) {
  Rng rng(50);
  int unbounded = 0, solved = 0;
  for (int i = 0; i < samples(60); ++i) {
    const Eigen::Index nv = 3 + i % 6, nc = i % 4, rank = 1 + i % 3;
    OneContactProblem p = dense_singular(rng, nv, nc, rank, 4);
    SolveOptions o;
    o.cone = i % 2 ? ConeType::kQuadratic : ConeType::kBox;
    const ContactAnswers a = solve_contact(ContactBatch({p}, kStep).view, o);
    if (a.status[0] == status::kConverged) ++solved;
    if (a.status[0] == status::kConverged) continue;
    ASSERT_EQ(a.status[0], status::kUnbounded) << i;
    ++unbounded;
    const Vector d = part_of(a.direction, 1, 0), u = p.J * d;
    EXPECT_GT(p.g.dot(d), 0.0) << i;
    EXPECT_LE((p.H * d).norm(), tolerance::kCertificate * p.H.norm() * d.norm()) << i;
    for (Eigen::Index c = 0; c < nc; ++c) {
      const double t = std::fabs(u[3 * c + 1]), s = std::fabs(u[3 * c + 2]);
      const double support = 0.5 * (i % 2 ? std::hypot(t, s) : t + s);
      EXPECT_GE(u[3 * c] - support, -tolerance::kCertificate * d.norm()) << i;
    }
  }
  EXPECT_GT(solved, 0);
  EXPECT_GT(unbounded, 0);
}

TEST(RawContact, WithAnAlmostSymmetricMatrixSolvesItsSymmetricPart) {
  OneContactProblem p = point_on_floor(kStep, {1, 0, 0}, 0.5), q = p;
  p.H(0, 1) = 2e-4, q.H(0, 1) = q.H(1, 0) = 1e-4;
  const ContactAnswers a = solve_contact(ContactBatch({p, q}, kStep).view);
  EXPECT_EQ(part_of(a.v, 2, 0), part_of(a.v, 2, 1));
  EXPECT_EQ(a.asymmetry[0], 2e-4);
  EXPECT_EQ(a.asymmetry[1], 0.0);
}

}  // namespace
}  // namespace stiction::test
