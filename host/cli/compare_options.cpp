#include "host/cli/compare_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "host/cli/choices.hpp"

namespace stiction {
namespace {

/// Refuses a name that is not built; the message uses the option's name for this side.
void check_name(Choice choice, const std::string& name, const std::string& side) {
  choice.name += "-" + side;
  find_choice(choice, name);
}

RunOptions side_options(const CompareOptions& options, const CompareSide& side, const std::string& name) {
  check_name(dtype_choice(), side.dtype, name);
  RunOptions result = options.both;
  result.device = side.device;
  result.dtype = side.dtype;
  if (!side.solver) return result;
  check_name(solver_choice(), *side.solver, name);
  if (side.device == "reference")
    throw InputError(
        fmt::format("--solver-{} {}: the reference solves in its own way; leave it out", name, *side.solver));
  result.solver = side.solver;
  return result;
}

void add_side(CLI::App& app, CompareSide& side, const std::string& name) {
  app.add_option("--" + name, side.device,
                 "Device of " + name + ": auto | cpu | cuda[:i] | reference (default " + side.device + ")");
  app.add_option("--dtype-" + name, side.dtype, "float64 | float32 (default float64)");
  app.add_option("--solver-" + name, side.solver, "Solver of " + name + " (default: that of both)");
}

}  // namespace

void add_compare_options(CLI::App& app, CompareOptions& options) {
  add_scene_options(app, options.both);
  add_side(app, options.a, "a");
  add_side(app, options.b, "b");
  app.add_option("--tolerance", options.tolerance,
                 "Exit code 3 if qpos differs by more in a step or over the trajectory [m, rad]");
}

RunOptions side_a(const CompareOptions& options) { return side_options(options, options.a, "a"); }
RunOptions side_b(const CompareOptions& options) { return side_options(options, options.b, "b"); }

std::optional<double> checked_tolerance(const CompareOptions& options) {
  const auto& tolerance = options.tolerance;
  if (!tolerance || (std::isfinite(*tolerance) && *tolerance >= 0.0)) return tolerance;
  throw InputError(fmt::format("--tolerance {}: it takes lengths or angles, finite and >= 0", *tolerance));
}

}  // namespace stiction
