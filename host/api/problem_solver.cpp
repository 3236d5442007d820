#include "host/api/problem_solver.hpp"

#include <algorithm>
#include <cmath>

#include "host/api/free_direction.hpp"

namespace stiction {
namespace {

SolverConfig config_of(const SolveOptions& options) {
  SolverConfig config;
  config.name = options.solver.value_or(config.name);
  config.tolerance = options.tolerance;
  config.max_iterations = options.max_iterations;
  config.max_total_iterations = options.max_total_iterations;
  config.factor = options.factor;
  config.route = options.solve_threads == 0 ? SolveRoute::kAlone : SolveRoute::kTeam;
  return config;
}

/// True if a solve with this configuration has used up its total of iterations.
bool is_used_up(const SolverConfig& config, const SolverReport<double>& report) {
  return report.iterations >= most_iterations(config);
}

/// Newton: the most reliable of the solvers that solve every kind of problem.
SolverConfig second_config(SolverConfig config) {
  config.name = SolverName::kNewton;
  return config;
}

/// Entries of J_iᵀJ_i of all contacts, which a Newton step adds up before it factors.
double filled_entries(const ContactProblem<double>& p) {
  double entries = 0;
  for (int i = 0; i < p.num_contacts; ++i)
    for (const auto& side : p.contacts[i].side)
      if (side.block >= 0) entries += std::pow(p.block_size[side.block], 2);
  return p.dimension * entries;
}

/// Coulomb problems with at least this many entries count as large: a Newton step takes some 10 ms on one core, a step
/// of ADMM a fortieth of that.
constexpr double kLarge = 3e7;
/// Budget for large problems: matrix entries that ADMM's steps and Newton's may go through, some 12 s and 4 s.
constexpr double kAdmmEntries = 6e9, kNewtonEntries = 1.6e10;

/// Iterations of a solver that takes `steps` steps per iteration: as many as `entries` allow, at least one and at most
/// max_iterations.
int iterations_for(double entries, double entries_of_step, int steps, int max_iterations) {
  return std::clamp(static_cast<int>(entries / entries_of_step / steps), 1, max_iterations);
}

SolverConfig first_config_of_large(SolverConfig config, const ContactProblem<double>& p) {
  const double step = std::pow(p.nv, 2) + 2.0 * p.dimension * p.num_contacts * p.nv;
  config.name = SolverName::kAdmm;
  config.max_iterations = iterations_for(kAdmmEntries, step, kAdmmStepsPerIteration, config.max_iterations);
  return config;
}

SolverConfig second_config_of_large(SolverConfig config, const ContactProblem<double>& p) {
  config.name = SolverName::kNewton;
  config.max_iterations =
      iterations_for(kNewtonEntries, filled_entries(p), kNewtonStepsPerIteration, config.max_iterations);
  return config;
}

/// Copies `count` values; there are none where the arrays are null.
void keep(const double* values, int count, std::vector<double>& kept) { kept.assign(values, values + count); }

}  // namespace

ProblemSolver::ProblemSolver(const SolveOptions& options, bool has_mass)
    : config_(config_of(options)), open_(!options.solver), has_mass_(has_mass) {}

bool ProblemSolver::is_large(const ContactProblem<double>& p) const {
  return open_ && has_mass_ && shifts_gap(p.law) && filled_entries(p) >= kLarge;
}

void ProblemSolver::begin(const ContactProblem<double>& problem, double tolerance, const ContactSolution<double>& out,
                          const WarmStart<double>& warm, int spent) {
  config_.tolerance = tolerance;
  spent_ = spent, is_second_ = false;
  const SolverConfig first = is_large(problem) ? first_config_of_large(config_, problem) : config_;
  run_ = {without_iterations(first, spent), problem, warm, out, {}};
}

bool ProblemSolver::go_on() {
  if (is_second_) {
    join_runs();
    return false;
  }
  report_ = run_.report;
  if (report_.status == status::kConverged || report_.certificate || is_used_up(run_.config, report_)) return false;
  if (is_explained() || !open_) return false;
  prepare_second_run();
  return true;
}

bool ProblemSolver::is_explained() {
  direction_ = find_free_direction(run_.problem);
  if (direction_.empty()) return false;
  report_.status = status::kUnbounded, report_.certificate = direction_.data();
  return true;
}

void ProblemSolver::prepare_second_run() {
  const ContactProblem<double>& p = run_.problem;
  keep(run_.out.v, p.nv, v_), keep(run_.out.lambda, p.dimension * p.num_contacts, lambda_);
  keep(run_.out.row_lambda, p.num_rows, row_lambda_);
  const bool large = is_large(p);
  const SolverConfig second = large ? second_config_of_large(config_, p) : second_config(config_);
  run_.config = without_iterations(second, spent_ + report_.iterations);
  run_.warm = large ? WarmStart<double>{v_.data(), lambda_.data(), row_lambda_.data()} : WarmStart<double>{};
  is_second_ = true;
}

void ProblemSolver::join_runs() {
  SolverReport<double> second = run_.report;
  const bool used_up = is_used_up(run_.config, second);
  second.iterations += report_.iterations;
  if (second.certificate || second.residual <= report_.residual || report_.status & status::kNotFinite) {
    report_ = second;
    return;
  }
  std::copy(v_.begin(), v_.end(), run_.out.v.data());
  std::copy(lambda_.begin(), lambda_.end(), run_.out.lambda.data());
  std::copy(row_lambda_.begin(), row_lambda_.end(), run_.out.row_lambda.data());
  report_.iterations = second.iterations;
  if (used_up) report_.status = status::kIterationLimit;
}

}  // namespace stiction
