// Checks of problems before any of them is solved. All functions throw an InputError that names the argument, what was
// expected and what was given.
#pragma once

#include <initializer_list>
#include <string>

#include "host/api/solve_problems.hpp"

namespace stiction {

/// An axis of an array, for messages.
struct Axis {
  const char* name;
  int size;
};

/// Most velocities of a problem, or unknowns of an LCP: kernels count the entries of a matrix with int.
constexpr int kMostUnknowns = 16384;

/// x with the digits that a message shows.
std::string in_digits(double x);

void expect_at_least(const std::string& name, int given, int least);
void expect_unknowns(const std::string& name, int size);
void expect_contacts(int contacts, int least);
/// Checks that no coefficient is below 0. NaN passes, as it spoils only its own problem.
void expect_friction(std::span<const double> mu, int contacts, int frictions = 1);
void expect_size(const std::string& name, std::initializer_list<Axis> shape, std::size_t given);

/// Throws `text` about problem i.
[[noreturn]] void refuse(const std::string& name, int problem, const std::string& text);

/// Three checks: all options; the options of problems without contacts, which have no law and no cone; those of LCPs.
void check_options(const SolveOptions& options);
void check_row_options(const SolveOptions& options);
void check_lcp_options(const SolveOptions& options);

/// Checks sizes, h, count and friction, then blocks, sides, rows and starts.
void check_problems(const ContactProblems& problems);
void check_problems(const DelassusProblems& problems);
void check_problems(const QpProblems& problems);

/// Mixed LCPs have equations, plain ones have none.
enum class LcpKind { kPlain, kMixed };
void check_problems(const LcpProblems& problems, LcpKind kind);

}  // namespace stiction
