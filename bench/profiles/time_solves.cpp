// time_solves: solves problems that come on standard input and answers on standard output with the time of the solve
// alone, on one thread, until the input ends. Both ways a message is its length in bytes (8, as a number) and doubles.
//
//   question   kind (0 contact, 1 Delassus, 2 LCP, 3 MLCP), law, cone, solver (their places in the lists of choices),
//              tolerance, max_iterations, seconds to go on repeating, most repeats, the problem
//     contact  a record of problem_file.hpp without magic number and answer
//     Delassus contacts, W, q, mu          LCP, MLCP  n, M, q, and of MLCPs n numbers: 1 an equation
//   answer     status bits, iterations, our residual, median seconds, repeats, v (u, z), λ, λ of rows;
//              -1 alone: refused, with a line on standard error
//
// Of a contact problem the solver's call is timed, its memory is there already, as in a simulator; of the others the
// whole call on arrays, with its checks and the eigenvectors of W.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/profiles/problem_record.hpp"
#include "host/api/solve_problems.hpp"
#include "host/backend/batch_buffers.hpp"
#include "kernels/launch/host_solvers.hpp"

namespace stiction::bench {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
using Clock = std::chrono::steady_clock;

struct Repeats {
  double seconds;
  int most;
};

struct Timing {
  double median;
  int repeats;
};

/// Runs `solve` again and again; a repeat starts from nothing.
template <class Solve>
Timing time_repeats(const Repeats& repeats, const Solve& solve) {
  std::vector<double> times;
  double spent = 0;
  while (times.empty() || (spent < repeats.seconds && static_cast<int>(times.size()) < repeats.most)) {
    const auto start = Clock::now();
    solve();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    spent += times.back();
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return {times[times.size() / 2], static_cast<int>(times.size())};
}

struct Question {
  int kind;
  SolveOptions options;
  Repeats repeats;
};

Question read_question(DoubleReader& in) {
  Question q{};
  q.kind = in.whole();
  q.options.law = static_cast<ContactLaw>(in.whole());
  q.options.cone = static_cast<ConeType>(in.whole());
  q.options.solver = static_cast<SolverName>(in.whole());
  q.options.tolerance = in.number();
  q.options.max_iterations = in.whole();
  q.options.threads = 1;
  q.repeats.seconds = in.number();
  q.repeats.most = in.whole();
  return q;
}

std::vector<double> compose(std::uint32_t status, int iterations, double residual, const Timing& timing,
                            std::initializer_list<std::vector<double>> parts) {
  std::vector<double> out{static_cast<double>(status), static_cast<double>(iterations), residual, timing.median,
                          static_cast<double>(timing.repeats)};
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

class Service {
 public:
  std::vector<double> answer(DoubleReader& in) {
    const Question question = read_question(in);
    if (question.kind == 0) return solve_contacts(question, in);
    return question.kind == 1 ? solve_delassus_form(question, in) : solve_complementarity(question, in);
  }

 private:
  std::vector<double> solve_contacts(const Question& q, DoubleReader& in) {
    const ProblemRecord record(in);
    const ContactProblem<double> p = record.view(q.options.law, q.options.cone);
    SolverConfig config;
    config.name = *q.options.solver;
    config.tolerance = q.options.tolerance;
    config.max_iterations = q.options.max_iterations;
    const std::size_t bytes = solver_scratch<double>(config, capacity_of(p));
    if (scratch_.size() < bytes) scratch_.resize(bytes);
    std::vector<double> v(static_cast<std::size_t>(p.nv)), lambda(static_cast<std::size_t>(3 * p.num_contacts)),
        row_lambda(static_cast<std::size_t>(p.num_rows));
    ContactSolution<double> x{v.data(), lambda.data(), row_lambda.data()};
    SolverReport<double> report{};
    const Timing timing = time_repeats(
        q.repeats, [&] { report = solve_problem<Team, double>(Team{}, p, config, {}, Arena(scratch_.data()), x); });
    return compose(report.status, report.iterations, report.residual, timing, {v, lambda, row_lambda});
  }

  static std::vector<double> solve_delassus_form(const Question& q, DoubleReader& in) {
    const int contacts = in.whole();
    const std::size_t n = 3 * static_cast<std::size_t>(contacts);
    DelassusProblems p{1, contacts, {in.take(n * n), n * n}, {}, {}};
    p.q = {in.take(n), n};
    p.mu = {in.take(n / 3), n / 3};
    ContactAnswers a;
    const Timing timing = time_repeats(q.repeats, [&] { a = solve_delassus(p, q.options); });
    return compose(a.status[0], a.iterations[0], a.residual[0], timing, {a.v, a.lambda});
  }

  static std::vector<double> solve_complementarity(const Question& q, DoubleReader& in) {
    LcpProblems p{1, in.whole(), {}, {}, {}};
    const std::size_t n = static_cast<std::size_t>(p.size);
    p.M = {in.take(n * n), n * n};
    p.q = {in.take(n), n};
    std::vector<int> equations;
    if (q.kind == 3) {
      const double* marks = in.take(n);
      equations.assign(marks, marks + n);
      p.equations = equations;
    }
    LcpAnswers a;
    const Timing timing =
        time_repeats(q.repeats, [&] { a = q.kind == 3 ? solve_mlcp(p, q.options) : solve_lcp(p, q.options); });
    return compose(a.status[0], a.iterations[0], a.residual[0], timing, {a.z});
  }

  AlignedVector<char> scratch_;
};

bool read_message(std::vector<double>& out) {
  std::uint64_t bytes = 0;
  if (std::fread(&bytes, sizeof bytes, 1, stdin) != 1) return false;
  out.resize(bytes / sizeof(double));
  return std::fread(out.data(), sizeof(double), out.size(), stdin) == out.size();
}

bool write_message(const std::vector<double>& values) {
  const std::uint64_t bytes = values.size() * sizeof(double);
  return std::fwrite(&bytes, sizeof bytes, 1, stdout) == 1 &&
         std::fwrite(values.data(), sizeof(double), values.size(), stdout) == values.size() && std::fflush(stdout) == 0;
}

std::vector<double> answer_or_refuse(Service& service, const std::vector<double>& question) {
  try {
    DoubleReader in(question);
    return service.answer(in);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "time_solves: %s\n", error.what());
    return {-1.0};
  }
}

}  // namespace
}  // namespace stiction::bench

int main() {
  stiction::bench::Service service;
  std::vector<double> question;
  while (stiction::bench::read_message(question))
    if (!stiction::bench::write_message(stiction::bench::answer_or_refuse(service, question))) return 1;
  return 0;
}
