// Claims: a problem that is proved to have no solution counts as answered, one that is not solved does not.
#include "host/cli/solve_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::test {
namespace {

/// Problems that end with these bits, after 3 iterations each.
ContactAnswers ending(const std::vector<std::uint32_t>& bits) {
  ContactAnswers answers;
  answers.status = bits;
  answers.residual.assign(bits.size(), 0.5);
  answers.iterations.assign(bits.size(), 3);
  answers.farkas.assign(bits.size(), std::numeric_limits<double>::quiet_NaN());
  return answers;
}

TEST(SolveFigures, CountHowProblemsEnd) {
  ContactAnswers answers = ending({status::kConverged, status::kInfeasible, status::kUnbounded, status::kIterationLimit,
                                   status::kNotFinite, status::kConverged});
  answers.residual = {0.25, 7, 8, 9, NAN, 0.125};
  const SolveFigures figures = solve_figures(answers);
  EXPECT_EQ(figures.solved, 2);
  EXPECT_EQ(figures.infeasible, 1);
  EXPECT_EQ(figures.unbounded, 1);
  EXPECT_EQ(figures.unsolved, 2);
  EXPECT_EQ(figures.worst_residual, 0.25);
  EXPECT_EQ(figures.iterations, 3.0);
}

TEST(SolveFigures, NameTheFirstUnsolvedProblems) {
  EXPECT_EQ(describe_unsolved(ending({status::kConverged, status::kNotFinite, status::kInfeasible, status::kStalled})),
            "2 of 4 problems unsolved: 1 (not finite), 3 (stalled)");
  const std::string many = describe_unsolved(ending(std::vector(12, status::kNotFinite)));
  EXPECT_NE(many.find("12 of 12"), std::string::npos);
  EXPECT_NE(many.find("7 (not finite), ..."), std::string::npos);
  EXPECT_EQ(many.find("8 (not finite)"), std::string::npos);
}

TEST(SolveFigures, ListTheFirstProblemsAndCountTheOthers) {
  ContactAnswers answers = ending(std::vector(25, status::kConverged));
  answers.farkas[0] = 1.0;
  const std::string text = describe_problems(answers);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 20 + 1);
  EXPECT_NE(text.find("...  5 more"), std::string::npos) << text;
  const std::string first = text.substr(text.find("\n      0"));
  EXPECT_NE(first.substr(0, first.find("\n      1")).find("yes"), std::string::npos);
  EXPECT_EQ(first.substr(first.find("\n      1")).find("yes"), std::string::npos);
}

}  // namespace
}  // namespace stiction::test
