// stiction run SCENE: steps a batch, records it, prints its figures.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>

#include "host/api/infeasibility.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/failures.hpp"
#include "host/cli/interrupt.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/model_text.hpp"
#include "host/cli/one_line.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/run_figures.hpp"
#include "host/cli/run_length.hpp"
#include "host/cli/run_options.hpp"
#include "host/cli/run_problems.hpp"
#include "host/cli/run_recording.hpp"
#include "host/cli/scene_warnings.hpp"
#include "host/cli/start_warning.hpp"
#include "host/scene/overridden_scene.hpp"

namespace stiction {
namespace {

/// The parts of a run, in the order in which they are made.
struct Run {
  RunOptions options;
  RecordingPlan plan;
  Simulator simulator;
  RunLength length;
  int allowed_failures;
  std::vector<Infeasibility> start_violations;
  std::unique_ptr<RunRecording> recording;
  std::unique_ptr<RunProblems> problems;
  RunFigures figures;
  FailureLog failures;
};

Run prepare_run(const RunOptions& options) {
  const RecordingPlan plan = recording_plan(options);
  const ProblemPlan problems = problem_plan(options);
  const int allowed = allowed_failures(options);
  const SimulatorOptions simulator_config = simulator_options(options);
  const Scene scene = apply_to_scene(options, load_scene(options.scene, toml_text(options.keys)));
  const RunLength length = count_steps(scene.duration, scene.step_size);
  check_memory(scene, simulator_config);
  Run run{
      options, plan,         Simulator(scene, simulator_config), length, allowed, find_start_violations(scene), nullptr,
      nullptr, RunFigures(), FailureLog(simulator_config.batch)};
  const bool moves_on = scene.solver.infeasible == InfeasibleStep::kLeastViolation;
  if (moves_on) run.failures = FailureLog(simulator_config.batch, !run.start_violations.empty());
  if (!plan.file.empty()) run.recording = std::make_unique<RunRecording>(plan, run.simulator, length.steps);
  if (!problems.file.empty()) run.problems = std::make_unique<RunProblems>(problems, run.simulator, length.steps);
  return run;
}

void print_header(const Run& run) {
  const Scene& scene = run.simulator.scene();
  fmt::print("{}: {}\n{} environments of {} dofs, {} steps, on {}\n", scene.name, describe_step(scene),
             run.simulator.options().batch, scene.model->nv, run.length.steps, run.simulator.device_name());
  if (!run.length.exact)
    fmt::print("duration {} s is no multiple of the step: it ends at {:.9g} s\n", scene.duration,
               static_cast<double>(run.length.steps) * scene.step_size);
  if (const std::size_t pairs = scene.model->resting_overlaps.size(); pairs > 0)
    fmt::print("{} pairs of one robot overlap at the start and are never checked (stiction info lists them)\n", pairs);
  fmt::print("{}", describe_undriven(*scene.model));
  std::fflush(stdout);
}

void print_warnings(const Run& run) {
  print_scene_warnings(run.simulator.scene());
  if (const std::string text = describe_start_violations(run.simulator.scene(), run.start_violations); !text.empty())
    fmt::print(stderr, "stiction: warning: {}\n", make_one_line(text));
  if (const std::string text = describe_left_out(*run.simulator.scene().model); !text.empty())
    fmt::print(stderr, "stiction: warning: {}\n", make_one_line(text));
  if (const std::string warning = run.simulator.device_warning(); !warning.empty())
    fmt::print(stderr, "stiction: warning: {}\n", make_one_line(warning));
}

/// Steps until the end or until a signal arrives.
void step_through(Run& run) {
  using Clock = std::chrono::steady_clock;
  Progress progress(!run.options.quiet, run.length.steps, run.simulator.scene().step_size,
                    run.simulator.options().batch);
  for (std::int64_t step = 1; step <= run.length.steps && !InterruptGuard::signal_received(); ++step) {
    if (run.problems) run.problems->add(run.simulator, step);
    const std::clock_t processor = std::clock();
    const auto begin = Clock::now();
    const auto status = run.simulator.step();
    const StepTime time{.wall = std::chrono::duration<double>(Clock::now() - begin).count(),
                        .processor = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
    const StepStats stats = run.simulator.stats();
    run.figures.add(stats, status, time);
    for (const int env : run.failures.add(status))
      if (const auto found = find_infeasibility(run.simulator, env)) run.failures.explain(env, found->describe());
    if (run.recording) run.recording->add(run.simulator, step, status, stats);
    progress.show(step, run.failures.count());
  }
  run.failures.finish();
}

void print_figures(const Run& run) {
  const Scene& scene = run.simulator.scene();
  fmt::print("{}", run.figures.describe(run.simulator.options().batch, scene.step_size));
  fmt::print("{:<28}{}\n", "environments failed", run.failures.count());
  const double hover = run.figures.largest_hover();
  if (hover > scene.physics.hover_warning)
    fmt::print(
        "warning: a contact carries force across {:.3g} mm of air ({}, warned above {:.3g} mm): "
        "use a smaller --step-size\n",
        1e3 * hover, hovers(scene.physics.law) ? "Anitescu's law" : "a step without a solution",
        1e3 * scene.physics.hover_warning);
  if (const int recovered = run.failures.recovered(); recovered > 0)
    fmt::print("warning: the start of {} environments was undone in steps without a solution, the last is step {}\n",
               recovered, run.failures.last_recovering_step());
  if (const int beyond = run.failures.beyond_order(); beyond > 0)
    fmt::print("warning: in {} environments {}: use a smaller --step-size\n", beyond,
               has_momentum(scene.physics.dynamics) ? "jointed bodies moved too fast for the step"
                                                    : "something went too far for a step without momentum");
}

int finish_interrupted(Run& run, int signal) {
  fmt::print(stderr, "stiction: interrupted after {} of {} steps{}{}\n", run.figures.steps(), run.length.steps,
             run.recording ? "; " + run.recording->stop() : "",
             run.problems ? "; " + run.problems->describe_part() : "");
  return signal == SIGINT ? kInterrupted : kTerminated;
}

int run_scene(const RunOptions& options) {
  const InterruptGuard guard;
  Run run = prepare_run(options);
  if (!options.quiet) {
    print_header(run);
    print_warnings(run);
  }
  step_through(run);
  const bool cut_short = run.figures.steps() < run.length.steps;
  if (!cut_short && run.recording) run.recording->finish();
  if (!cut_short && run.problems) run.problems->finish();
  if (!options.quiet) print_figures(run);
  if (cut_short) return finish_interrupted(run, InterruptGuard::signal_received());
  if (!options.quiet && run.recording) fmt::print("{:<28}{}\n", "recording", options.out);
  if (!options.quiet && run.problems)
    fmt::print("{:<28}{} in {}\n", "problems", run.problems->problems(), options.record_problems);
  if (run.failures.count() <= run.allowed_failures) return kDone;
  fmt::print(stderr, "stiction: {}\n", run.failures.describe());
  return kEnvironmentsFailed;
}

}  // namespace

void add_run_command(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Step a batch of environments of a scene, and record it");
  add_run_options(*command, *options);
  command->callback([options, &selected] { selected = [options] { return run_scene(*options); }; });
}

}  // namespace stiction
