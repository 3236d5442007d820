#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/delassus_factor.hpp"
#include "host/api/solve_each.hpp"

namespace stiction {
namespace {

/// Step size of the problem without units: it makes the residual's least speed, 1 mm/h, equal to max |q|.
constexpr double kStepSize = 1e-3;
/// The tolerance on L's residual relative to that on W's, so that W's is met although its scales differ. If it is not
/// met, the next attempt tightens the tolerance by the same factor. Large problems are first solved to the tolerance
/// itself.
constexpr double kTighter = 0.1;
constexpr int kAttempts = 3;

/// The memory of one problem: the symmetric part of W, its factor and its solvers.
class Case {
 public:
  Case(const DelassusProblems& all, const SolveOptions& options)
      : all_(all),
        options_(options),
        rows_(3 * all.contacts),
        S_(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(rows_)),
        problem_({rows_, all.contacts, 0}, options),
        solver_(options, true) {}

  /// Throws InputError for a W that is not symmetric or not positive semidefinite.
  bool begin(int i, ContactAnswers& answers) {
    i_ = i;
    const std::span<const double> W = part(all_.W, all_.batch, i), q = part(all_.q, all_.batch, i);
    if (!all_finite(W) || !all_finite(q) || !all_finite(part(all_.mu, all_.batch, i))) {
      store_not_finite(i, answers);
      return false;
    }
    answers.asymmetry[static_cast<std::size_t>(i)] = take_semidefinite("W", i, W, rows_, S_);
    factor_ = factor_delassus(S_, q);
    identity_ = RowMatrix::Identity(factor_.L.cols(), factor_.L.cols());
    v_.resize(factor_.L.cols());
    attempt_ = iterations_ = 0, last_ = {};
    pose_factored();
    tolerance_ = (solver_.is_large(problem_.view()) ? 1.0 : kTighter) * options_.tolerance;
    begin_attempt(answers);
    return true;
  }

  SolverRun& run() { return solver_.run(); }

  bool go_on(ContactAnswers& answers) {
    if (solver_.go_on()) return true;
    if (store_attempt(answers) && ++attempt_ < kAttempts) {
      const std::span<double> lambda = part(answers.lambda, all_.batch, i_);
      kept_v_ = v_, kept_lambda_.assign(lambda.begin(), lambda.end());
      last_ = {kept_v_.data(), kept_lambda_.data(), nullptr, solver_.report().penalty};
      tolerance_ *= kTighter;
      pose_factored();
      begin_attempt(answers);
      return true;
    }
    finish(answers);
    return false;
  }

 private:
  /// Solves (1) of delassus_factor.hpp; λ is in its units.
  void begin_attempt(ContactAnswers& answers) {
    const ContactSolution<double> x{v_.data(), part(answers.lambda, all_.batch, i_).data(), nullptr};
    solver_.begin(problem_.view(), tolerance_, x, last_, iterations_);
  }

  /// True if (1) is solved, but not yet W.
  bool store_attempt(ContactAnswers& answers) {
    SolverReport<double> report = solver_.report();
    report.iterations = iterations_ += report.iterations;
    const double residual = measure(part(answers.lambda, all_.batch, i_));
    const bool solved = report.status == status::kConverged;
    const bool used_up = options_.max_total_iterations > 0 && iterations_ >= options_.max_total_iterations;
    if (solved && used_up) report.status = status::kIterationLimit;  // for W, unless it is solved
    store_report(i_, report, residual, options_.tolerance, rows_, answers);
    return solved && !used_up && !(residual <= options_.tolerance);
  }

  /// The residual of W r + q itself.
  double measure(std::span<const double> r) {
    const Eigen::VectorXd u = factor_.S * Eigen::Map<const Eigen::VectorXd>(r.data(), rows_) + factor_.q;
    pose(factor_.S, factor_.q.data(), factor_.S, factor_.q.data());
    return measure_contacts(problem_.view(), u.data(), r.data());
  }

  /// Gives u and r their units back.
  void finish(ContactAnswers& answers) const {
    const DelassusFactor& f = factor_;
    Eigen::Map<Eigen::VectorXd> u(part(answers.v, all_.batch, i_).data(), rows_);
    Eigen::Map<Eigen::VectorXd> r(part(answers.lambda, all_.batch, i_).data(), rows_);
    u = f.unit_q * (f.S * r + f.q);
    r *= f.unit_q / f.unit_W;
    answers.violation[static_cast<std::size_t>(i_)] *= f.unit_q / kStepSize;
  }

  void pose_factored() { pose(identity_, factor_.g.data(), factor_.L, factor_.b.data()); }

  void pose(const RowMatrix& H, const double* g, const RowMatrix& J, const double* b) {
    const std::span<const double> mu = part(all_.mu, all_.batch, i_);
    problem_.set_motion(static_cast<int>(H.rows()), H.data(), g, kStepSize);
    for (std::size_t c = 0; c < mu.size(); ++c)
      problem_.add_contact(J.row(static_cast<Eigen::Index>(3 * c)).data(), 0.0, b + 3 * c, mu[c]);
  }

  const DelassusProblems& all_;
  const SolveOptions& options_;
  int rows_;
  std::vector<double> S_;
  int i_ = 0;
  DelassusFactor factor_{};
  RowMatrix identity_;
  int attempt_ = 0, iterations_ = 0;  // of all attempts
  double tolerance_ = 0;              // of this attempt
  Eigen::VectorXd v_, kept_v_;
  std::vector<double> kept_lambda_;
  WarmStart<double> last_;
  OneBlockProblem problem_;
  ProblemSolver solver_;
};

}  // namespace

ContactAnswers solve_delassus(const DelassusProblems& problems, const SolveOptions& options) {
  check_options(options);
  check_problems(problems);
  const int rows = 3 * problems.contacts;
  ContactAnswers answers = make_contact_answers(problems.batch, rows, rows, 0);
  solve_each<Case>(problems, options, answers);
  return answers;
}

}  // namespace stiction
