#include "host/cli/bench_table.hpp"

#include <fmt/format.h>

#include <numeric>

#include "host/cli/choices.hpp"

namespace stiction {
namespace {

/// The names of a case's choices, as they appear in the table's columns.
struct ChoiceNames {
  std::string dynamics, law, cone, contact, geometry, rotation, torsion_radius, solver, factor, dtype;

  /// "patch/end/linear": what carries friction, and which other words about contacts are not the default.
  std::string contacts() const {
    std::string text = contact;
    if (geometry != geometry_choice().built[0]) text += "/" + geometry;
    if (rotation != rotation_choice().built[0]) text += "/" + rotation;
    if (torsion_radius != torsion_radius_choice().built[0]) text += "/" + torsion_radius;
    return text;
  }
};

ChoiceNames choice_names(const BenchCase& bench) {
  const Scene& scene = bench.scene;
  std::string cone = choice_name(cone_choice(), scene.physics.cone);
  if (takes_facets(scene.physics.cone)) cone += fmt::format("{}", scene.physics.facets);
  return {choice_name(dynamics_choice(), scene.physics.dynamics),
          choice_name(law_choice(), scene.physics.law),
          cone,
          choice_name(contact_choice(), scene.physics.contact),
          choice_name(geometry_choice(), scene.physics.geometry),
          choice_name(rotation_choice(), scene.physics.rotation),
          choice_name(torsion_radius_choice(), scene.physics.torsion_radius),
          choice_name(solver_choice(), scene.solver.name),
          choice_name(factor_choice(), scene.solver.factor),
          choice_name(dtype_choice(), bench.options.dtype)};
}

std::string limit_columns(const std::optional<StepLimit>& l) {
  if (!l) return ",,,,,,";
  return fmt::format(",{:.6g},{:.6g},{:.4g},{:.4g},{:.4g},{:.4g}", l->bytes, l->multiply_adds, l->ceilings.copy_bytes,
                     l->ceilings.multiply_adds, l->copy_share, l->multiply_add_share);
}

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string bench_csv_header() {
  std::string header =
      "scene,dofs,device,dtype,dynamics,law,cone,contact,geometry,rotation,torsion_radius,solver,factor,tolerance,"
      "step_size_s,batch,threads,env_steps_per_s,"
      "env_steps_per_s_least,env_steps_per_s_most,rounds,batch_step_ms_median,batch_step_ms_p99,contacts,rows,"
      "iterations,residual_worst,converged_share,contacts_most,max_contacts,env_bytes,scratch_bytes,step_bytes,"
      "step_multiply_adds,copy_bytes_per_s,multiply_adds_per_s,copy_share,multiply_add_share";
  for (const char* stage : kStageNames) header += fmt::format(",{}_us", stage);
  return header + "\n";
}

std::string bench_csv_row(const BenchCase& bench, const BenchResult& r, const BenchExtras& extras) {
  const ChoiceNames names = choice_names(bench);
  const double n = static_cast<double>(r.env_steps);
  std::string row = fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{:g},{:g},{},{},{:.6g},{:.6g},{:.6g},{},{:.6g},{:.6g},{:.6g},{:.6g},"
      "{:.6g},{:.3g},{:.6g},{},{},{},{}",
      in_quotes(bench.scene.name), bench.scene.model->nv, in_quotes(r.device), names.dtype, names.dynamics, names.law,
      names.cone, names.contact, names.geometry, names.rotation, names.torsion_radius, names.solver, names.factor,
      bench.scene.solver.tolerance, bench.scene.step_size, bench.options.batch, bench.options.threads,
      quantile(r.rate, 0.5), quantile(r.rate, 0.0), quantile(r.rate, 1.0), r.rate.size(),
      1e3 * quantile(r.seconds, 0.5), 1e3 * quantile(r.seconds, 0.99), r.contacts / n, r.rows / n, r.iterations / n,
      r.residual, static_cast<double>(r.converged) / n, r.most_contacts, r.max_contacts, r.env_bytes, r.scratch_bytes,
      r.env_bytes + r.scratch_bytes);
  row += limit_columns(extras.limit);
  for (std::size_t s = 0; s < kStages; ++s)
    row += extras.stages ? fmt::format(",{:.6g}", 1e6 * (*extras.stages)[s]) : ",";
  return row + "\n";
}

std::string bench_screen_header() {
  return fmt::format(
      "{:<12}{:>5} {:<15}{:<8}{:<13}{:<10}{:<14}{:<8}{:<7}{:>6}{:>7}{:>12}{:>10}{:>10}{:>9}{:>8}{:>7}{:>9}{:>9}\n",
      "scene", "dofs", "solver", "factor", "law", "cone", "contact", "dtype", "device", "h [s]", "batch", "env-steps/s",
      "ms, p50", "ms, p99", "contacts", "rows", "iter.", "residual", "conv. %");
}

std::string bench_screen_row(const BenchCase& bench, const BenchResult& r) {
  const ChoiceNames names = choice_names(bench);
  const double n = static_cast<double>(r.env_steps);
  const std::string device = r.device.substr(0, r.device.find(' '));
  return fmt::format(
      "{:<12}{:>5} "
      "{:<15}{:<8}{:<13}{:<10}{:<14}{:<8}{:<7}{:>6g}{:>7}{:>12.0f}{:>10.4g}{:>10.4g}{:>9.1f}{:>8.1f}{:>7.1f}{:>9.1e}"
      "{:>9.3f}\n",
      bench.scene.name, bench.scene.model->nv, names.solver, names.factor, names.law, names.cone, names.contacts(),
      names.dtype, device, bench.scene.step_size, bench.options.batch, quantile(r.rate, 0.5),
      1e3 * quantile(r.seconds, 0.5), 1e3 * quantile(r.seconds, 0.99), r.contacts / n, r.rows / n, r.iterations / n,
      r.residual, 100.0 * static_cast<double>(r.converged) / n);
}

std::string describe_stages(const std::array<double, kStages>& seconds) {
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::string text = fmt::format("  stages of {:.4g} us:", 1e6 * total);
  for (std::size_t s = 0; s < kStages; ++s)
    if (seconds[s] > 0)  // else the scene's step leaves the stage out
      text += fmt::format(" {} {:.3g} ({:.0f} %)", kStageNames[s], 1e6 * seconds[s], 100.0 * seconds[s] / total);
  return text + "\n";
}

}  // namespace stiction
