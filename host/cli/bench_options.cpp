#include "host/cli/bench_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "host/cli/choices.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/run_options.hpp"
#include "host/scene/families.hpp"
#include "host/scene/overridden_scene.hpp"
#include "host/scene/presets.hpp"

namespace stiction {
namespace {

/// One entry per value, or one empty entry if the scene chooses.
template <class T>
std::vector<std::optional<T>> or_scene(const std::vector<T>& values) {
  if (values.empty()) return {std::nullopt};
  return {values.begin(), values.end()};
}

/// Copies every set of options once for each value.
template <class T, class Set>
void expand(std::vector<RunOptions>& sets, const std::vector<T>& values, Set set) {
  std::vector<RunOptions> expanded;
  for (const RunOptions& options : sets)
    for (const T& value : values) {
      expanded.push_back(options);
      set(expanded.back(), value);
    }
  sets = std::move(expanded);
}

std::vector<RunOptions> combinations(const BenchOptions& o) {
  std::vector<RunOptions> sets(1);
  expand(sets, o.scenes, [](RunOptions& r, const auto& x) { r.scene = x; });
  expand(sets, or_scene(o.step_sizes), [](RunOptions& r, const auto& x) { r.step_size = x; });
  expand(sets, or_scene(o.presets), [](RunOptions& r, const auto& x) { r.physics.preset = x; });
  expand(sets, or_scene(o.dynamics), [](RunOptions& r, const auto& x) { r.physics.dynamics = x; });
  expand(sets, or_scene(o.laws), [](RunOptions& r, const auto& x) { r.physics.law = x; });
  expand(sets, or_scene(o.cones), [](RunOptions& r, const auto& x) { r.physics.cone = x; });
  expand(sets, or_scene(o.contacts), [](RunOptions& r, const auto& x) { r.physics.contact = x; });
  expand(sets, or_scene(o.geometries), [](RunOptions& r, const auto& x) { r.physics.geometry = x; });
  expand(sets, or_scene(o.rotations), [](RunOptions& r, const auto& x) { r.physics.rotation = x; });
  expand(sets, or_scene(o.torsion_radii), [](RunOptions& r, const auto& x) { r.physics.torsion_radius = x; });
  expand(sets, or_scene(o.mass_ratios), [](RunOptions& r, const auto& x) { r.physics.mass_ratio = x; });
  expand(sets, or_scene(o.solvers), [](RunOptions& r, const auto& x) { r.solver = x; });
  expand(sets, or_scene(o.factors), [](RunOptions& r, const auto& x) { r.factor = x; });
  expand(sets, o.devices, [](RunOptions& r, const auto& x) { r.device = x; });
  expand(sets, o.dtypes, [](RunOptions& r, const auto& x) { r.dtype = x; });
  expand(sets, o.threads, [](RunOptions& r, const auto& x) { r.threads = x; });
  expand(sets, o.batches, [](RunOptions& r, const auto& x) { r.batch = x; });
  return sets;
}

Scene find_scene(const std::string& name, const std::string& keys) {
  auto family = make_family_scene(name);
  if (family && !keys.empty()) throw InputError(name + ": is made here, so that --package and --keyframe have no use");
  if (family) return *family;
  if (name.find_first_of("/.") == std::string::npos && !std::filesystem::exists(name))
    throw InputError(fmt::format("{}: neither a scene nor a family; families are {}", name, family_names()));
  return load_scene(name, keys);
}

}  // namespace

void add_bench_options(CLI::App& app, BenchOptions& o) {
  app.add_option("SCENE", o.scenes, "Scenes or models, and " + family_names() + " with a number of bodies N")
      ->required();
  add_given_keys(app, o.keys);
  const auto list = [&](const char* name, auto& values, const std::string& text) {
    app.add_option(name, values, text)
        ->delimiter(',')
        ->expected(1, CLI::detail::expected_max_vector_size)
        ->allow_extra_args(false);
  };
  list("--batch", o.batches, "Environments, such as 1,64,4096 (default 1)");
  list("--device", o.devices, "auto | cpu | cuda[:i] | reference (default auto)");
  list("--dtype", o.dtypes, "float64 | float32 (default float64)");
  list("--preset", o.presets, alternatives(preset_choice()));
  list("--dynamics", o.dynamics, alternatives(dynamics_choice()) + " (default: the scene's)");
  list("--law", o.laws, alternatives(law_words()));
  list("--cone", o.cones, alternatives(cone_choice()));
  list("--contact", o.contacts, "Where friction acts: points | patch");
  list("--geometry", o.geometries, "Gaps and arms are those of a step's: start | end");
  list("--rotation", o.rotations, "How free bodies turn in a step: exact | linear");
  list("--torsion-radius", o.torsion_radii, "Torsional friction of a patch: model | uniform");
  list("--mass-ratio", o.mass_ratios, "s of quasidynamic; 0: true mass");
  list("--solver", o.solvers, alternatives(solver_choice()));
  list("--factor", o.factors, "Precisions of the solver's factored matrix: float64 | float32");
  list("--step-size", o.step_sizes, "Steps [s]");
  list("--threads", o.threads, "Host threads; 0: all cores (default 0)");
  app.add_option("--tolerance", o.tolerance, "On the residual (default: the scene's)");
  app.add_option("--seconds", o.seconds, "Wall-clock time of a case in a round (default 1)");
  app.add_option("--rounds", o.rounds, "Rounds through all cases, interleaved; speed is their median (default 1)");
  app.add_option("--out", o.out, "Table with one row a case (CSV)")->type_name("FILE");
  app.add_flag("--stages", o.stages, "Time the stages of a step too: environment 0, one host thread, double");
  app.add_flag("--limits", o.limits, "Count bytes and multiply-adds of a step, measure what the machine does at most");
}

std::vector<BenchCase> bench_cases(const BenchOptions& o) {
  if (!(std::isfinite(o.seconds) && o.seconds > 0.0))
    throw InputError(fmt::format("--seconds {}: it takes seconds, finite and > 0", o.seconds));
  if (o.rounds < 1) throw InputError(fmt::format("--rounds {}: it takes whole numbers from 1", o.rounds));
  std::vector<BenchCase> cases;
  for (const RunOptions& options : combinations(o)) {
    const SimulatorOptions simulator = simulator_options(options);
    Scene scene = find_scene(options.scene, toml_text(o.keys));
    if (o.tolerance) scene.solver.tolerance = *o.tolerance;
    cases.push_back({apply_to_scene(options, std::move(scene)), simulator});
    check_memory(cases.back().scene, simulator);
  }
  return cases;
}

}  // namespace stiction
