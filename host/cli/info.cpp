// stiction info SCENE|MODEL: what is in it, and what can be chosen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "host/api/infeasibility.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/given_keys.hpp"
#include "host/cli/model_text.hpp"
#include "host/cli/run_length.hpp"
#include "host/cli/scene_warnings.hpp"
#include "host/cli/start_warning.hpp"
#include "host/scene/overridden_scene.hpp"

namespace stiction {
namespace {

/// "scripts    fence follows a table of 602 rows with velocities, 2 impulses"; empty without any.
std::string describe_scripts(const Scene& scene) {
  std::string text;
  for (const MocapTrack& track : scene.mocap)
    text += fmt::format("{}{} follows a table of {} rows{}", text.empty() ? "scripts    " : ", ",
                        scene.model->body_names[track.body], track.time.size(),
                        track.velocity.empty() ? "" : " with velocities");
  if (!scene.impulses.empty())
    text += fmt::format("{}{} impulses", text.empty() ? "scripts    " : ", ", scene.impulses.size());
  return text.empty() ? text : text + "\n";
}

/// "start      0 0.2 0.2 0 0: ..."; empty without one.
std::string describe_start(const SolverOptions& solver) {
  if (solver.start.empty()) return "";
  return fmt::format("start      {:g}: of several motions that solve a step the nearest to this velocity\n",
                     fmt::join(solver.start, " "));
}

/// "bad start  at the start joint elbow is beyond its limit by 0.52 rad"; empty if it is a good one.
std::string describe_bad_start(const Scene& scene) {
  try {
    const std::string text = describe_start_violations(scene, find_start_violations(scene));
    return text.empty() ? "" : "bad start  " + text + "\n";
  } catch (const InputError&) {  // `run` reports what is wrong
    return "";
  }
}

/// "overlap    floor and ball overlap by 3 mm after step 1: ..." where the first step is infeasible; else empty.
std::string describe_infeasible_start(const Scene& scene) {
  try {
    Simulator simulator(scene, {.device = "cpu", .threads = 1});
    simulator.step();
    const auto found = find_infeasibility(simulator, 0);
    return found ? fmt::format("infeasible {}: no motion separates them\n", found->describe()) : "";
  } catch (const InputError&) {  // `run` reports what is wrong
  } catch (const OutOfMemory&) {
  }
  return "";
}

int print_info(const std::string& path, const GivenKeys& keys) {
  const Scene scene = load_scene(path, toml_text(keys));
  validate(scene);
  const Model& model = *scene.model;
  fmt::print("{}: {}\n", scene.name, describe_step(scene));
  fmt::print("file       {}\n", scene.path.empty() ? path : scene.path);
  fmt::print("{}{}{}{}{}{}{}{}", describe_sizes(model), describe_variants(scene), describe_trees(model),
             describe_actuators(model, scene.physics.dynamics), describe_undriven(model), describe_couplings(model),
             describe_welds(model), describe_resting_overlaps(model));
  if (const std::string text = describe_left_out(model); !text.empty()) fmt::print("meshes     {}\n", text);
  fmt::print("{}{}", describe_choices(scene), describe_start(scene.solver));
  fmt::print("step       {:g} s, duration {:g} s: {} steps; {} command knots\n", scene.step_size, scene.duration,
             count_steps(scene.duration, scene.step_size).steps, scene.command.time.size());
  fmt::print("{}{}{}{}", describe_scripts(scene), describe_bad_start(scene), describe_infeasible_start(scene),
             describe_memory(scene));
  std::fflush(stdout);
  print_scene_warnings(scene);
  return kDone;
}

}  // namespace

void add_info_command(CLI::App& app, Selected& selected) {
  auto path = std::make_shared<std::string>();
  auto keys = std::make_shared<GivenKeys>();
  CLI::App* command = app.add_subcommand("info", "Sizes, actuators and choices of a scene or a model");
  command->add_option("SCENE", *path, "Scene folder, scene.toml, or model (.xml, .urdf)")->required();
  add_given_keys(*command, *keys);
  command->callback([path, keys, &selected] { selected = [path, keys] { return print_info(*path, *keys); }; });
}

}  // namespace stiction
