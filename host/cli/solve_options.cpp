#include "host/cli/solve_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "host/cli/choices.hpp"
#include "host/cli/id_list.hpp"
#include "host/cli/whole_number.hpp"
#include "host/model/choices.hpp"

namespace stiction {
namespace {

const Choice& kind_choice() {
  static const Choice choice = [] {
    Choice kinds = {"kind", {}};
    for (const auto kind :
         {ProblemKind::kContact, ProblemKind::kDelassus, ProblemKind::kLcp, ProblemKind::kMlcp, ProblemKind::kQp})
      kinds.built.push_back(problem_kind_name(kind));
    return kinds;
  }();
  return choice;
}

/// Refuses an option that problems of this kind do not have.
template <class Option>
void refuse_given(const char* option, const Option& value, ProblemKind kind) {
  if (value)
    throw InputError(fmt::format("--{} {}: a problem of kind {} has none", option, *value, problem_kind_name(kind)));
}

/// The options of the command line, and those of the file where the command line leaves them open.
SolveCommandOptions with_choices(SolveCommandOptions o, const RecordedChoices& file) {
  if (!o.law) o.law = file.law;
  if (!o.cone) o.cone = file.cone;
  if (!o.facets) o.facets = file.facets;
  if (!o.factor && !o.solver) o.factor = file.factor;  // another solver might not support it
  if (!o.solver) o.solver = file.solver;
  if (!o.tolerance) o.tolerance = file.tolerance;
  if (!o.max_iterations) o.max_iterations = file.max_iterations;
  if (!o.max_total_iterations) o.max_total_iterations = file.max_total_iterations;
  return o;
}

void set_contact_options(const SolveCommandOptions& o, SolveOptions& options) {
  if (o.law) options.law = parse_choice<ContactLaw>(law_choice(), *o.law);
  if (o.cone) options.cone = parse_choice<ConeType>(cone_choice(), *o.cone);
  if (o.facets) options.facets = checked_int("facets", *o.facets, 3);
}

void check_solver(const SolveOptions& options, ProblemKind kind) {
  if (!options.solver) return;
  const std::string& name = choice_name(solver_choice(), *options.solver);
  const bool complementarity = kind == ProblemKind::kLcp || kind == ProblemKind::kMlcp;
  if (complementarity && *options.solver != SolverName::kLemke)
    throw InputError(fmt::format("--solver {}: lemke alone solves problems of kind {}", name, problem_kind_name(kind)));
  if (!can_factor(*options.solver, options.factor))
    throw InputError(fmt::format("--factor {}: {} factors no matrix; it is for {}",
                                 choice_name(factor_choice(), options.factor), name, factoring_solvers()));
  const bool has_cone = kind == ProblemKind::kContact || kind == ProblemKind::kDelassus;
  if (has_cone && !can_solve(*options.solver, options.cone))
    throw InputError(
        fmt::format("--solver {}: it does not solve {} cones", name, choice_name(cone_choice(), options.cone)));
}

}  // namespace

void add_solve_options(CLI::App& app, SolveCommandOptions& o) {
  app.add_option("FILE", o.file, "Problems: HDF5 or text, see docs/command_line.md")->required();
  app.add_option("--kind", o.kind, alternatives(kind_choice()) + " (default: what the file holds)");
  app.add_option("--problems", o.problems, "Solve these only, such as 0,5,10-19 (default all)");
  app.add_option("--law", o.law,
                 "Contact law: " + alternatives(law_choice()) + " (default: as the file says, else anitescu)");
  app.add_option("--cone", o.cone,
                 "Friction cone: " + alternatives(cone_choice()) + " (default: the file, else pyramid)");
  app.add_option("--facets", o.facets, "Facets of a pyramid, >= 3 (default: the file, else 4)");
  app.add_option("--solver", o.solver,
                 alternatives(solver_choice()) + " (default: the file, else interior_point, then newton; LCPs: lemke)");
  app.add_option("--factor", o.factor,
                 "Precision of the factored matrix of contact problems: " + alternatives(factor_choice()) +
                     " (default: the file, else float64)");
  app.add_option("--tolerance", o.tolerance, "On the residual (default: the file, else 1e-8)");
  app.add_option("--max-iterations", o.max_iterations,
                 "Of each phase of a solver; LCPs have no limit (default: the file, else 50)");
  app.add_option("--max-total-iterations", o.max_total_iterations,
                 "Of all phases and starts of a problem together; 0: no limit (default: the file, else 0)");
  app.add_option("--device", o.device, "auto | cpu | cuda[:i] (default cpu)");
  app.add_option("--threads", o.threads, "Host threads; 0: all cores (default 0)");
  app.add_option("--solve-threads", o.solve_threads,
                 "GPU threads that share a solve: 8 | 32 | 64, or 0: by the problem's size (default 0); on the CPU not "
                 "0: solve as a GPU does, for the same bits");
  app.add_option("--out", o.out, "Answers (HDF5); written as FILE.partial, renamed when they are complete")
      ->type_name("FILE");
  app.add_option("--allow-failures", o.allow_failures, "Unsolved problems that still count as success (default 0)");
  app.add_flag("--quiet", o.quiet, "Print nothing but errors");
}

std::optional<ProblemKind> asked_kind(const SolveCommandOptions& options) {
  if (!options.kind) return {};
  return parse_choice<ProblemKind>(kind_choice(), *options.kind);
}

ChooseProblems asked_problems(const SolveCommandOptions& options) {
  if (options.problems.empty()) return {};
  return [list = options.problems](int batch) {
    std::vector<int> ids = parse_id_list({"--problems", "problem", "the file"}, list, batch);
    std::sort(ids.begin(), ids.end());
    return ids;
  };
}

SolveOptions solve_options(const SolveCommandOptions& asked, ProblemKind kind, const RecordedChoices& file) {
  const SolveCommandOptions o = with_choices(asked, file);
  SolveOptions options;
  if (kind != ProblemKind::kContact && kind != ProblemKind::kDelassus) {
    refuse_given("law", o.law, kind);
    refuse_given("cone", o.cone, kind);
    refuse_given("facets", o.facets, kind);
  }
  set_contact_options(o, options);
  if (o.solver) options.solver = parse_choice<SolverName>(solver_choice(), *o.solver);
  if (kind != ProblemKind::kContact) refuse_given("factor", o.factor, kind);
  if (o.factor) options.factor = parse_choice<Dtype>(factor_choice(), *o.factor);
  check_solver(options, kind);
  options.tolerance = o.tolerance.value_or(options.tolerance);
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance))
    throw InputError(fmt::format("--tolerance {}: it takes a positive number", options.tolerance));
  options.max_iterations = checked_int("max-iterations", o.max_iterations.value_or(options.max_iterations), 1);
  options.max_total_iterations =
      checked_int("max-total-iterations", o.max_total_iterations.value_or(options.max_total_iterations), 0);
  options.device = o.device;
  options.threads = checked_int("threads", o.threads, 0);
  options.solve_threads = checked_solve_threads(o.solve_threads, "the problem's size");
  return options;
}

int allowed_unsolved(const SolveCommandOptions& options) {
  return checked_int("allow-failures", options.allow_failures, 0);
}

}  // namespace stiction
