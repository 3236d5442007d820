// Claims: limits that nothing comes near, springs inside their bounds, dry friction that goes on as it did and limits
// at which a joint rests are left out of the solve, and the answer is one of the whole problem. Where the answer would
// violate some of them, these are solved, and then all. The iterations of all solves stay within the total.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

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
  p.rows.back().column = static_cast<int>(j);
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

/// None of `all` rows was solved first, then some of them, and all if that was not enough.
void expect_more_and_more(const std::vector<int>& rows, int all) {
  ASSERT_GE(rows.size(), 2u);
  EXPECT_EQ(rows[0], 0);
  EXPECT_GT(rows[1], 0);
  EXPECT_LE(rows[1], all);
  EXPECT_EQ(rows.size() > 2 ? rows.back() : all, all);
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
    expect_more_and_more(rows, 2 * kDofs);
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
    expect_more_and_more(rows, 3 * kDofs);
    EXPECT_EQ(a.report.residual, a.residual.total);
    for (std::size_t r = 2 * kDofs; r < p.rows.size(); ++r) EXPECT_LE(std::fabs(a.row_lambda[r]), kMost);
    solved += a.has(status::kConverged) ? 1 : 0;
    limited += a.row_lambda.back() == kMost ? 1 : 0;
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
  EXPECT_GE(limited, kSolvedOfSix<TypeParam>);
}

constexpr double kFriction = 1e-2;  // [N s]

/// A robot that nothing touches, with the v and λ of its rows that solve its problem. Dof 0 rests at a limit, dry
/// friction holds dof 1 and slows down dof 2.
struct RobotAtWork {
  RawProblem<double> p;
  Answer<double> answer;
  std::size_t first = 0;                                            // dof of the robot
  std::size_t limit = 0, holds = 2 * kDofs, slows = 2 * kDofs + 1;  // rows
  double& v(std::size_t j) { return answer.v[first + j]; }
  double& lambda(std::size_t r) { return answer.row_lambda[r]; }
  /// g = H v − Jᵀλ of the robot
  void balance() {
    const auto& H = p.H.back();
    for (std::size_t i = 0; i < kDofs; ++i) {
      double& g = p.g[first + i];
      g = 0.0;
      for (std::size_t j = 0; j < kDofs; ++j) g += H[kDofs * i + j] * v(j);
    }
    p.g[first] -= lambda(limit), p.g[first + 1] -= lambda(holds), p.g[first + 2] -= lambda(slows);
  }
};

RobotAtWork robot_at_work(std::uint64_t seed) {
  Rng rng(seed);
  StackOptions options;
  options.boxes = 2, options.columns = 2, options.robot_dofs = kDofs, options.finger_contacts = 0;
  options.mass_in_H = 1.0;
  RobotAtWork robot;
  robot.p = random_stack(rng, options);
  for (std::size_t j = 0; j < kDofs; ++j)
    for (const double sign : {1.0, -1.0}) add_robot_row(robot.p, j, sign, 100.0, 0.0, kInfinity, 0.0);
  robot.p.rows[robot.limit].offset = 0.0;
  add_robot_row(robot.p, 1, 1.0, 0.0, -1.0, 1.0, 0.0);
  add_robot_row(robot.p, 2, 1.0, 0.0, -kFriction, kFriction, 0.0);
  robot.answer = rest(robot.p);
  robot.first = robot.p.g.size() - kDofs;
  const double v[kDofs] = {0.0, 0.0, 0.5, 0.1, -0.2, 0.3};
  for (std::size_t j = 0; j < kDofs; ++j) robot.v(j) = v[j];
  robot.lambda(robot.limit) = 0.2, robot.lambda(robot.holds) = -0.3, robot.lambda(robot.slows) = -kFriction;
  return robot;
}

/// Solves the robot's problem from `start` and compares its part of the answer. Returns how many rows each solve had.
std::vector<int> expect_answer(RobotAtWork& robot, const Answer<double>& start) {
  std::vector<int> rows;
  const Answer<double> a = solve_and_count<SolverOf<SolverName::kInteriorPoint>>(robot.p, start, rows);
  EXPECT_TRUE(a.has(status::kConverged));
  EXPECT_EQ(a.report.residual, a.residual.total);
  for (std::size_t j = 0; j < kDofs; ++j) EXPECT_NEAR(a.v[robot.first + j], robot.v(j), kTolerance) << j;
  for (const std::size_t r : {robot.limit, robot.holds, robot.slows})
    EXPECT_NEAR(a.row_lambda[r], robot.lambda(r), kTolerance) << r;
  return rows;
}

TEST(QuietRows, HoldDofsAndGoOnToSlowThemDown) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RobotAtWork robot = robot_at_work(seed);
    robot.balance();
    Answer<double> start = robot.answer;
    start.row_lambda[robot.limit] = 0.1, start.row_lambda[robot.holds] = 0.5;  // elsewhere inside of their bounds
    EXPECT_EQ(expect_answer(robot, start), std::vector<int>{0});
  }
}

TEST(QuietRows, AreSolvedWhereAStartIsWrong) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RobotAtWork robot = robot_at_work(seed);
    const Answer<double> start = robot.answer;
    const auto expect_second_try = [&] {
      robot.balance();
      EXPECT_GE(expect_answer(robot, start).size(), 2u);
    };
    robot.v(0) = 0.3, robot.lambda(robot.limit) = 0.0;  // the joint leaves its limit
    expect_second_try();
    robot.answer = start;
    robot.v(1) = -0.4, robot.lambda(robot.holds) = 1.0;  // friction no longer holds it
    expect_second_try();
    robot.answer = start;
    robot.v(2) = -0.5, robot.lambda(robot.slows) = kFriction;  // it turns back
    expect_second_try();
    robot.answer = start;
    robot.v(2) = 0.0, robot.lambda(robot.slows) = 0.0;  // it stops
    expect_second_try();
  }
}

TEST(QuietRows, WithoutOrderedBoundsAreRefused) {
  for (const double upper : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    RawProblem<double> p = robot_with_limits(1, 100.0);
    p.rows[0].upper = upper;
    const Answer<double> start = rest(p);
    EXPECT_EQ(solve(p, kTolerance, &start).report.status, status::kNotFinite);
  }
}

/// What a contact presses on is not held: the contact's impulse would not move it.
TEST(QuietRows, HoldNothingThatAContactPresses) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = robot_with_limits(seed, 100.0);
    p.rows[0].offset = 0.0;
    Answer<double> start = rest(p);
    start.row_lambda[0] = 0.1;
    for (double& lambda : start.lambda) lambda = 0.01;
    std::vector<int> rows;
    const Answer<double> a = solve_and_count<SolverOf<SolverName::kInteriorPoint>>(p, start, rows);
    EXPECT_EQ(rows.front(), 1);
    EXPECT_TRUE(a.has(status::kConverged));
    EXPECT_EQ(a.report.residual, a.residual.total);
  }
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
