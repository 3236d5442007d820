#include "host/cli/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <numeric>

#include "host/cli/choices.hpp"
#include "host/cli/id_list.hpp"
#include "host/cli/whole_number.hpp"
#include "host/scene/presets.hpp"

namespace stiction {
namespace {

const Choice& record_choice() {
  static const Choice choice = {"record", {"none", "state", "contacts"}};
  return choice;
}

double checked_seconds(const char* option, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return value;
  throw InputError(fmt::format("--{} {}: it takes seconds, finite and {} 0", option, value, zero_allowed ? ">=" : ">"));
}

double checked_tolerance(double value) {
  if (value > 0.0 && value < 1.0) return value;
  throw InputError(fmt::format("--tolerance {}: it takes a bound of the residual, above 0 and below 1", value));
}

std::uint64_t checked_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return seed;
  throw InputError(fmt::format("--seed {}: it takes whole numbers from 0 to 2^64 - 1", text));
}

}  // namespace

void add_scene_options(CLI::App& app, RunOptions& o) {
  app.add_option("SCENE", o.scene, "Scene folder, scene.toml, or a bare model (.xml, .urdf)")->required();
  add_given_keys(app, o.keys);
  app.add_option("--batch", o.batch, "Environments that step side by side (default 1)");
  add_physics_options(app, o.physics);
  app.add_option("--solver", o.solver, alternatives(solver_choice()));
  app.add_option("--factor", o.factor, "Precision of the solver's factored matrix: " + alternatives(factor_choice()));
  app.add_option("--infeasible", o.infeasible,
                 "What a step without a solution does: " + alternatives(infeasible_choice()));
  app.add_option("--step-size", o.step_size, "Step [s]");
  app.add_option("--duration", o.duration, "Simulated time [s]; what is no multiple of the step is rounded up to one");
  app.add_option("--seed", o.seed, "Seed of the scene's [randomize]");
  app.add_option("--threads", o.threads, "Host threads; 0: all cores (default 0)");
  app.add_option("--max-contacts", o.max_contacts, "Contact points an environment can have at once");
}

void add_run_options(CLI::App& app, RunOptions& o) {
  add_scene_options(app, o);
  app.add_option("--tolerance", o.tolerance, "Bound of the residual up to which a step counts as converged");
  app.add_option("--max-iterations", o.max_iterations, "Iterations of each phase of a solver, at most");
  app.add_option("--device", o.device, "auto | cpu | cuda[:i] | reference (default auto)");
  app.add_option("--dtype", o.dtype, "Precision of state and collision: float64 | float32 (default float64)");
  app.add_option(
      "--solve-threads", o.solve_threads,
      "GPU threads that share a solve: 8 | 32 | 64, or 0: by the model's size (default 0); on the CPU not 0: "
      "solve as a GPU does, for the same bits");
  app.add_option("--out", o.out, "Recording (HDF5); written as FILE.partial, renamed when it is complete")
      ->type_name("FILE");
  app.add_option("--record", o.record, "none | state | contacts (default state; none: status and residual only)");
  app.add_option("--every", o.every, "Record every k-th step, and the last (default 1)");
  app.add_option("--envs", o.envs, "Environments to record, such as 0,5,10-19 (default all)");
  app.add_option(
         "--record-problems", o.record_problems,
         "Contact problems (HDF5) of the steps and environments that --every and --envs choose, for `stiction solve`")
      ->type_name("FILE");
  app.add_option("--allow-failures", o.allow_failures, "Failed environments that still count as success (default 0)");
  app.add_flag("--quiet", o.quiet, "Print nothing but errors");
}

Scene apply_to_scene(const RunOptions& options, Scene scene) {
  apply_to_physics(options.physics, scene.physics);
  if (options.solver) scene.solver.name = parse_choice<SolverName>(solver_choice(), *options.solver);
  if (options.factor) scene.solver.factor = parse_choice<Dtype>(factor_choice(), *options.factor);
  if (options.infeasible)
    scene.solver.infeasible = parse_choice<InfeasibleStep>(infeasible_choice(), *options.infeasible);
  if (options.tolerance) scene.solver.tolerance = checked_tolerance(*options.tolerance);
  if (options.max_iterations) scene.solver.max_iterations = checked_int("max-iterations", *options.max_iterations, 1);
  if (options.max_contacts) scene.solver.max_contacts = checked_int("max-contacts", *options.max_contacts, 1);
  if (options.physics.preset) scene.step_size = preset_step(*options.physics.preset).value_or(scene.step_size);
  if (options.step_size) scene.step_size = checked_seconds("step-size", *options.step_size, false);
  if (options.duration) scene.duration = checked_seconds("duration", *options.duration, true);
  if (options.seed) scene.randomize.seed = checked_seed(*options.seed);
  validate(scene);
  return scene;
}

SimulatorOptions simulator_options(const RunOptions& options) {
  SimulatorOptions result;
  result.batch = checked_int("batch", options.batch, 1);
  result.device = options.device;
  if (!options.record_problems.empty()) {
    if (options.device != "auto" && options.device != "cpu")
      throw InputError("--record-problems: with the device cpu only, not with " + options.device);
    result.device = "cpu";
  }
  result.dtype = parse_choice<Dtype>(dtype_choice(), options.dtype);
  result.threads = checked_int("threads", options.threads, 0);
  result.solve_threads = checked_solve_threads(options.solve_threads, "the model's size");
  return result;
}

RecordingPlan recording_plan(const RunOptions& options) {
  RecordingPlan plan;
  plan.file = options.out;
  plan.scene = options.scene;
  plan.level = parse_choice<RecordLevel>(record_choice(), options.record.value_or("state"));
  plan.every = checked_int("every", options.every, 1);
  if (!options.envs.empty()) plan.envs = parse_env_list(options.envs, checked_int("batch", options.batch, 1));
  const bool wants_file = (options.record && plan.level != RecordLevel::kNone) ||
                          (!options.envs.empty() && options.record_problems.empty());
  if (plan.file.empty() && wants_file)
    throw InputError(fmt::format("{} needs --out FILE.h5", options.record ? "--record " + *options.record : "--envs"));
  return plan;
}

ProblemPlan problem_plan(const RunOptions& options) {
  ProblemPlan plan{options.record_problems, checked_int("every", options.every, 1), {}};
  const int batch = checked_int("batch", options.batch, 1);
  if (!options.envs.empty()) plan.envs = parse_env_list(options.envs, batch);
  if (plan.envs.empty())
    plan.envs.resize(static_cast<std::size_t>(batch)), std::iota(plan.envs.begin(), plan.envs.end(), 0);
  if (!plan.file.empty() && plan.file == options.out)
    throw InputError("--record-problems " + plan.file + ": it is the file of --out");
  return plan;
}

int allowed_failures(const RunOptions& options) { return checked_int("allow-failures", options.allow_failures, 0); }

}  // namespace stiction
