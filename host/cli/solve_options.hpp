// What `stiction solve` takes from the command line.
#pragma once

#include <optional>
#include <string>

#include "host/api/solve_problems.hpp"
#include "host/record/problem_batch.hpp"

namespace CLI {
class App;
}

namespace stiction {

struct SolveCommandOptions {
  std::string file;
  std::optional<std::string> kind;  // none: the file says which
  std::optional<std::string> law, cone, solver, factor;
  std::optional<long long> facets;
  std::optional<double> tolerance;
  std::optional<long long> max_iterations, max_total_iterations;
  std::string device = SolveOptions().device;
  long long threads = SolveOptions().threads, solve_threads = SolveOptions().solve_threads;
  std::string problems;  // a list; empty: all
  std::string out;       // empty: nothing is written
  long long allow_failures = 0;
  bool quiet = false;
};

void add_solve_options(CLI::App& app, SolveCommandOptions& options);

/// The kind that was asked for. Throws InputError for an unknown one.
std::optional<ProblemKind> asked_kind(const SolveCommandOptions& options);

/// A function that returns the ids of --problems in the order of the file, or all ids without that option. It throws
/// InputError when it is called.
ChooseProblems asked_problems(const SolveCommandOptions& options);

/// Options of the solve, checked for problems of this kind: QPs, LCPs and MLCPs have no law and no cone, LCPs and MLCPs
/// no solver but lemke. What the command line leaves open is taken from the file. Throws InputError that names the
/// option.
SolveOptions solve_options(const SolveCommandOptions& options, ProblemKind kind, const RecordedChoices& file = {});

/// How many problems may stay unsolved while the command still succeeds. Throws InputError.
int allowed_unsolved(const SolveCommandOptions& options);

}  // namespace stiction
