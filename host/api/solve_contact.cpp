#include <algorithm>

#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"
#include "host/api/run_batch.hpp"

namespace stiction {
namespace {

/// What one thread needs: the symmetric part of an H, the problem and the solver's memory.
class Worker {
 public:
  Worker(const ContactProblems& all, const SolveOptions& options)
      : all_(all),
        options_(options),
        S_(static_cast<std::size_t>(all.nv) * static_cast<std::size_t>(all.nv)),
        problem_({all.nv, all.contacts, 0}, options),
        solver_(pose(0, all.contacts), options) {}

  /// Throws InputError for an H that is not symmetric or not positive semidefinite.
  void solve(int i, ContactAnswers& answers) {
    const std::span<const double> H = part(all_.H, all_.batch, i);
    const int count = all_.count.empty() ? all_.contacts : all_.count[static_cast<std::size_t>(i)];
    if (!is_finite(i, count)) return store_not_finite(i, answers);
    take_semidefinite("H", i, H, all_.nv, S_, answers);
    const ContactProblem<double> p = pose(i, count);
    ContactSolution<double> x{part(answers.v, all_.batch, i).data(), part(answers.lambda, all_.batch, i).data(),
                              nullptr};
    const auto report = solver_.solve(p, options_.tolerance, x);
    store_report(i, report, measure_residual(p, x).total, options_.tolerance, 3 * count, answers);
  }

 private:
  bool is_finite(int i, int count) const {
    const std::size_t contacts = static_cast<std::size_t>(count), rows = 3 * contacts;
    return all_finite(part(all_.H, all_.batch, i)) && all_finite(part(all_.g, all_.batch, i)) &&
           all_finite(part(all_.J, all_.batch, i).first(rows * static_cast<std::size_t>(all_.nv))) &&
           all_finite(part(all_.phi, all_.batch, i).first(contacts)) &&
           all_finite(part(all_.mu, all_.batch, i).first(contacts));
  }

  ContactProblem<double> pose(int i, int count) {
    const std::span<const double> J = part(all_.J, all_.batch, i);
    problem_.set_motion(all_.nv, S_.data(), part(all_.g, all_.batch, i).data(), all_.step_size);
    for (int c = 0; c < count; ++c) {
      const std::size_t k = static_cast<std::size_t>(c);
      const double gap = part(all_.phi, all_.batch, i)[k], mu = part(all_.mu, all_.batch, i)[k];
      problem_.add_contact(J.data() + 3 * k * static_cast<std::size_t>(all_.nv), gap / all_.step_size, nullptr, mu);
    }
    return problem_.view();
  }

  const ContactProblems& all_;
  const SolveOptions& options_;
  std::vector<double> S_;
  OneBlockProblem problem_;
  ProblemSolver solver_;
};

}  // namespace

ContactAnswers solve_contact(const ContactProblems& problems, const SolveOptions& options) {
  check_options(options);
  check_problems(problems);
  ContactAnswers answers = make_contact_answers(problems.batch, problems.nv, 3 * problems.contacts, problems.nv);
  solve_each<Worker>(problems, options, answers);
  return answers;
}

}  // namespace stiction
