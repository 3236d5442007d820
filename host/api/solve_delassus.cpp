#include <algorithm>

#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/delassus_factor.hpp"
#include "host/api/run_batch.hpp"

namespace stiction {
namespace {

/// Step size of the problem without units: it makes the residual's least speed, 1 mm/h, equal to max |q|.
constexpr double kStepSize = 1e-3;
/// The tolerance on L's residual relative to that on W's, so that W's is met although its scales differ. If it is not
/// met, the next attempt tightens the tolerance by the same factor. Large problems are first solved to the tolerance
/// itself.
constexpr double kTighter = 0.1;
constexpr int kAttempts = 3;

/// The memory of one thread: the symmetric part of a W, the problem and the solver's memory.
class Worker {
 public:
  Worker(const DelassusProblems& all, const SolveOptions& options)
      : all_(all),
        options_(options),
        rows_(3 * all.contacts),
        S_(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(rows_)),
        problem_({rows_, all.contacts, 0}, options),
        solver_(pose_largest(), options, true) {}

  /// Throws InputError for a W that is not symmetric or not positive semidefinite.
  void solve(int i, ContactAnswers& answers) {
    const std::span<const double> W = part(all_.W, all_.batch, i), q = part(all_.q, all_.batch, i);
    if (!all_finite(W) || !all_finite(q) || !all_finite(part(all_.mu, all_.batch, i)))
      return store_not_finite(i, answers);
    answers.asymmetry[static_cast<std::size_t>(i)] = take_semidefinite("W", i, W, rows_, S_);
    const DelassusFactor f = factor_delassus(S_, q);
    solve_factored(i, f, answers);
    finish(i, f, answers);
  }

 private:
  /// Solves (1) of delassus_factor.hpp; λ is in its units.
  void solve_factored(int i, const DelassusFactor& f, ContactAnswers& answers) {
    identity_ = RowMatrix::Identity(f.L.cols(), f.L.cols());
    v_.resize(f.L.cols());
    const std::span<double> lambda = part(answers.lambda, all_.batch, i);
    ContactSolution<double> x{v_.data(), lambda.data(), nullptr};
    WarmStart<double> last;
    pose(i, identity_, f.g.data(), f.L, f.b.data());
    double tolerance = (solver_.is_large(problem_.view()) ? 1.0 : kTighter) * options_.tolerance;
    int iterations = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt, tolerance *= kTighter) {
      pose(i, identity_, f.g.data(), f.L, f.b.data());
      auto report = solver_.solve(problem_.view(), tolerance, x, last, iterations);
      report.iterations = iterations += report.iterations;
      const double residual = measure(i, f, lambda);
      const bool solved = report.status == status::kConverged;
      const bool used_up = options_.max_total_iterations > 0 && iterations >= options_.max_total_iterations;
      if (solved && used_up) report.status = status::kIterationLimit;  // for W, unless it is solved
      store_report(i, report, residual, options_.tolerance, rows_, answers);
      if (!solved || used_up || residual <= options_.tolerance) return;
      kept_v_ = v_, kept_lambda_.assign(lambda.begin(), lambda.end());
      last = {kept_v_.data(), kept_lambda_.data(), nullptr, report.penalty};
    }
  }

  /// The residual of W r + q itself.
  double measure(int i, const DelassusFactor& f, std::span<double> r) {
    const Eigen::VectorXd u = f.S * Eigen::Map<const Eigen::VectorXd>(r.data(), rows_) + f.q;
    pose(i, f.S, f.q.data(), f.S, f.q.data());
    return measure_contacts(problem_.view(), u.data(), r.data());
  }

  /// Gives u and r their units back.
  void finish(int i, const DelassusFactor& f, ContactAnswers& answers) const {
    Eigen::Map<Eigen::VectorXd> u(part(answers.v, all_.batch, i).data(), rows_);
    Eigen::Map<Eigen::VectorXd> r(part(answers.lambda, all_.batch, i).data(), rows_);
    u = f.unit_q * (f.S * r + f.q);
    r *= f.unit_q / f.unit_W;
    answers.violation[static_cast<std::size_t>(i)] *= f.unit_q / kStepSize;
  }

  void pose(int i, const RowMatrix& H, const double* g, const RowMatrix& J, const double* b) {
    const std::span<const double> mu = part(all_.mu, all_.batch, i);
    problem_.set_motion(static_cast<int>(H.rows()), H.data(), g, kStepSize);
    for (std::size_t c = 0; c < mu.size(); ++c)
      problem_.add_contact(J.row(static_cast<Eigen::Index>(3 * c)).data(), 0.0, b + 3 * c, mu[c]);
  }

  ContactProblem<double> pose_largest() {
    const RowMatrix zero = RowMatrix::Zero(rows_, rows_);
    pose(0, zero, zero.data(), zero, zero.data());
    return problem_.view();
  }

  const DelassusProblems& all_;
  const SolveOptions& options_;
  int rows_;
  std::vector<double> S_;
  RowMatrix identity_;
  Eigen::VectorXd v_, kept_v_;
  std::vector<double> kept_lambda_;
  OneBlockProblem problem_;
  ProblemSolver solver_;
};

}  // namespace

ContactAnswers solve_delassus(const DelassusProblems& problems, const SolveOptions& options) {
  check_options(options);
  check_problems(problems);
  const int rows = 3 * problems.contacts;
  ContactAnswers answers = make_contact_answers(problems.batch, rows, rows, 0);
  solve_each<Worker>(problems, options, answers);
  return answers;
}

}  // namespace stiction
