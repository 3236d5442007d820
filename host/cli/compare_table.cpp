#include "host/cli/compare_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/cli/run_figures.hpp"

namespace stiction {
namespace {

std::string number(double value) { return value == 0.0 ? "0" : fmt::format("{:.1e}", value); }

std::string place(const LargestDifference& largest) {
  return largest.env() < 0 ? fmt::format("{:>7}{:>6}", "-", "-")
                           : fmt::format("{:>7}{:>6}", largest.step(), largest.env());
}

std::string describe_quantities(const ComparisonFigures& figures) {
  std::string text = fmt::format("{:<41}{:<18} | {:<31} | {}\n", "largest difference of b from a", "step 1",
                                 "each step from a's state", "free-running");
  text +=
      fmt::format("{:<13}{:<28}{:>9}{:>9} | {:>9}{:>9}{:>7}{:>6} | {:>9}{:>9}{:>7}{:>6}\n", "stage", "quantity",
                  "absolute", "relative", "absolute", "relative", "step", "env", "absolute", "relative", "step", "env");
  for (const Quantity& quantity : quantities(figures.free.contact())) {
    const auto sizes = [&](const StageDifferences& differences) {
      const LargestDifference& largest = differences.of(quantity.name);
      return fmt::format("{:>9}{:>9}", number(largest.absolute()), number(largest.relative()));
    };
    text += fmt::format("{:<13}{:<28}{} | {}{} | {}{}\n", quantity.stage, quantity.label, sizes(figures.first),
                        sizes(figures.restarted), place(figures.restarted.of(quantity.name)), sizes(figures.free),
                        place(figures.free.of(quantity.name)));
  }
  return text;
}

std::string describe_gap(double gap) { return std::isinf(gap) ? "-" : fmt::format("{:.1e}", gap); }

std::string describe_runs(const ComparisonFigures& figures) {
  std::string text = fmt::format("{:<41}{:>14}{:>14}{:>14}\n", "the runs", "a", "b restarted", "b free");
  const auto line = [&](const char* name, const std::string& a, const std::string& restarted, const std::string& free) {
    text += fmt::format("{:<41}{:>14}{:>14}{:>14}\n", name, a, restarted, free);
  };
  const auto runs = [&](const char* name, auto&& value) {
    line(name, value(figures.a), value(figures.b_restarted), value(figures.b_free));
  };
  const auto pairs = [&](const char* name, auto&& value) {
    line(name, "", value(figures.restarted), value(figures.free));
  };
  runs("environment-steps", [](const SideFigures& side) { return fmt::format("{}", side.env_steps()); });
  runs("steps converged", [](const SideFigures& side) { return fmt::format("{:.3f} %", side.converged_percent()); });
  runs("residual, worst", [](const SideFigures& side) { return fmt::format("{:.1e}", side.worst_residual()); });
  runs("environments failed", [](const SideFigures& side) { return fmt::format("{}", side.failed_environments()); });
  pairs("steps with another status than a's",
        [](const StageDifferences& differences) { return fmt::format("{}", differences.status_differs()); });
  const bool patches = figures.free.contact() == ContactModel::kPatch;
  pairs(patches ? "patches of one side only, most in a step" : "contacts of one side only, most in a step",
        [](const StageDifferences& differences) { return fmt::format("{}", differences.most_unmatched()); });
  if (patches)
    pairs("  largest normal force of those [N]",
          [](const StageDifferences& differences) { return number(differences.unmatched_force()); });
  else
    pairs("  smallest gap of those [m]",
          [](const StageDifferences& differences) { return describe_gap(differences.unmatched_gap()); });
  return text;
}

}  // namespace

void SideFigures::add(const StepReadout& step) {
  failures_.add(step.status);
  for (const std::uint32_t bits : step.status) converged_ += (bits & status::kConverged) != 0;
  for (const double residual : step.stats.residual) residual_ = larger_or_nan(residual_, residual);
  env_steps_ += static_cast<std::int64_t>(step.status.size());
}

std::string describe(const ComparisonFigures& figures) {
  if (figures.a.env_steps() == 0) return "no steps\n";
  return describe_quantities(figures) + "\n" + describe_runs(figures);
}

}  // namespace stiction
