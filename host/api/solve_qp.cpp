#include <Eigen/Dense>
#include <algorithm>

#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/solve_each.hpp"

// A QP is a contact problem with general rows only, here without units:
//
//   H' = H u/f,  g' = g/f,  A' = A/a,  b' = b/(a u),  v = u v',  λ = (f/a) λ'
//
//   a   max |A|
//   u   max |b|/a, or max |g|/max |H| if b = 0: a unit in which distant rows are not distant
//   f   max |g|, or max |H| u if g = 0
namespace stiction {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kStepSize = 1e-3;  // the residual's least speed, 1 mm/h, is then u

struct QpUnits {
  double velocity = 1, force = 1, row = 1;  // u, f, a
};

QpUnits choose_units(double H, double g, double A, double b) {
  QpUnits units;
  if (A > 0) units.row = A;
  if (A > 0 && b > 0)
    units.velocity = b / A;
  else if (H > 0 && g > 0)
    units.velocity = g / H;
  if (g > 0)
    units.force = g;
  else if (H > 0)
    units.force = H * units.velocity;
  return units;
}

/// Drops the cone, which some solvers might not support: there are no contacts.
SolveOptions without_cone(SolveOptions options) {
  options.law = kNoFriction, options.cone = kAnyCone;
  return options;
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::fabs(x));
  return most;
}

/// The memory of one problem: without units, and its solvers.
class Case {
 public:
  Case(const QpProblems& all, const SolveOptions& options)
      : all_(all),
        options_(without_cone(options)),
        H_(all.nv, all.nv),
        A_(all.rows, all.nv),
        g_(all.nv),
        b_(all.rows),
        problem_({all.nv, 0, all.rows}, options_),
        solver_(options_) {}

  /// Throws InputError for an H that is not symmetric or not positive semidefinite.
  bool begin(int i, ContactAnswers& answers) {
    i_ = i;
    const auto H = part(all_.H, all_.batch, i), g = part(all_.g, all_.batch, i);
    const auto A = part(all_.A, all_.batch, i), b = part(all_.b, all_.batch, i);
    if (!all_finite(H) || !all_finite(g) || !all_finite(A) || !all_finite(b)) {
      store_not_finite(i, answers);
      return false;
    }
    const std::span<double> S(H_.data(), static_cast<std::size_t>(H_.size()));
    answers.asymmetry[static_cast<std::size_t>(i)] = take_semidefinite("H", i, H, all_.nv, S);
    units_ = choose_units(largest(S), largest(g), largest(A), largest(b));
    remove_units(i);
    const ContactSolution<double> x{part(answers.v, all_.batch, i).data(), nullptr,
                                    part(answers.lambda, all_.batch, i).data()};
    solver_.begin(pose(), options_.tolerance, x);
    return true;
  }

  SolverRun& run() { return solver_.run(); }

  bool go_on(ContactAnswers& answers) {
    if (solver_.go_on()) return true;
    const double residual = measure_residual(run().problem, run().out).total;
    store_report(i_, solver_.report(), residual, options_.tolerance, all_.rows, answers);
    answers.violation[static_cast<std::size_t>(i_)] *= units_.row * units_.velocity / kStepSize;
    for (double& entry : part(answers.v, all_.batch, i_)) entry *= units_.velocity;
    for (double& entry : part(answers.lambda, all_.batch, i_)) entry *= units_.force / units_.row;
    return false;
  }

 private:
  /// Divides by the units; H_ must hold the symmetric part of H.
  void remove_units(int i) {
    using Vector = Eigen::Map<const Eigen::VectorXd>;
    const QpUnits& units = units_;
    H_ *= units.velocity / units.force;
    g_ = Vector(part(all_.g, all_.batch, i).data(), all_.nv) / units.force;
    A_ = Eigen::Map<const RowMatrix>(part(all_.A, all_.batch, i).data(), all_.rows, all_.nv) / units.row;
    b_ = Vector(part(all_.b, all_.batch, i).data(), all_.rows) / (units.row * units.velocity);
  }

  ContactProblem<double> pose() {
    problem_.set_motion(all_.nv, H_.data(), g_.data(), kStepSize);
    for (Eigen::Index r = 0; r < all_.rows; ++r) problem_.add_row(A_.row(r).data(), b_[r]);
    return problem_.view();
  }

  const QpProblems& all_;
  SolveOptions options_;
  RowMatrix H_, A_;
  Eigen::VectorXd g_, b_;
  int i_ = 0;
  QpUnits units_;
  OneBlockProblem problem_;
  ProblemSolver solver_;
};

}  // namespace

ContactAnswers solve_qp(const QpProblems& problems, const SolveOptions& options) {
  check_row_options(options);
  check_problems(problems);
  ContactAnswers answers = make_contact_answers(problems.batch, problems.nv, problems.rows, problems.nv);
  solve_each<Case>(problems, options, answers);
  return answers;
}

}  // namespace stiction
