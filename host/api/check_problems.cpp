#include "host/api/check_problems.hpp"

#include <cmath>
#include <cstdio>

#include "host/model/choices.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction {

std::string in_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

void expect_unknowns(const std::string& name, int size) {
  expect_at_least(name, size, 1);
  if (size > kMostUnknowns)
    throw InputError(name + ": expected at most " + std::to_string(kMostUnknowns) + ", given " + std::to_string(size));
}

void expect_contacts(int contacts, int least) {
  expect_at_least("contacts", contacts, least);
  if (contacts > kMostUnknowns / 3)
    throw InputError("contacts: expected at most " + std::to_string(kMostUnknowns / 3) + ", given " +
                     std::to_string(contacts));
}

void expect_friction(std::span<const double> mu, int contacts, int frictions) {
  for (std::size_t k = 0; k < mu.size(); ++k) {
    const int contact = static_cast<int>(k) / frictions;
    if (mu[k] < 0)
      refuse("mu", contact / contacts,
             "contact " + std::to_string(contact % contacts) + ": expected 0 or more, given " + in_digits(mu[k]));
  }
}

void expect_at_least(const std::string& name, int given, int least) {
  if (given < least)
    throw InputError(name + ": expected " + std::to_string(least) + " or more, given " + std::to_string(given));
}

void expect_size(const std::string& name, std::initializer_list<Axis> shape, std::size_t given) {
  std::size_t expected = 1;
  std::string names, sizes;
  for (const Axis& axis : shape) {
    names += (names.empty() ? "" : ", ") + std::string(axis.name);
    sizes += (sizes.empty() ? "" : " x ") + std::to_string(axis.size);
    expected *= static_cast<std::size_t>(axis.size);
  }
  if (given != expected)
    throw InputError(name + ": expected (" + names + "), " + sizes + " numbers, given " + std::to_string(given));
}

void refuse(const std::string& name, int problem, const std::string& text) {
  throw InputError(name + ": problem " + std::to_string(problem) + ", " + text);
}

void check_factor(const SolveOptions& o) {
  if (!o.solver || can_factor(*o.solver, o.factor)) return;
  throw InputError("factor: " + choice_name(solver_choice(), *o.solver) + " factors no matrix; float32 is for " +
                   factoring_solvers());
}

void check_options(const SolveOptions& o) {
  check_row_options(o);
  check_factor(o);
  expect_at_least("facets", o.facets, 3);
  if (o.facets > kMostFacets)
    throw InputError("facets: expected at most " + std::to_string(kMostFacets) + ", given " + std::to_string(o.facets));
  if (o.solver && !can_solve(*o.solver, o.cone))
    throw InputError("solver: expected one that solves " + choice_name(cone_choice(), o.cone) + " cones, given " +
                     choice_name(solver_choice(), *o.solver));
}

void check_row_options(const SolveOptions& o) {
  expect_at_least("max_iterations", o.max_iterations, 1);
  expect_at_least("max_total_iterations", o.max_total_iterations, 0);
  expect_at_least("threads", o.threads, 0);
  if (!is_solve_width(o.solve_threads))
    throw InputError("solve_threads: expected 8, 32, 64 or 0 (by the problem's size), given " +
                     std::to_string(o.solve_threads));
  if (!(o.tolerance > 0) || !std::isfinite(o.tolerance))
    throw InputError("tolerance: expected a positive number, given " + in_digits(o.tolerance));
}

void check_lcp_options(const SolveOptions& o) {
  check_row_options(o);
  if (o.solver && *o.solver != SolverName::kLemke)
    throw InputError("solver: expected lemke, which alone solves LCPs, given " +
                     choice_name(solver_choice(), *o.solver));
}

void check_problems(const DelassusProblems& p) {
  expect_at_least("batch", p.batch, 1);
  expect_contacts(p.contacts, 1);
  const Axis rows{"3 contacts", 3 * p.contacts};
  expect_size("W", {{"batch", p.batch}, rows, rows}, p.W.size());
  expect_size("q", {{"batch", p.batch}, rows}, p.q.size());
  expect_size("mu", {{"batch", p.batch}, {"contacts", p.contacts}}, p.mu.size());
  expect_friction(p.mu, p.contacts);
}

void check_problems(const QpProblems& p) {
  expect_at_least("batch", p.batch, 1);
  expect_unknowns("nv", p.nv);
  expect_at_least("rows", p.rows, 0);
  expect_size("H", {{"batch", p.batch}, {"nv", p.nv}, {"nv", p.nv}}, p.H.size());
  expect_size("g", {{"batch", p.batch}, {"nv", p.nv}}, p.g.size());
  expect_size("A", {{"batch", p.batch}, {"rows", p.rows}, {"nv", p.nv}}, p.A.size());
  expect_size("b", {{"batch", p.batch}, {"rows", p.rows}}, p.b.size());
}

void check_problems(const LcpProblems& p, LcpKind kind) {
  expect_at_least("batch", p.batch, 1);
  expect_unknowns("size", p.size);
  expect_size("M", {{"batch", p.batch}, {"size", p.size}, {"size", p.size}}, p.M.size());
  expect_size("q", {{"batch", p.batch}, {"size", p.size}}, p.q.size());
  if (kind == LcpKind::kPlain) {
    if (!p.equations.empty()) throw InputError("equations: expected none in an LCP; use solve_mlcp");
    return;
  }
  if (p.equations.size() != static_cast<std::size_t>(p.size))
    expect_size("equations", {{"batch", p.batch}, {"size", p.size}}, p.equations.size());
  for (std::size_t k = 0; k < p.equations.size(); ++k)
    if (p.equations[k] != 0 && p.equations[k] != 1)
      throw InputError("equations: expected 0 or 1, given " + std::to_string(p.equations[k]) + " in entry " +
                       std::to_string(k));
}

}  // namespace stiction
