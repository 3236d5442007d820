#include "host/api/one_block_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/api/free_direction.hpp"
#include "kernels/launch/host_solvers.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

SolverConfig config_of(const SolveOptions& options) {
  SolverConfig config;
  config.name = options.solver.value_or(config.name);
  config.tolerance = options.tolerance;
  config.max_iterations = options.max_iterations;
  config.max_total_iterations = options.max_total_iterations;
  config.factor = options.factor;
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

}  // namespace

OneBlockProblem::OneBlockProblem(const ProblemSize& most, const SolveOptions& options)
    : radius_(static_cast<std::size_t>(most.nv), 1.0) {
  const std::size_t n = static_cast<std::size_t>(most.nv);
  identity_.resize(n * n);
  contacts_.reserve(static_cast<std::size_t>(most.contacts));
  rows_.reserve(static_cast<std::size_t>(most.rows));
  problem_.law = options.law, problem_.cone = options.cone, problem_.facets = options.facets;
}

void OneBlockProblem::set_motion(int nv, const double* H, const double* g, double step_size) {
  const std::size_t n = static_cast<std::size_t>(nv);
  std::fill_n(identity_.begin(), n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) identity_[j * (n + 1)] = 1.0;
  contacts_.clear(), rows_.clear();
  block_size_ = problem_.nv = nv;
  H_ = H, M_ = identity_.data(), problem_.g = g, problem_.step_size = step_size;
}

void OneBlockProblem::add_contact(const double* J, double gap_rate, const double* b, double mu) {
  ContactRow<double> row{};
  row.side[0] = {0, J};
  row.gap_rate = gap_rate;
  if (b) std::copy_n(b, 3, row.offset);
  row.mu_t = row.mu_o = mu;
  contacts_.push_back(row);
}

void OneBlockProblem::add_row(const double* J, double b, bool equation) {
  add_bounded_row(J, equation ? -kInfinity : 0.0, kInfinity);
  rows_.back().offset = b;
}

void OneBlockProblem::add_bounded_row(const double* J, double lower, double upper) {
  GeneralRow<double> row{};
  row.side[0] = {0, J};
  row.lower = lower, row.upper = upper;
  row.radius = 1.0;
  rows_.push_back(row);
}

ContactProblem<double> OneBlockProblem::view() const {
  ContactProblem<double> p = problem_;
  p.num_blocks = 1, p.block_adr = &block_adr_, p.block_size = &block_size_;
  p.H = &H_, p.M = &M_, p.dof_radius = radius_.data();
  p.num_contacts = static_cast<int>(contacts_.size()), p.contacts = contacts_.data();
  p.num_rows = static_cast<int>(rows_.size()), p.rows = rows_.data();
  return p;
}

ProblemSolver::ProblemSolver(const ContactProblem<double>& largest, const SolveOptions& options, bool has_mass)
    : config_(config_of(options)), open_(!options.solver), has_mass_(has_mass) {
  const SolverCapacity capacity = capacity_of(largest);
  std::size_t bytes = solver_scratch<double>(config_, capacity);
  if (open_) bytes = std::max(bytes, solver_scratch<double>(second_config(config_), capacity));
  if (is_large(largest))
    bytes = std::max(bytes, solver_scratch<double>(first_config_of_large(config_, largest), capacity));
  scratch_.resize(bytes);
}

bool ProblemSolver::is_large(const ContactProblem<double>& p) const {
  return open_ && has_mass_ && shifts_gap(p.law) && filled_entries(p) >= kLarge;
}

SolverReport<double> ProblemSolver::run(const SolverConfig& config, const ContactProblem<double>& problem,
                                        const WarmStart<double>& warm, ContactSolution<double>& out) {
  return solve_problem<Team, double>(Team{}, problem, config, warm, Arena(scratch_.data()), out);
}

SolverReport<double> ProblemSolver::solve(const ContactProblem<double>& problem, double tolerance,
                                          ContactSolution<double>& out, const WarmStart<double>& warm, int spent) {
  config_.tolerance = tolerance;
  const bool large = is_large(problem);
  const SolverConfig first = without_iterations(large ? first_config_of_large(config_, problem) : config_, spent);
  auto report = run(first, problem, warm, out);
  if (report.status == status::kConverged || report.certificate || is_used_up(first, report)) return report;
  direction_ = find_free_direction(problem);
  if (!direction_.empty()) {
    report.status = status::kUnbounded, report.certificate = direction_.data();
    return report;
  }
  if (!open_) return report;
  const SolverConfig second = large ? second_config_of_large(config_, problem) : second_config(config_);
  return solve_again(without_iterations(second, spent + report.iterations), large, problem, report, out);
}

SolverReport<double> ProblemSolver::solve_again(const SolverConfig& config, bool goes_on,
                                                const ContactProblem<double>& p, const SolverReport<double>& first,
                                                ContactSolution<double>& out) {
  const auto keep = [](const double* values, int count, std::vector<double>& kept) {
    kept.assign(values, values + count);
  };
  keep(out.v, p.nv, v_), keep(out.lambda, p.dimension * p.num_contacts, lambda_);
  keep(out.row_lambda, p.num_rows, row_lambda_);
  const WarmStart<double> last{v_.data(), lambda_.data(), row_lambda_.data()};
  auto second = run(config, p, goes_on ? last : WarmStart<double>{}, out);
  const bool used_up = is_used_up(config, second);
  second.iterations += first.iterations;
  if (second.certificate || second.residual <= first.residual || first.status & status::kNotFinite) return second;
  std::copy(v_.begin(), v_.end(), out.v.data());
  std::copy(lambda_.begin(), lambda_.end(), out.lambda.data());
  std::copy(row_lambda_.begin(), row_lambda_.end(), out.row_lambda.data());
  SolverReport<double> report = first;
  report.iterations = second.iterations;
  if (used_up) report.status = status::kIterationLimit;
  return report;
}

double measure_contacts(const ContactProblem<double>& p, const double* u, const double* impulses) {
  const ConeShape shape = shape_cone(p);
  Arena measure;
  take_facet_table<double>(shape, measure);
  AlignedVector<char> memory(measure.used());
  Arena arena(memory.data());
  FacetTable<double> table = take_facet_table<double>(shape, arena);
  fill_facet_table(Team{}, table);
  double scale = kLeastForce<double> * p.step_size, speed = 1e-3 / p.step_size, largest = 0.0;
  for (int i = 0; i < p.num_contacts; ++i) {
    scale = std::max(scale, largest_entry(contact_impulse(p, impulses, i)));
    speed = std::max(speed, judged_speed(choose_friction(p, p.contacts[i]), load_contact(u, 3, i)));
  }
  for (int i = 0; i < p.num_contacts; ++i) {
    ContactVector<double> moved = load_contact(u, 3, i);
    moved.n += shift_gap(p.law, table, choose_friction(p, p.contacts[i]), moved);
    largest = larger_or_nan(contact_map(p, table, i, impulses, scale / speed, moved) / scale, largest);
  }
  return largest;
}

Residual<double> measure_residual(const ContactProblem<double>& p, const ContactSolution<double>& x) {
  const auto lay_out = [&](Arena& arena) {
    const auto table = take_facet_table<double>(shape_cone(p), arena);
    return std::pair(table, take_residual_scratch<double>(p.nv, p.num_blocks, p.num_contacts, arena));
  };
  Arena measure;
  lay_out(measure);
  AlignedVector<char> memory(measure.used());
  Arena arena(memory.data());
  auto [table, scratch] = lay_out(arena);
  fill_facet_table(Team{}, table);
  return compute_residual(Team{}, p, table, x, scratch);
}

}  // namespace stiction
