#include "host/cli/run_problems.hpp"

#include <fmt/format.h>

#include "host/cli/recording_attributes.hpp"

namespace stiction {

RunProblems::RunProblems(const ProblemPlan& plan, const Simulator& simulator, std::int64_t steps)
    : plan_(plan), steps_(steps), recorder_(plan.file, run_attributes(simulator, plan.every)) {}

void RunProblems::add(Simulator& simulator, std::int64_t step) {
  if (step % plan_.every != 0 && step != steps_) return;
  simulator.visit_problems(plan_.envs, [&](const StepProblem& problem) { recorder_.append(step, problem); });
}

std::string RunProblems::describe_part() const {
  if (problems() == 0) return "no problem was recorded";
  return fmt::format("the first {} problems are in {}", problems(), recorder_.partial_name());
}

}  // namespace stiction
