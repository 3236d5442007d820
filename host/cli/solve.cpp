// stiction solve FILE: solves a batch of raw problems, prints how they end, writes the answers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>

#include "host/api/device.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/solve_batch.hpp"
#include "host/cli/solve_figures.hpp"
#include "host/cli/solve_options.hpp"
#include "host/cli/versions.hpp"
#include "host/model/choices.hpp"
#include "host/model/out_of_memory.hpp"
#include "host/record/answer_file.hpp"
#include "host/record/problem_file.hpp"

namespace stiction {
namespace {

/// "lcp, batch 4, size 3", "contact, batch 1, nv 6, contacts 2", ...
std::string describe_sizes(const ProblemBatch& p) {
  const std::string start = fmt::format("{}, batch {}", problem_kind_name(p.kind), p.batch);
  const std::string rows = p.extras.rows.count > 0 ? fmt::format(", rows {}", p.extras.rows.count) : "";
  if (p.kind == ProblemKind::kContact)
    return fmt::format("{}, nv {}, contacts {}{}", start, p.unknowns, p.contacts, rows);
  if (p.kind == ProblemKind::kDelassus) return fmt::format("{}, contacts {}", start, p.contacts);
  if (p.kind == ProblemKind::kQp) return fmt::format("{}, nv {}, rows {}", start, p.unknowns, p.rows);
  return fmt::format("{}, size {}", start, p.unknowns);
}

std::vector<RecordingAttribute> answer_attributes(const SolveCommandOptions& asked, const ProblemBatch& p,
                                                  const SolveOptions& options, const std::string& device) {
  std::vector<RecordingAttribute> attributes = {
      {"problems", asked.file}, {"kind", problem_kind_name(p.kind)}, {"device", device}};
  if (p.kind == ProblemKind::kContact || p.kind == ProblemKind::kDelassus) {
    attributes.push_back({"law", choice_name(law_choice(), options.law)});
    attributes.push_back({"cone", choice_name(cone_choice(), options.cone)});
    attributes.push_back({"facets", std::int64_t{options.facets}});
  }
  if (p.kind == ProblemKind::kContact) attributes.push_back({"step_size", p.step_size});
  attributes.push_back(
      {"solver", options.solver ? choice_name(solver_choice(), *options.solver) : std::string("auto")});
  if (p.kind == ProblemKind::kContact) attributes.push_back({"factor", choice_name(factor_choice(), options.factor)});
  attributes.push_back({"tolerance", options.tolerance});
  attributes.push_back({"max_iterations", std::int64_t{options.max_iterations}});
  attributes.push_back({"max_total_iterations", std::int64_t{options.max_total_iterations}});
  for (const auto& [name, version] : program_versions()) attributes.push_back({name + "_version", version});
  return attributes;
}

/// Solves the problems; errors in them are reported as errors of their file.
ContactAnswers solve_named(const std::string& file, const ProblemBatch& problems, const SolveOptions& options) {
  try {
    return solve_batch(problems, options);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

/// Refuses, before any work, an output file that cannot be written or that would replace the problems.
void check_out(const SolveCommandOptions& asked) {
  if (asked.out.empty()) return;
  std::error_code error;
  if (std::filesystem::equivalent(asked.file, asked.out, error))
    throw InputError(fmt::format("--out {}: it is the file of the problems", asked.out));
  check_answer_file(asked.out);
}

void print_answers(const SolveCommandOptions& asked, const ProblemBatch& problems, const ContactAnswers& answers,
                   double seconds) {
  fmt::print("{}: {}, {}\n{}{}{}", asked.file, describe_sizes(problems), answers.device,
             describe_problems(answers, problems.ids), describe(solve_figures(answers), seconds),
             describe_change(answers, problems.extras.answer));
  if (!asked.out.empty()) fmt::print("{:<28}{}\n", "answers", asked.out);
}

int solve_file(const SolveCommandOptions& asked) {
  using Clock = std::chrono::steady_clock;
  const int allowed = allowed_unsolved(asked);
  const ProblemBatch problems = read_problems(asked.file, asked_kind(asked), asked_problems(asked));
  const SolveOptions options = solve_options(asked, problems.kind, problems.choices);
  check_out(asked);
  make_gpu_solver(options);  // a device that is not usable is no error of the file
  const auto begin = Clock::now();
  const ContactAnswers answers = solve_named(asked.file, problems, options);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!asked.out.empty())
    write_answers(asked.out, problems, answers, answer_attributes(asked, problems, options, answers.device));
  if (!asked.quiet) {
    print_answers(asked, problems, answers, seconds);
    if (const auto warning = describe_asymmetry(answers, problems.ids); !warning.empty())
      fmt::print(stderr, "stiction: {}: {}\n", asked.file, warning);
  }
  if (solve_figures(answers).unsolved <= allowed) return kDone;
  fmt::print(stderr, "stiction: {}\n", describe_unsolved(answers, problems.ids));
  return kProblemsUnsolved;
}

int solve_file_in_memory(const SolveCommandOptions& asked) {
  try {
    return solve_file(asked);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(asked.file + ": memory does not hold these problems: split the batch");
  }
}

}  // namespace

void add_solve_command(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<SolveCommandOptions>();
  CLI::App* command = app.add_subcommand("solve", "Solve a batch of raw contact problems, LCPs, MLCPs or QPs");
  add_solve_options(*command, *options);
  command->callback([options, &selected] { selected = [options] { return solve_file_in_memory(*options); }; });
}

}  // namespace stiction
