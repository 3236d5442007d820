#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/posed_contacts.hpp"
#include "host/api/solve_each.hpp"

namespace stiction {
namespace {

/// The memory of one problem: the symmetric parts of H and M, its blocks and its solvers.
class Case {
 public:
  Case(const ContactProblems& all, const SolveOptions& options)
      : all_(all),
        options_(options),
        H_(static_cast<std::size_t>(all.nv) * static_cast<std::size_t>(all.nv)),
        M_(all.M.empty() ? 0 : H_.size()),
        problem_(all, options),
        solver_(options) {}

  /// Throws InputError for H and M that are not symmetric or not positive semidefinite, or have entries outside their
  /// blocks.
  bool begin(int i, ContactAnswers& answers) {
    i_ = i;
    const int count = all_.count.empty() ? all_.contacts : all_.count[static_cast<std::size_t>(i)];
    if (!is_finite(i, count)) {
      store_not_finite(i, answers);
      return false;
    }
    answers.asymmetry[static_cast<std::size_t>(i)] =
        take_semidefinite("H", i, part(all_.H, all_.batch, i), all_.nv, H_);
    if (!all_.M.empty()) take_semidefinite("M", i, part(all_.M, all_.batch, i), all_.nv, M_);
    const ContactProblem<double> p = problem_.pose(i, count, H_, M_);
    const ContactSolution<double> x{part(answers.v, all_.batch, i).data(), part(answers.lambda, all_.batch, i).data(),
                                    part(answers.row_lambda, all_.batch, i).data()};
    solver_.begin(p, options_.tolerance, x, problem_.start(i));
    return true;
  }

  SolverRun& run() { return solver_.run(); }

  bool go_on(ContactAnswers& answers) {
    if (solver_.go_on()) return true;
    const ContactProblem<double>& p = run().problem;
    store_report(i_, solver_.report(), measure_residual(p, run().out).total, options_.tolerance,
                 p.dimension * p.num_contacts, answers);
    return false;
  }

 private:
  bool is_finite(int i, int count) const {
    const auto used = [&](std::span<const double> all, int per_contact) {
      return all.empty() || all_finite(part(all, all_.batch, i).first(static_cast<std::size_t>(count * per_contact)));
    };
    const auto whole = [&](std::span<const double> all) { return all.empty() || all_finite(part(all, all_.batch, i)); };
    const int rows = all_.dimension();
    return whole(all_.H) && whole(all_.g) && whole(all_.M) && whole(all_.start) && whole(all_.rows.J) &&
           whole(all_.rows.offset) && used(all_.J, rows * all_.nv) && used(all_.phi, 1) &&
           used(all_.mu, all_.frictions) && used(all_.offset, rows);
  }

  const ContactProblems& all_;
  const SolveOptions& options_;
  std::vector<double> H_, M_;
  int i_ = 0;
  PosedContacts problem_;
  ProblemSolver solver_;
};

}  // namespace

ContactAnswers solve_contact(const ContactProblems& problems, const SolveOptions& options) {
  check_options(options);
  check_problems(problems);
  ContactAnswers answers =
      make_contact_answers(problems.batch, problems.nv, problems.dimension() * problems.contacts, problems.nv);
  const std::size_t rows = static_cast<std::size_t>(problems.batch) * static_cast<std::size_t>(problems.rows.count);
  answers.row_lambda.assign(rows, 0.0), answers.row_farkas.assign(rows, kNoNumber);
  solve_each<Case>(problems, options, answers);
  return answers;
}

}  // namespace stiction
