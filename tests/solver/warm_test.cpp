// Claims about the default solver's attempts from the warm start by themselves (kernels/solver/default/warm.hpp): what
// they solve has the bits of the whole plan, what they leave they say, and from the last answer of a problem that has
// changed little they solve nearly every problem.
#include <gtest/gtest.h>

#include "tests/solver/full_blocks.hpp"
#include "tests/solver/phase_orders.hpp"

namespace stiction::test {
namespace {

template <int kLanes>
using Team = HostTeam<PhaseOrder::kStrided, kLanes>;

SolverConfig team_config(double tolerance) {
  SolverConfig config;
  config.tolerance = tolerance;
  config.route = SolveRoute::kTeam;
  return config;
}

/// The answer by solve(problem, config, start, arena, solution, report).
template <class Solve>
Answer<double> answer_of(RawProblem<double>& raw, const Answer<double>* warm, const SolverConfig& config, Solve solve) {
  const ContactProblem<double> p = raw.view();
  Answer<double> a = room_for_answer(p);
  ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  WarmStart<double> start;
  if (warm) start = {warm->v.data(), warm->lambda.data(), warm->row_lambda.data()};
  Scratch memory(plan_scratch<double, double>(capacity_of(p)).all);
  solve(p, config, start, Arena(memory.base()), out, a.report);
  a.report.certificate = nullptr;
  return a;
}

template <int kLanes>
Answer<double> solve_by_warm(RawProblem<double>& p, const Answer<double>* warm, const SolverConfig& config) {
  return answer_of(p, warm, config,
                   [](const auto& p, const auto& config, auto start, auto arena, auto& out, auto& report) {
                     solve_warm<double>(Team<kLanes>{}, p, config, start, arena, out, report);
                   });
}

template <int kLanes>
Answer<double> solve_whole(RawProblem<double>& p, const Answer<double>* warm, const SolverConfig& config) {
  return answer_of(p, warm, config,
                   [](const auto& p, const auto& config, auto start, auto arena, auto& out, auto& report) {
                     report = solve_by_plan<Team<kLanes>, double, double>(Team<kLanes>{}, p, config, start, arena, out);
                   });
}

/// A problem of two arms and bodies by one law and cone.
RawProblem<double> sample_of(Rng& rng, ContactLaw law, ConeType cone) {
  RawProblem<double> p = random_blocks(rng, {"arms", {9, 6, 7, 6, 3}, 14, 6});
  p.law = law, p.cone = cone;
  return p;
}

/// The problem of the next step: other forces and gaps.
void move_on(Rng& rng, double change, RawProblem<double>& p) {
  for (double& g : p.g) g += uniform(rng, -change, change);
  for (auto& contact : p.contacts) contact.gap_rate += uniform(rng, -change, change);
}

struct Kind {
  const char* name;
  ContactLaw law;
  ConeType cone;
};

class Warm : public testing::TestWithParam<Kind> {};

TEST_P(Warm, AnswersAreThoseOfTheWholePlan) {
  Rng rng(5);
  const SolverConfig config = team_config(1e-6);
  int solved = 0, left = 0;
  for (int sample = 0; sample < 12; ++sample) {
    RawProblem<double> p = sample_of(rng, GetParam().law, GetParam().cone);
    const Answer<double> before = solve_whole<8>(p, nullptr, config);
    move_on(rng, sample % 3 == 2 ? 3.0 : 0.01, p);
    const Answer<double> warm = solve_by_warm<8>(p, &before, config), whole = solve_whole<8>(p, &before, config);
    if (!warm.has(status::kConverged)) {
      ++left;
      continue;
    }
    ++solved;
    expect_same_bits(warm, whole);
    expect_same_bits(warm, solve_by_warm<32>(p, &before, config));
  }
  EXPECT_GE(solved, 7) << left << " left";
}

TEST_P(Warm, NeedsAStart) {
  Rng rng(6);
  RawProblem<double> p = sample_of(rng, GetParam().law, GetParam().cone);
  const Answer<double> nothing = solve_by_warm<8>(p, nullptr, team_config(1e-6));
  EXPECT_EQ(nothing.report.status, 0u);
  EXPECT_EQ(nothing.report.iterations, 0);
}

TEST_P(Warm, LeavesWhatItCanNotSolveInItsIterations) {
  Rng rng(7);
  SolverConfig config = team_config(1e-9);
  RawProblem<double> p = sample_of(rng, GetParam().law, GetParam().cone);
  const Answer<double> before = solve_whole<8>(p, nullptr, config);
  move_on(rng, 3.0, p);
  config.max_total_iterations = 1;
  EXPECT_NE(solve_by_warm<8>(p, &before, config).report.status, status::kConverged);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Warm,
                         testing::Values(Kind{"anitescu_pyramid", ContactLaw::kAnitescu, ConeType::kPyramid},
                                         Kind{"anitescu_quadratic", ContactLaw::kAnitescu, ConeType::kQuadratic},
                                         Kind{"coulomb_pyramid", ContactLaw::kCoulomb, ConeType::kPyramid},
                                         Kind{"coulomb_quadratic", ContactLaw::kCoulomb, ConeType::kQuadratic}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(WarmStart, IsNotTakenWhereThePlanBeginsOtherwise) {
  Rng rng(8);
  const SolverConfig config = team_config(1e-6);
  RawProblem<double> raw = sample_of(rng, ContactLaw::kCoulomb, ConeType::kPyramid);
  const Answer<double> before = solve_whole<8>(raw, nullptr, config);
  const std::vector<double> named(raw.g.size(), 0.0);
  const auto status_from = [&](const double* start, bool names_contacts) {
    ContactProblem<double> p = raw.view();
    p.start = start;
    WarmStart<double> warm = {before.v.data(), before.lambda.data(), before.row_lambda.data()};
    warm.names_contacts = names_contacts;
    Answer<double> a = room_for_answer(p);
    ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
    Scratch memory(plan_scratch<double, double>(capacity_of(p)).all);
    solve_warm<double>(Team<8>{}, p, config, warm, Arena(memory.base()), out, a.report);
    return a.report.status;
  };
  EXPECT_EQ(status_from(nullptr, false), status::kConverged);
  EXPECT_EQ(status_from(nullptr, true), 0u);        // it only tells which contacts may carry
  EXPECT_EQ(status_from(named.data(), false), 0u);  // the start that the problem names comes first
  raw.g[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status_from(nullptr, false), 0u);
}

}  // namespace
}  // namespace stiction::test
