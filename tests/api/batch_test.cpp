// Claims about batches: threads, company and bad neighbours do not change an answer.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/api/choices.hpp"
#include "tests/api/problems.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]

std::vector<OneContactProblem> random_problems(int count) {
  Rng rng(48);
  std::vector<OneContactProblem> all;
  for (int i = 0; i < count; ++i) all.push_back(random_problem(rng, {}, kStep, 2).problem);
  return all;
}

void expect_same(const ContactAnswers& a, const ContactAnswers& b) {
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.residual, b.residual);
  EXPECT_EQ(a.iterations, b.iterations);
}

class EveryBatchSolver : public testing::TestWithParam<SolverName> {};

TEST_P(EveryBatchSolver, AnswersAlikeOnAnyNumberOfThreads) {
  const ContactBatch batch(random_problems(8), kStep);
  SolveOptions o;
  o.solver = GetParam(), o.tolerance = tolerance::kAskedIterative;
  o.threads = 1;
  const ContactAnswers alone = solve_contact(batch.view, o);
  for (const int threads : {2, 3, 0}) {
    o.threads = threads;
    expect_same(solve_contact(batch.view, o), alone);
  }
}

TEST_P(EveryBatchSolver, AnswersAProblemAlikeInAnyCompany) {
  std::vector<OneContactProblem> problems = random_problems(4);
  SolveOptions o;
  o.solver = GetParam(), o.tolerance = tolerance::kAskedIterative;
  const ContactAnswers together = solve_contact(ContactBatch(problems, kStep).view, o);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const ContactAnswers alone = solve_contact(ContactBatch({problems[i]}, kStep).view, o);
    EXPECT_EQ(part_of(alone.v, 1, 0), part_of(together.v, 4, i)) << i;
    EXPECT_EQ(part_of(alone.lambda, 1, 0), part_of(together.lambda, 4, i)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Everyone, EveryBatchSolver, testing::ValuesIn(kEverySolver), solver_name);

TEST(Batch, LosesOnlyTheProblemThatIsNotFinite) {
  const double bad[] = {std::nan(""), INFINITY, -INFINITY};
  for (const double number : bad)
    for (int which = 0; which < 5; ++which) {
      ContactBatch batch({point_on_floor(kStep, {1, 0, 0}, 0.5), point_on_floor(kStep, {1, 0, 0}, 0.5)}, kStep);
      if (which == 4 && number < 0) continue;  // negative friction is an error
      std::vector<double>* fields[] = {&batch.H, &batch.g, &batch.J, &batch.phi, &batch.mu};
      fields[which]->front() = number;
      const ContactAnswers a = solve_contact(batch.view);
      EXPECT_EQ(a.status[0], status::kNotFinite) << which;
      EXPECT_TRUE(std::isnan(a.v[0]) && std::isnan(a.lambda[0]) && std::isnan(a.residual[0])) << which;
      EXPECT_EQ(a.status[1], status::kConverged) << which;
    }
}

TEST(Batch, OfOtherKindsLosesOnlyTheProblemThatIsNotFinite) {
  LcpBatch lcp(Matrix::Identity(1, 1), Vector::Constant(1, std::nan("")));
  lcp.M.push_back(1), lcp.q.push_back(-2);
  lcp.view = {2, 1, lcp.M, lcp.q, {}};
  const LcpAnswers z = solve_lcp(lcp.view);
  EXPECT_EQ(z.status, (std::vector<std::uint32_t>{status::kNotFinite, status::kConverged}));
  EXPECT_TRUE(std::isnan(z.z[0]));
  EXPECT_NEAR(z.z[1], 2, tolerance::kHand);

  const ContactAnswers qp =
      solve_qp(QpBatch(Matrix::Identity(1, 1), Vector::Constant(1, std::nan("")), Matrix(0, 1), Vector(0)).view);
  EXPECT_EQ(qp.status[0], status::kNotFinite);
  const ContactAnswers r =
      solve_delassus(DelassusBatch(Matrix::Identity(3, 3), Vector::Constant(3, INFINITY), Vector::Ones(1)).view);
  EXPECT_EQ(r.status[0], status::kNotFinite);
}

}  // namespace
}  // namespace stiction::test
