#include "host/cli/solve_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/api/simulator.hpp"

namespace stiction {
namespace {

constexpr std::size_t kListed = 20;        // problems listed; with the figures below they fill a screen
constexpr std::size_t kNamedUnsolved = 8;  // problems named in the line of an error
constexpr double kNotedAsymmetry = 1e-3;   // larger asymmetries are more than rounding of printed digits [-]

enum class Outcome { kSolved, kInfeasible, kUnbounded, kUnsolved };

Outcome outcome_of(std::uint32_t bits) {
  if (bits & status::kInfeasible) return Outcome::kInfeasible;
  if (bits & status::kUnbounded) return Outcome::kUnbounded;
  return bits & status::kConverged ? Outcome::kSolved : Outcome::kUnsolved;
}

/// True if part `i` of a certificate (batch, n) exists.
bool has_certificate(const std::vector<double>& all, std::size_t batch, std::size_t i) {
  const std::size_t length = all.size() / batch;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * length);
  return length > 0 &&
         std::all_of(first, first + static_cast<std::ptrdiff_t>(length), [](double y) { return std::isfinite(y); });
}

int id_of(const std::vector<int>& ids, std::size_t i) { return ids.empty() ? static_cast<int>(i) : ids[i]; }

/// The problems that have an answer on either side.
std::vector<bool> answered(const std::vector<double>& a, const std::vector<double>& b, std::size_t batch) {
  std::vector<bool> any(batch);
  const std::size_t nv = b.size() / batch;
  for (std::size_t i = 0; i < batch; ++i) any[i] = std::isfinite(a[i * nv]) || std::isfinite(b[i * nv]);
  return any;
}

/// max |a − b| / max |b| over the wanted problems; infinite if one of them is not finite.
double relative_change(const std::vector<double>& a, const std::vector<double>& b, const std::vector<bool>& wanted) {
  double change = 0.0, largest = 0.0;
  const std::size_t n = b.size() / wanted.size();
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!wanted[k / n]) continue;
    if (!std::isfinite(a[k]) || !std::isfinite(b[k])) return INFINITY;
    change = std::max(change, std::abs(a[k] - b[k])), largest = std::max(largest, std::abs(b[k]));
  }
  return change > 0 ? change / largest : 0.0;
}

}  // namespace

SolveFigures solve_figures(const ContactAnswers& answers) {
  SolveFigures figures;
  for (std::size_t i = 0; i < answers.status.size(); ++i) {
    const Outcome outcome = outcome_of(answers.status[i]);
    figures.solved += outcome == Outcome::kSolved;
    figures.infeasible += outcome == Outcome::kInfeasible;
    figures.unbounded += outcome == Outcome::kUnbounded;
    figures.unsolved += outcome == Outcome::kUnsolved;
    if (outcome == Outcome::kSolved) figures.worst_residual = std::max(figures.worst_residual, answers.residual[i]);
  }
  figures.iterations = std::accumulate(answers.iterations.begin(), answers.iterations.end(), 0.0) /
                       static_cast<double>(answers.iterations.size());
  return figures;
}

std::string describe_asymmetry(const ContactAnswers& answers, const std::vector<int>& ids) {
  const auto most = std::max_element(answers.asymmetry.begin(), answers.asymmetry.end());
  if (most == answers.asymmetry.end() || !(*most > kNotedAsymmetry)) return {};
  return fmt::format(
      "warning: the matrix of problem {} is asymmetric by {:.3g} of its largest entry; its symmetric part "
      "was solved, and the residual is that of it",
      id_of(ids, static_cast<std::size_t>(most - answers.asymmetry.begin())), *most);
}

std::string describe_problems(const ContactAnswers& answers, const std::vector<int>& ids) {
  const std::size_t batch = answers.status.size();
  std::string text = fmt::format("{:>7}  {:<24}{:>10}{:>12}{:>11}  {}\n", "problem", "status", "residual", "iterations",
                                 "violation", "certificate");
  for (std::size_t i = 0; i < std::min(batch, kListed); ++i) {
    const double violation = answers.violation.empty() ? 0.0 : answers.violation[i];
    const bool proved = has_certificate(answers.farkas, batch, i) || has_certificate(answers.direction, batch, i);
    text += fmt::format("{:>7}  {:<24}{:>10.1e}{:>12}{:>11.3g}  {}\n", id_of(ids, i), status_names(answers.status[i]),
                        answers.residual[i], answers.iterations[i], violation, proved ? "yes" : "no");
  }
  if (batch > kListed) text += fmt::format("{:>7}  {} more\n", "...", batch - kListed);
  return text;
}

std::string describe(const SolveFigures& figures, double seconds) {
  std::string text = fmt::format("{:<28}{}\n", "solved", figures.solved);
  text += fmt::format("{:<28}{}\n", "proved infeasible", figures.infeasible);
  text += fmt::format("{:<28}{}\n", "proved unbounded", figures.unbounded);
  text += fmt::format("{:<28}{}\n", "unsolved", figures.unsolved);
  if (figures.solved > 0) text += fmt::format("{:<28}{:.1e}\n", "worst residual, solved", figures.worst_residual);
  text += fmt::format("{:<28}{:.1f}\n", "iterations, mean", figures.iterations);
  return text + fmt::format("{:<28}{:.3g} s\n", "time", seconds);
}

std::string describe_unsolved(const ContactAnswers& answers, const std::vector<int>& ids) {
  std::string first;
  std::size_t count = 0;
  for (std::size_t i = 0; i < answers.status.size(); ++i)
    if (outcome_of(answers.status[i]) == Outcome::kUnsolved && count++ < kNamedUnsolved)
      first += fmt::format("{}{} ({})", first.empty() ? "" : ", ", id_of(ids, i), status_names(answers.status[i]));
  return fmt::format("{} of {} problems unsolved: {}{}", count, answers.status.size(), first,
                     count > kNamedUnsolved ? ", ..." : "");
}

std::string describe_change(const ContactAnswers& answers, const MotionBatch& recorded) {
  if (recorded.v.empty()) return "";
  const std::vector<bool> wanted = answered(answers.v, recorded.v, answers.status.size());
  const double impulses = std::max(relative_change(answers.lambda, recorded.lambda, wanted),
                                   relative_change(answers.row_lambda, recorded.row_lambda, wanted));
  return fmt::format("{:<28}{:.1e} of the largest velocity, {:.1e} of the largest impulse\n",
                     "from the recorded answers", relative_change(answers.v, recorded.v, wanted), impulses);
}

}  // namespace stiction
