// stiction compare SCENE: steps a scene on two sides from the same start and prints how far the sides are apart.
//
// Three batches step side by side: a; b restarted from a's state before each step, which shows the difference that one
// step makes; and b on its own, which shows how differences develop over the trajectory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

#include "host/cli/choices.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/compare_options.hpp"
#include "host/cli/compare_table.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/interrupt.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/model_text.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/run_length.hpp"
#include "host/scene/overridden_scene.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction {
namespace {

struct Comparison {
  std::optional<double> tolerance;  // [m, rad]
  RunLength length;
  Simulator a, b_restarted, b_free;
  ComparisonFigures figures;
  std::int64_t steps = 0;  // steps done
};

Simulator make_simulator(const Scene& scene, const SimulatorOptions& options) {
  check_memory(scene, options);
  return Simulator(scene, options);
}

/// Makes the host solve as a GPU does, if the other side is a GPU.
void go_one_way(SimulatorOptions& a, SimulatorOptions& b) {
  const auto is_gpu = [](const SimulatorOptions& side) { return side.device.starts_with("cuda"); };
  if (is_gpu(a) != is_gpu(b)) (is_gpu(a) ? b : a).solve_threads = threads_of(SolveWidth::kWarp);
}

Comparison prepare_comparison(const CompareOptions& options) {
  const std::optional<double> tolerance = checked_tolerance(options);
  const RunOptions a = side_a(options), b = side_b(options);
  SimulatorOptions a_config = simulator_options(a), b_config = simulator_options(b);
  go_one_way(a_config, b_config);
  const Scene scene = load_scene(options.both.scene, toml_text(options.both.keys));
  const Scene a_scene = apply_to_scene(a, scene), b_scene = apply_to_scene(b, scene);
  const RunLength length = count_steps(a_scene.duration, a_scene.step_size);
  if (length.steps == 0) throw InputError(fmt::format("duration {} s: there is no step to compare", a_scene.duration));
  const SideFigures empty(a_config.batch);
  const StageDifferences none(a_scene.physics.contact);
  return {tolerance,
          length,
          make_simulator(a_scene, a_config),
          make_simulator(b_scene, b_config),
          make_simulator(b_scene, b_config),
          {none, none, none, empty, empty, empty}};
}

void copy_state(const Simulator& from, Simulator& to) {
  to.set_qpos(from.qpos());
  to.set_qvel(from.qvel());
  if (from.scene().model->na > 0) to.set_act(from.act());
}

void step_once(Comparison& comparison) {
  const std::int64_t step = ++comparison.steps;
  ComparisonFigures& figures = comparison.figures;
  const auto advance = [](Simulator& simulator, SideFigures& side) {
    simulator.step();
    StepReadout readout = read_step(simulator);
    side.add(readout);
    return readout;
  };
  copy_state(comparison.a, comparison.b_restarted);
  if (step == 1) copy_state(comparison.a, comparison.b_free);
  const StepReadout a = advance(comparison.a, figures.a);
  const StepReadout restarted = advance(comparison.b_restarted, figures.b_restarted);
  const StepReadout free = advance(comparison.b_free, figures.b_free);
  if (step == 1) figures.first.add(step, a, free);
  figures.restarted.add(step, a, restarted);
  figures.free.add(step, a, free);
}

/// Steps until the end or until a signal arrives.
void step_through(Comparison& comparison) {
  const Simulator& a = comparison.a;
  Progress progress(true, comparison.length.steps, a.scene().step_size, a.options().batch);
  while (comparison.steps < comparison.length.steps && !InterruptGuard::signal_received()) {
    step_once(comparison);
    progress.show(comparison.steps, comparison.figures.a.failed_environments());
  }
}

/// "cpu (2 threads), float64, solver interior_point"; the reference has no solver to choose.
std::string describe_side(const Simulator& side) {
  const SimulatorOptions& options = side.options();
  std::string text = fmt::format("{}, {}", side.device_name(), choice_name(dtype_choice(), options.dtype));
  if (options.device != "reference") text += ", solver " + choice_name(solver_choice(), side.scene().solver.name);
  return text;
}

void print_header(const Comparison& comparison) {
  const Scene& scene = comparison.a.scene();
  const std::int64_t steps = comparison.length.steps;
  fmt::print("{}: {}\n{} environments of {} dofs, {} steps\n", scene.name, describe_step(scene),
             comparison.a.options().batch, scene.model->nv, steps);
  if (!comparison.length.exact)
    fmt::print("duration {} s is no multiple of the step: it ends at {:.9g} s\n", scene.duration,
               static_cast<double>(steps) * scene.step_size);
  fmt::print("a: {}\nb: {}\n", describe_side(comparison.a), describe_side(comparison.b_free));
  std::fflush(stdout);
}

int finish_interrupted(const Comparison& comparison, int signal) {
  fmt::print(stderr, "stiction: interrupted after {} of {} steps\n", comparison.steps, comparison.length.steps);
  return signal == SIGINT ? kInterrupted : kTerminated;
}

/// Returns the exit code; if qpos differs by too much, prints where it differs most.
int judge(const Comparison& comparison) {
  const LargestDifference& restarted = comparison.figures.restarted.of("qpos");
  const LargestDifference& free = comparison.figures.free.of("qpos");
  const LargestDifference& largest = free.absolute() >= restarted.absolute() ? free : restarted;
  if (!comparison.tolerance || largest.absolute() <= *comparison.tolerance) return kDone;
  fmt::print(stderr, "stiction: qpos differs by {:.3g} in step {} of environment {} ({}), more than --tolerance {}\n",
             largest.absolute(), largest.step(), largest.env(), &largest == &free ? "free-running" : "from a's state",
             *comparison.tolerance);
  return kSidesDiffer;
}

int compare_scene(const CompareOptions& options) {
  const InterruptGuard guard;
  Comparison comparison = prepare_comparison(options);
  print_header(comparison);
  step_through(comparison);
  fmt::print("\n{}", describe(comparison.figures));
  if (comparison.steps < comparison.length.steps)
    return finish_interrupted(comparison, InterruptGuard::signal_received());
  return judge(comparison);
}

}  // namespace

void add_compare_command(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Step a scene on two sides from the same start, and compare");
  add_compare_options(*command, *options);
  command->callback([options, &selected] { selected = [options] { return compare_scene(*options); }; });
}

}  // namespace stiction
