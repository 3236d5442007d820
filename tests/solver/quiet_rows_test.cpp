// Claims: limits that nothing comes near and springs inside their bounds are left out of the solve, and the answer is
// one of the whole problem. Where the answer would violate one of them, all are solved. The iterations of both solves
// stay within the total.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"

namespace stiction::test {
namespace {

constexpr double kTolerance = 1e-4;
constexpr int kDofs = 6;

/// Adds a row on sign · v_j of the robot, which is the last block.
void add_robot_row(RawProblem<double>& p, std::size_t j, double sign, double offset, double lower, double upper,
                   double compliance) {
  std::vector<double> J(kDofs, 0.0);
  J[j] = sign;
  p.rows.push_back(row(std::move(J), offset, lower, upper, compliance));
  p.rows.back().block = {-1, static_cast<int>(p.block_size.size()) - 1};
}

/// Boxes with mass under a robot whose dofs all have two limits: b = `room` [m/s] away.
RawProblem<double> robot_with_limits(std::uint64_t seed, double room) {
  Rng rng(seed);
  StackOptions options;
  options.boxes = 2, options.columns = 2, options.robot_dofs = kDofs, options.finger_contacts = 3;
  options.mass_in_H = 1.0;
  RawProblem<double> p = random_stack(rng, options);
  for (std::size_t j = 0; j < kDofs; ++j)
    for (const double sign : {1.0, -1.0}) add_robot_row(p, j, sign, room, 0.0, kInfinity, 0.0);
  return p;
}

/// Gives every dof of the robot a spring of at most `most` [N s] that asks for `speed`.
void add_springs(RawProblem<double>& p, double speed, double most) {
  for (std::size_t j = 0; j < kDofs; ++j) add_robot_row(p, j, 1.0, -speed, -most, most, 0.1);
}

/// The answer from `start`; lists how many rows each solve had.
template <class Solver>
Answer<double> solve_and_count(RawProblem<double>& raw, const Answer<double>& start, std::vector<int>& rows) {
  const ContactProblem<double> p = raw.view();
  SolverConfig config;
  config.tolerance = kTolerance;
  Scratch memory(explained_scratch<Solver::kName, double, double>(capacity_of(p)));
  Answer<double> a = room_for_answer(p);
  ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  const WarmStart<double> warm{start.v.data(), start.lambda.data(), start.row_lambda.data()};
  const auto solve = [&](const auto& part, const auto& left, const auto& from, IslandTask task, Arena arena, auto& to) {
    rows.push_back(part.num_rows);
    return solve_alone<Solver::kName, double>(HostTeam<>{}, part, left, from, task, arena, to);
  };
  a.report = solve_without_quiet_rows(HostTeam<>{}, p, config, warm, Arena(memory.base()), out, solve);
  a.residual = certify(p, a.v, a.lambda, a.row_lambda);
  return a;
}

template <class Solver>
class QuietRowsOf : public testing::Test {};
TYPED_TEST_SUITE(QuietRowsOf, AllSolvers);

TYPED_TEST(QuietRowsOf, AreLeftOut) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = robot_with_limits(seed, 100.0);
    std::vector<int> rows;
    const Answer<double> a = solve_and_count<TypeParam>(p, rest(p), rows);
    EXPECT_EQ(rows, std::vector<int>{0});
    EXPECT_EQ(a.row_lambda, std::vector<double>(2 * kDofs, 0.0));
    EXPECT_EQ(a.report.residual, a.residual.total);
    solved += a.has(status::kConverged) ? 1 : 0;
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= kTolerance);
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
}

TYPED_TEST(QuietRowsOf, ComeBackWhereTheAnswerViolatesThem) {
  int solved = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = robot_with_limits(seed, 1e-4);  // open, and nearer than the robot's motion
    std::vector<int> rows;
    const Answer<double> a = solve_and_count<TypeParam>(p, rest(p), rows);
    EXPECT_EQ(rows, (std::vector<int>{0, 2 * kDofs}));
    EXPECT_EQ(a.report.residual, a.residual.total);
    solved += a.has(status::kConverged) ? 1 : 0;
    held += *std::max_element(a.row_lambda.begin(), a.row_lambda.end()) > 0.0 ? 1 : 0;
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
  EXPECT_EQ(held, 6);
}

