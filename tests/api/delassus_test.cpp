// Claims about solve_delassus: it answers as solve_contact does, by a natural map of the test's own, and says what is
// wrong with a W.
#include <gtest/gtest.h>

#include "tests/api/choices.hpp"
#include "tests/api/natural_map.hpp"
#include "tests/api/problems.hpp"
#include "tests/solver/samples.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]

class EveryDelassusChoice : public testing::TestWithParam<SolveOptions> {};

TEST_P(EveryDelassusChoice, SlidesByHandWhateverTheUnits) {
  const SolveOptions& o = GetParam();
  const double hand = is_iterative(*o.solver) ? tolerance::kHandIterative : tolerance::kHand;
  const double mu = 0.5, weight = 0.1, layer = (1 - mu * weight) / (1 + mu * mu);
  for (const double speed : {1e-6, 1.0, 1e6})
    for (const double mass : {1e-6, 1.0, 1e6}) {
      const Vector q = speed * Eigen::Vector3d(-weight, 1, 0);
      const auto a = solve_delassus(DelassusBatch(Matrix::Identity(3, 3) / mass, q, Vector::Constant(1, mu)).view, o);
      ASSERT_EQ(a.status[0], status::kConverged) << speed << " " << mass << " " << a.residual[0];
      const bool free = o.law == ContactLaw::kFrictionless, hovers = o.law == ContactLaw::kAnitescu;
      EXPECT_NEAR(a.v[1] / speed, free ? 1 : (hovers ? layer : 1 - mu * weight), hand) << speed << " " << mass;
      EXPECT_NEAR(a.lambda[0] / (speed * mass), hovers ? weight + mu * layer : weight, hand) << speed << " " << mass;
    }
}

TEST_P(EveryDelassusChoice, WithoutRoomHasACertificate) {
  Matrix W = Matrix::Zero(6, 6);
  W.topLeftCorner(3, 3) = W.bottomRightCorner(3, 3) = Matrix::Identity(3, 3);
  W.topRightCorner(3, 3) = W.bottomLeftCorner(3, 3) = -Matrix::Identity(3, 3);
  Vector q = Vector::Zero(6);
  q[0] = q[3] = -1;
  const ContactAnswers a = solve_delassus(DelassusBatch(W, q, Vector::Constant(2, 0.5)).view, GetParam());
  ASSERT_EQ(a.status[0], status::kInfeasible);
  const Vector y = part_of(a.farkas, 1, 0);
  EXPECT_LE((W * y).cwiseAbs().maxCoeff(), tolerance::kCertificate * y.cwiseAbs().maxCoeff());
  EXPECT_LT(q.dot(y), 0.0);
  EXPECT_GE(std::min(y[0], y[3]), 0.0);
}

INSTANTIATE_TEST_SUITE_P(EveryChoice, EveryDelassusChoice, testing::ValuesIn(every_choice()), choice_name);

TEST(Delassus, AtRandomPassesANaturalMapOfTheTest) {
  Rng rng(43);
  SolveOptions o;
  o.cone = ConeType::kQuadratic, o.tolerance = tolerance::kAsked;
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb, ContactLaw::kFrictionless})
    for (const auto solver : {SolverName::kInteriorPoint, SolverName::kNewton})
      for (int i = 0; i < samples(5); ++i) {
        o.law = law, o.solver = solver;
        const int contacts = 2 + i, dofs = 5 + i;  // more rows than dofs
        Matrix J(3 * contacts, dofs);
        for (auto& x : J.reshaped()) x = uniform(rng, -1, 1);
        Vector q(dofs);
        for (auto& x : q) x = uniform(rng, -1, 1);
        q = J * q;
        const Matrix W = J * J.transpose();
        const Vector mu = Vector::Constant(contacts, 0.4);
        const ContactAnswers a = solve_delassus(DelassusBatch(W, q, mu).view, o);
        const Vector r = part_of(a.lambda, 1, 0);
        if (a.status[0] != status::kConverged) continue;
        EXPECT_LE(natural_map(W, q, law == ContactLaw::kFrictionless ? Vector(0 * mu) : mu, r, law),
                  tolerance::kComplementarity);
        EXPECT_LE((W * r + q - part_of(a.v, 1, 0)).cwiseAbs().maxCoeff(), tolerance::kRoundings * W.norm() * r.norm());
      }
}

TEST(Delassus, IsTheContactProblemWithoutItsBodies) {
  Rng rng(44);
  const RandomProblem stack = [&] {
    SolveOptions o;
    RandomProblem r = random_problem(rng, o, kStep, 2);
    while (r.dense.H.diagonal().minCoeff() <= 0) r = random_problem(rng, o, kStep, 2);
    return r;
  }();
  const OneContactProblem& p = stack.problem;
  const Matrix inverse = p.H.inverse();
  Vector q = p.J * inverse * p.g;
  for (Eigen::Index i = 0; i < p.phi.size(); ++i) q[3 * i] += p.phi[i] / kStep;
  SolveOptions o;
  o.tolerance = tolerance::kAsked;
  const ContactAnswers whole = solve_contact(ContactBatch({p}, kStep).view, o);
  const ContactAnswers reduced = solve_delassus(DelassusBatch(p.J * inverse * p.J.transpose(), q, p.mu).view, o);
  ASSERT_EQ(whole.status[0], status::kConverged);
  ASSERT_EQ(reduced.status[0], status::kConverged);
  const Vector v = inverse * (p.g + p.J.transpose() * part_of(reduced.lambda, 1, 0));
  EXPECT_NEAR((v - part_of(whole.v, 1, 0)).cwiseAbs().maxCoeff(), 0.0, tolerance::kHandIterative);
}

