#include <algorithm>

#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/lcp_enumeration.hpp"
#include "host/api/lcp_feasibility.hpp"
#include "host/api/run_batch.hpp"
#include "host/api/symmetric_matrix.hpp"
#include "kernels/solver/pivots/lemke_lcp.hpp"
#include "kernels/team/team.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr int kCovers =
    20;  // of 3,000 random M without structure, 5 covers leave 123 solvable ones unsolved, 20 leave 100

LcpAnswers make_answers(int batch, int size) {
  const std::size_t n = static_cast<std::size_t>(batch), entries = n * static_cast<std::size_t>(size);
  LcpAnswers a;
  a.z.assign(entries, kNoNumber), a.farkas.assign(entries, kNoNumber);
  a.status.assign(n, 0), a.residual.assign(n, kNoNumber), a.iterations.assign(n, 0);
  return a;
}

std::uint32_t status_of(LcpStatus status) {
  switch (status) {
    case LcpStatus::kConverged:
      return status::kConverged;
    case LcpStatus::kInfeasible:
      return status::kInfeasible;
    case LcpStatus::kRay:
      return status::kNoSolutionFound;
    case LcpStatus::kPivotLimit:
      return status::kIterationLimit;
    case LcpStatus::kSingular:
      return status::kStalled;
    case LcpStatus::kNotFinite:
      break;
  }
  return status::kNotFinite;
}

/// The memory of one thread.
class Worker {
 public:
  Worker(const LcpProblems& all, const SolveOptions& options)
      : all_(all), options_(options), scratch_(lcp_scratch<double>(all.size)) {}

  void solve(int i, LcpAnswers& answers) {
    const LcpProblem<double> p = pose(i);
    if (!all_finite(part(all_.M, all_.batch, i)) || !all_finite(part(all_.q, all_.batch, i))) {
      answers.status[static_cast<std::size_t>(i)] = status::kNotFinite;
      return;
    }
    const std::size_t k = static_cast<std::size_t>(i);
    const std::span<double> z = part(answers.z, all_.batch, i), y = part(answers.farkas, all_.batch, i);
    LcpOptions lemke;
    lemke.tolerance = options_.tolerance, lemke.covers = kCovers;
    if (options_.max_total_iterations > 0) lemke.max_pivots = options_.max_total_iterations;
    const auto report = solve_lcp(Team{}, p, lemke, Arena(scratch_.data()), z.data());
    answers.residual[k] = compute_lcp_residual(Team{}, p, z.data());
    answers.iterations[k] = report.pivots;
    answers.status[k] = answers.residual[k] <= options_.tolerance ? status::kConverged : status_of(report.status);
    if (answers.status[k] == status::kConverged) return;
    if (report.certificate)
      std::copy_n(report.certificate, y.size(), y.begin());
    else if (report.pivots >= lemke.max_pivots)
      return;
    else if (prove_infeasible(p, y))
      answers.status[k] = status::kInfeasible;
    else if (try_every_basis(p, options_.tolerance, z)) {
      answers.status[k] = status::kConverged;
      answers.residual[k] = compute_lcp_residual(Team{}, p, z.data());
    }
  }

 private:
  LcpProblem<double> pose(int i) const {
    const bool shared = all_.equations.size() == static_cast<std::size_t>(all_.size);
    const int* equations = all_.equations.empty() ? nullptr
                           : shared               ? all_.equations.data()
                                                  : part(all_.equations, all_.batch, i).data();
    return {all_.size, part(all_.M, all_.batch, i).data(), part(all_.q, all_.batch, i).data(), equations};
  }

  const LcpProblems& all_;
  const SolveOptions& options_;
  AlignedVector<char> scratch_;
};

LcpAnswers solve_all(const LcpProblems& problems, const SolveOptions& options) {
  LcpAnswers answers = make_answers(problems.batch, problems.size);
  solve_each<Worker>(problems, options, answers);
  return answers;
}

}  // namespace

LcpAnswers solve_lcp(const LcpProblems& problems, const SolveOptions& options) {
  check_lcp_options(options);
  check_problems(problems, LcpKind::kPlain);
  return solve_all(problems, options);
}

LcpAnswers solve_mlcp(const LcpProblems& problems, const SolveOptions& options) {
  check_lcp_options(options);
  check_problems(problems, LcpKind::kMixed);
  return solve_all(problems, options);
}

}  // namespace stiction
