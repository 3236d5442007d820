// What `stiction solve` prints about its answers.
#pragma once

#include <string>
#include <vector>

#include "host/api/solve_problems.hpp"
#include "host/record/problem_batch.hpp"

namespace stiction {

/// How many problems ended in which way. A proof that there is no solution is an answer too.
struct SolveFigures {
  int solved = 0, infeasible = 0, unbounded = 0, unsolved = 0;
  double worst_residual = 0.0;  // over the solved problems [-]
  double iterations = 0.0;      // mean over all
};

SolveFigures solve_figures(const ContactAnswers& answers);

/// A line for each of the first problems: status, residual, iterations, violation, whether there is a certificate.
/// `ids`: their numbers in the file; empty: 0, 1, ...
std::string describe_problems(const ContactAnswers& answers, const std::vector<int>& ids = {});
/// The figures, a line each. `seconds`: the time of the solve.
std::string describe(const SolveFigures& figures, double seconds);
/// One line: how many of how many are unsolved, and the first of them with their status.
std::string describe_unsolved(const ContactAnswers& answers, const std::vector<int>& ids = {});
/// One line: how far from symmetric a matrix was. Empty if that is no more than the rounding of printed digits.
std::string describe_asymmetry(const ContactAnswers& answers, const std::vector<int>& ids = {});
/// One line: how far these answers are from those in the file. Empty if the file has none.
std::string describe_change(const ContactAnswers& answers, const MotionBatch& recorded);

}  // namespace stiction
