#include "host/reference/start.hpp"

namespace stiction::reference {

ContactAnswer solve_contacts_near(const DenseProblem& problem, const Eigen::VectorXd& start) {
  if (start.size() == 0) return solve_contacts(problem);
  DenseProblem seen = problem;
  seen.g -= problem.H * start;
  seen.offset += problem.J * start;
  seen.row_offset += problem.row_J * start;
  ContactAnswer answer = solve_contacts(seen);
  answer.solution.v += start;
  answer.residual = residual(problem, answer.solution);
  return answer;
}

}  // namespace stiction::reference
