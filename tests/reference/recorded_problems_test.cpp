// Claims: of 500 contact problems, recorded from iiwa_stack over its whole course and random ones, 99.5 % agree with
// the reference in objective and violation, and the others say so themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/reference/tolerances.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/support/host_environment.hpp"

namespace stiction::reference {
namespace {

constexpr double kTolerance = 3e-10;  // asked of the solver: objectives are off by up to twelve times the residual

/// How many problems were judged, were right, and said that they did not converge.
struct Tally {
  int judged = 0, right = 0, flagged = 0;

  /// An answer is right within both bounds; one that is not must not claim to have converged.
  void judge(const DenseProblem& problem, const DenseSolution& found, bool claims, const std::string& what) {
    const ContactAnswer answer = solve_contacts(problem);
    ASSERT_EQ(answer.status, QpStatus::kSolved) << what;
    const double size = 0.5 * std::abs(found.v.dot(problem.H * found.v)) + std::abs(problem.g.dot(found.v)) + 1e-3;
    const double error = std::abs(objective(problem, found.v) - objective(problem, answer.solution.v)) / size;
    const double violation = primal_violation(problem, found.v);
    const bool within = error <= tolerance::kObjective && violation <= tolerance::kViolation;
    ++judged;
    right += within;
    flagged += !claims;
    EXPECT_TRUE(within || !claims) << what << ": objective off by " << error << ", violation " << violation << " m";
  }

  void expect_enough(int wanted) const {
    EXPECT_EQ(judged, wanted);
    EXPECT_GE(right, tolerance::kShareConverged * judged);
    testing::Test::RecordProperty("flagged", flagged);
  }
};

/// `count` steps of iiwa_stack, evenly spread over `seconds`, without stepping the reference along.
void judge_steps(double step_size, double seconds, int count, Tally& tally) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "iiwa_stack").string());
  scene.step_size = step_size;
  scene.solver.tolerance = kTolerance;
  HostEnvironment host(scene);
  const int steps = static_cast<int>(std::lround(seconds / step_size)), every = steps / count;
  for (int k = 0; k < every * count; ++k) {
    host.solve();
    if (k % every == every - 1)
      tally.judge(expand(host.problem()), host.solution(), host.report.status & status::kConverged,
                  "iiwa_stack, h " + std::to_string(step_size) + ", step " + std::to_string(k));
    host.finish();
  }
}

TEST(RecordedProblems, OfTheStackAgreeWithTheReferenceAtEveryStepSize) {
  Tally tally;
  const double whole = 97.6;
  judge_steps(0.001, 2.0, 10, tally);
  judge_steps(0.01, whole, 60, tally);
  for (const double h : {0.05, 0.1, 0.2, 0.4}) judge_steps(h, whole, 60, tally);
  tally.expect_enough(310);
}

TEST(RecordedProblems, AtRandomAgreeWithTheReference) {
  test::Rng rng(200);
  Tally tally;
  for (int i = 0; i < 190; ++i) {
    auto raw = test::random_stack(rng, test::random_options(rng, 2));
    const auto answer = test::solve(raw, kTolerance);
    const auto vector = [](const std::vector<double>& x) -> Eigen::VectorXd {
      return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    tally.judge(expand(raw.view()), {vector(answer.v), vector(answer.lambda), vector(answer.row_lambda)},
                answer.has(status::kConverged),
                "random " + std::to_string(i) + ", " + std::to_string(raw.contacts.size()) + " contacts, " +
                    std::to_string(raw.facets) + " facets, h " + std::to_string(raw.step_size));
  }
  tally.expect_enough(190);
}

}  // namespace
}  // namespace stiction::reference