TEST(Delassus, SolvesTheSymmetricPartAndSaysSo) {
  Matrix W = Matrix::Identity(3, 3), S = W;
  W(1, 2) = 2e-4, S(1, 2) = S(2, 1) = 1e-4;
  const Vector q = Eigen::Vector3d(-0.1, 1, 0.5), mu = Vector::Constant(1, 0.5);
  const ContactAnswers a = solve_delassus(DelassusBatch(W, q, mu).view),
                       b = solve_delassus(DelassusBatch(S, q, mu).view);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.asymmetry[0], 2e-4);
  EXPECT_EQ(b.asymmetry[0], 0.0);
}

/// Balls of 1 kg that touch each other at random, and the ground, and come together: W and q of `contacts` contacts.
void make_pile(int contacts, Matrix& W, Vector& q) {
  Rng rng(45);
  const int bodies = contacts / 2;
  Matrix J = Matrix::Zero(3 * contacts, 6 * bodies);
  const auto block = [](const Frame3& frame, double sign) {
    const auto rows =
        free_body_rows(frame, {-sign * frame.row[0][0], -sign * frame.row[0][1], -sign * frame.row[0][2]}, sign);
    return Matrix(Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>>(rows.data()));
  };
  for (int c = 0; c < contacts; ++c) {
    const Frame3 frame = c % 4 == 0 ? upright_frame() : random_frame(rng);
    const int a = static_cast<int>(uniform(rng, 0, bodies)), b = static_cast<int>(uniform(rng, 0, bodies));
    if (c % 4 != 0 && a != b) J.block(3 * c, 6 * a, 3, 6) = block(frame, -1);
    J.block(3 * c, 6 * b, 3, 6) = block(frame, 1);
  }
  Vector v(6 * bodies);
  for (auto& x : v) x = uniform(rng, -1, 1);
  W = J * J.transpose(), q = J * v;
}

/// 6 · 60 velocities: a large problem (one_block_problem.cpp).
constexpr int kManyContacts = 120;

TEST(Delassus, OfManyContactsIsSolvedByWhatIsLeftOpen) {
  Matrix W;
  Vector q;
  make_pile(kManyContacts, W, q);
  const Vector mu = Vector::Constant(kManyContacts, 0.4);
  SolveOptions o;
  o.law = ContactLaw::kCoulomb, o.cone = ConeType::kQuadratic;
  for (const double asked : {1e-4, 1e-6}) {
    o.tolerance = asked;
    const ContactAnswers a = solve_delassus(DelassusBatch(W, q, mu).view, o);
    ASSERT_EQ(a.status[0], status::kConverged) << a.residual[0];
    EXPECT_LE(a.residual[0], asked);
    EXPECT_LE(natural_map(W, q, mu, part_of(a.lambda, 1, 0), o.law), 10 * asked);
  }
}

TEST(Delassus, OfManyContactsEndsWithItsBestAnswerAndAStatus) {
  Matrix W;
  Vector q;
  make_pile(kManyContacts, W, q);
  SolveOptions o;
  o.law = ContactLaw::kCoulomb, o.cone = ConeType::kQuadratic, o.tolerance = 1e-17, o.max_iterations = 1;
  const ContactAnswers a = solve_delassus(DelassusBatch(W, q, Vector::Constant(kManyContacts, 0.4)).view, o);
  EXPECT_EQ(a.status[0], status::kIterationLimit);
  EXPECT_LE(a.residual[0], 0.1);
  EXPECT_LE(a.iterations[0], 200 + 2 * 20);  // ADMM's steps, then Newton's from that and from rest
}

TEST(Delassus, KeepsTheTotalOfBothSolversAndAllAttempts) {
  for (const int contacts : {10, kManyContacts}) {
    Matrix W;
    Vector q;
    make_pile(contacts, W, q);
    SolveOptions o;
    o.law = ContactLaw::kCoulomb, o.cone = ConeType::kQuadratic, o.tolerance = 1e-17;
    for (const int total : {1, 10, 230}) {
      o.max_total_iterations = total;
      const ContactAnswers a = solve_delassus(DelassusBatch(W, q, Vector::Constant(contacts, 0.4)).view, o);
      EXPECT_EQ(a.status[0], status::kIterationLimit) << contacts;
      EXPECT_LE(a.iterations[0], total) << contacts;
      EXPECT_TRUE(std::isfinite(a.residual[0])) << contacts;
    }
  }
}

TEST(Delassus, OfNothingThatMovesIsRestOrInfeasible) {
  const Matrix W = Matrix::Zero(3, 3);
  const Vector mu = Vector::Constant(1, 0.5);
  const ContactAnswers apart = solve_delassus(DelassusBatch(W, Eigen::Vector3d(1, 0, 0), mu).view);
  EXPECT_EQ(apart.status[0], status::kConverged);
  EXPECT_EQ(part_of(apart.lambda, 1, 0), Vector::Zero(3));
  const ContactAnswers into = solve_delassus(DelassusBatch(W, Eigen::Vector3d(-1, 0, 0), mu).view);
  EXPECT_EQ(into.status[0], status::kInfeasible);
  EXPECT_GT(into.farkas[0], 0.0);
}

}  // namespace
}  // namespace stiction::test