TYPED_TEST(QuietRowsOf, SpringsActInH) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = robot_with_limits(seed, 100.0);
    add_springs(p, 0.2, 1e3);
    Answer<double> start = rest(p);
    for (std::size_t r = 2 * kDofs; r < p.rows.size(); ++r) start.row_lambda[r] = 1e-3;
    std::vector<int> rows;
    const Answer<double> a = solve_and_count<TypeParam>(p, start, rows);
    EXPECT_EQ(rows.front(), 0);
    EXPECT_EQ(a.report.residual, a.residual.total);
    for (std::size_t r = 2 * kDofs; r < p.rows.size(); ++r) EXPECT_NE(a.row_lambda[r], 0.0);
    solved += a.has(status::kConverged) ? 1 : 0;
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
}

TYPED_TEST(QuietRowsOf, SpringsAtTheirLimitAreSolved) {
  int solved = 0, limited = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = robot_with_limits(seed, 100.0);
    constexpr double kMost = 1e-3;
    add_springs(p, 0.2, kMost);
    std::vector<int> rows;
    const Answer<double> a = solve_and_count<TypeParam>(p, rest(p), rows);  // 0 is inside
    EXPECT_EQ(rows, (std::vector<int>{0, 3 * kDofs}));
    EXPECT_EQ(a.report.residual, a.residual.total);
    for (std::size_t r = 2 * kDofs; r < p.rows.size(); ++r) EXPECT_LE(std::fabs(a.row_lambda[r]), kMost);
    solved += a.has(status::kConverged) ? 1 : 0;
    limited += a.row_lambda.back() == kMost ? 1 : 0;
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
  EXPECT_GE(limited, kSolvedOfSix<TypeParam>);
}

TYPED_TEST(QuietRowsOf, LeaveTheTotalOfIterations) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const double room : {100.0, 1e-4})
      for (const int total : {1, 2, 5, 12}) {
        RawProblem<double> p = robot_with_limits(seed, room);
        const Answer<double> start = rest(p), a = solve_with<TypeParam>(p, kTolerance, &start, 50, total);
        EXPECT_LE(a.report.iterations, total);
        EXPECT_EQ(a.report.residual, a.residual.total);
        EXPECT_EQ(a.has(status::kConverged), a.report.residual <= kTolerance);
      }
}

TYPED_TEST(QuietRowsOf, AreSolvedWhereTheyMayBeAllThatHolds) {
  RawProblem<double> p = robot_with_limits(1, 100.0);
  p.H.back()[0] = 0.0;
  std::vector<int> rows;
  solve_and_count<TypeParam>(p, rest(p), rows);
  EXPECT_EQ(rows, std::vector<int>{2 * kDofs});
}

TYPED_TEST(QuietRowsOf, HaveTheirPlaceInACertificate) {
  RawProblem<double> p = robot_with_limits(1, 100.0);
  const int squeezed = p.add_block({1}, {0}, {1}, {1});
  for (const double side : {1.0, -1.0}) {
    RawContact<double> wall;
    wall.block = {squeezed, -1}, wall.J[0] = {side, 0, 0}, wall.gap_rate = -1;
    p.contacts.push_back(wall);
  }
  const Answer<double> start = rest(p), a = solve_with<TypeParam>(p, 1e-6, &start);
  EXPECT_TRUE(a.has(status::kInfeasible));
  ASSERT_EQ(a.certificate.size(), 3 * p.contacts.size() + p.rows.size());
  EXPECT_GT(a.certificate[3 * (p.contacts.size() - 1)], 0.0);
}

}  // namespace
}  // namespace stiction::test
