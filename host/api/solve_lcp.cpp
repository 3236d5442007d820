#include <algorithm>

#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/lcp_enumeration.hpp"
#include "host/api/lcp_feasibility.hpp"
#include "host/api/solve_each.hpp"
#include "host/api/symmetric_matrix.hpp"
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

class Case {
 public:
  Case(const LcpProblems& all, const SolveOptions& options) : all_(all), options_(options) {
    run_.options.tolerance = options_.tolerance, run_.options.covers = kCovers;
    if (options_.max_total_iterations > 0) run_.options.max_pivots = options_.max_total_iterations;
  }

  bool begin(int i, LcpAnswers& answers) {
    i_ = i;
    if (!all_finite(part(all_.M, all_.batch, i)) || !all_finite(part(all_.q, all_.batch, i))) {
      answers.status[static_cast<std::size_t>(i)] = status::kNotFinite;
      return false;
    }
    run_.problem = pose(i), run_.z = part(answers.z, all_.batch, i).data();
    return true;
  }

  LcpRun& run() { return run_; }

  bool go_on(LcpAnswers& answers) {
    const LcpReport<double>& report = run_.report;
    const std::size_t k = static_cast<std::size_t>(i_);
    answers.residual[k] = compute_lcp_residual(Team{}, run_.problem, run_.z);
    answers.iterations[k] = report.pivots;
    answers.status[k] = answers.residual[k] <= options_.tolerance ? status::kConverged : status_of(report.status);
    if (answers.status[k] != status::kConverged) explain(report, answers);
    return false;
  }

 private:
  /// Looks for a certificate where the pivots left none, or for an answer among all bases.
  void explain(const LcpReport<double>& report, LcpAnswers& answers) const {
    const std::size_t k = static_cast<std::size_t>(i_);
    const std::span<double> z = part(answers.z, all_.batch, i_), y = part(answers.farkas, all_.batch, i_);
    if (report.certificate)
      std::copy_n(report.certificate, y.size(), y.begin());
    else if (report.pivots >= run_.options.max_pivots)
      return;
    else if (prove_infeasible(run_.problem, y))
      answers.status[k] = status::kInfeasible;
    else if (try_every_basis(run_.problem, options_.tolerance, z)) {
      answers.status[k] = status::kConverged;
      answers.residual[k] = compute_lcp_residual(Team{}, run_.problem, z.data());
    }
  }

  LcpProblem<double> pose(int i) const {
    const bool shared = all_.equations.size() == static_cast<std::size_t>(all_.size);
    const int* equations = all_.equations.empty() ? nullptr
                           : shared               ? all_.equations.data()
                                                  : part(all_.equations, all_.batch, i).data();
    return {all_.size, part(all_.M, all_.batch, i).data(), part(all_.q, all_.batch, i).data(), equations};
  }

  const LcpProblems& all_;
  const SolveOptions& options_;
  int i_ = 0;
  LcpRun run_{};
};

LcpAnswers solve_all(const LcpProblems& problems, const SolveOptions& options) {
  LcpAnswers answers = make_answers(problems.batch, problems.size);
  solve_each<Case>(problems, options, answers);
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
