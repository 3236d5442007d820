#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/cli/run_figures.hpp"
#include "host/cli/run_length.hpp"
#include "kernels/model/types.hpp"
#include "tests/cli/input_error.hpp"

namespace stiction::test {
namespace {

StepStats two_environments() {
  StepStats stats;
  stats.iterations = {4, 10};
  stats.residual = {1e-9, 3e-7};
  stats.penetration = {0.0, 0.002};
  stats.hover = {0.015, 0.0};
  stats.contacts = {4, 8};
  stats.rows = {16, 33};
  return stats;
}

TEST(RunFigures, AreMeansAndExtremesOverAllSteps) {
  RunFigures figures;
  const std::vector<std::uint32_t> good = {status::kConverged, status::kConverged}, half = {status::kConverged, 0};
  figures.add(two_environments(), good, {.wall = 0.25, .processor = 0.125});
  figures.add(two_environments(), half, {.wall = 0.25, .processor = 0.375});
  EXPECT_EQ(figures.steps(), 2);
  EXPECT_EQ(figures.largest_hover(), 0.015);
  const std::string text = figures.describe(2, 0.1);
  for (const char* line :
       {"environment-steps/s         8  (2 steps of 2 environments in 0.5 s)",
        "simulated seconds/s         0.4 per environment, 0.8 in total",
        "processor time, mean        1.25e+05 us per environment-step", "contacts, mean              6.0",
        "rows, mean                  24.5", "iterations, mean (most)     7.0 (10)",
        "residual, worst             3.00e-07", "steps converged             75.000 %",
        "penetration, largest        2 mm", "hover, largest              15 mm"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nnot in\n" << text;
}

TEST(RunFigures, ShowANanOnceThereWasOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(larger_or_nan(nan, 1.0)));
  EXPECT_TRUE(std::isnan(larger_or_nan(1.0, nan)));
  EXPECT_EQ(larger_or_nan(1.0, 2.0), 2.0);
  EXPECT_EQ(larger_or_nan(2.0, 1.0), 2.0);
}

TEST(RunFigures, OfNoStepsSaySo) { EXPECT_EQ(RunFigures().describe(1, 0.1), "no steps\n"); }

TEST(RunLength, CountsWholeStepsOfDecimalDurations) {
  const double cases[][3] = {{0.35, 0.01, 35},  {0.3, 0.1, 3},     {7.2, 0.4, 18}, {0.0, 0.1, 0},
                             {100, 0.001, 1e5}, {1e6, 0.001, 1e9}, {0.05, 0.05, 1}};
  for (const auto& [duration, step_size, steps] : cases) {
    const RunLength length = count_steps(duration, step_size);
    EXPECT_EQ(length.steps, static_cast<std::int64_t>(steps)) << duration << " / " << step_size;
    EXPECT_TRUE(length.exact) << duration << " / " << step_size;
  }
}

TEST(RunLength, RoundsUpWhatIsNoMultipleAndSaysSo) {
  const double cases[][3] = {{0.35, 0.1, 4}, {1.0, 0.4, 3}, {0.001, 0.1, 1}, {0.3001, 0.1, 4}};
  for (const auto& [duration, step_size, steps] : cases) {
    const RunLength length = count_steps(duration, step_size);
    EXPECT_EQ(length.steps, static_cast<std::int64_t>(steps)) << duration << " / " << step_size;
    EXPECT_FALSE(length.exact) << duration << " / " << step_size;
  }
}

TEST(RunLength, RefusesMoreStepsThanCanBeCounted) {
  EXPECT_NE(input_error([] { count_steps(1e12, 0.001); }).find("2147483647"), std::string::npos);
  EXPECT_NE(input_error([] { count_steps(1e308, 1e-308); }).find("2147483647"), std::string::npos);
}

}  // namespace
}  // namespace stiction::test
