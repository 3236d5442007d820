// Claims: a factor takes the room that its couplings need, fill included; without it the solver says so and moves
// nothing.
#include <gtest/gtest.h>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr int kMasses = 6;
constexpr int kNeeded = 2 * kMasses - 3;  // a ring of n couples n pairs, and eliminating it n - 3 more

/// Unit masses on a line that move to and fro, each kept from meeting the next, the last from meeting the first.
RawProblem<double> ring() {
  RawProblem<double> p;
  for (int i = 0; i < kMasses; ++i) p.add_block({1.0}, {i % 2 ? -1.0 : 1.0}, {1.0}, {1.0});
  for (int i = 0; i < kMasses; ++i) {
    RawContact<double> c;
    c.block = {i, (i + 1) % kMasses};
    c.J = {std::vector<double>{-1.0, 0.0, 0.0}, std::vector<double>{1.0, 0.0, 0.0}};
    c.gap_rate = 0.5, c.mu_t = c.mu_o = 0.5;
    p.contacts.push_back(c);
  }
  return p;
}

template <class Solver>
class Couplings : public testing::Test {};
TYPED_TEST_SUITE(Couplings, AllSolvers);

TYPED_TEST(Couplings, ThatFitChangeNoBit) {
  RawProblem<double> free = ring(), tight = ring();
  tight.max_couplings = kNeeded;
  const Answer<double> a = solve_with<TypeParam, double>(free, kAskedIterative),
                       b = solve_with<TypeParam, double>(tight, kAskedIterative);
  EXPECT_EQ(a.report.status, status::kConverged);
  EXPECT_EQ(b.report.status, a.report.status);
  EXPECT_EQ(b.v, a.v);
  EXPECT_EQ(b.lambda, a.lambda);
}

TYPED_TEST(Couplings, ThatDoNotFitAreReportedByEverySolverThatFactors) {
  constexpr SolverName kName = TypeParam::kName;
  constexpr bool kFactors = kName != SolverName::kPgs && kName != SolverName::kLemke;
  RawProblem<double> p = ring();
  p.max_couplings = kNeeded - 1;
  const Answer<double> answer = solve_with<TypeParam, double>(p, kAskedIterative);
  EXPECT_EQ(answer.report.status, kFactors ? status::kFactorFull : status::kConverged);
  if (!kFactors) return;
  for (const double v : answer.v) EXPECT_EQ(v, 0.0);
  for (const double lambda : answer.lambda) EXPECT_EQ(lambda, 0.0);
}

TEST(CouplingRoom, TakesMemoryByTheCoupling) {
  RawProblem<double> p = ring();
  const auto scratch = [&](int couplings) {
    p.max_couplings = couplings;
    return explained_scratch<SolverName::kInteriorPoint, double, double>(capacity_of(p.view()));
  };
  EXPECT_LT(scratch(1), scratch(kAllCouplings));
  EXPECT_LE(scratch(1), scratch(kNeeded));
  EXPECT_LE(scratch(kNeeded), scratch(kAllCouplings));
  EXPECT_EQ(scratch(kMasses * (kMasses - 1) / 2), scratch(kAllCouplings));
}

}  // namespace
}  // namespace stiction::test
