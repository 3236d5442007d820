#include "host/reference/contact_solver.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "host/reference/contact_newton.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Most rounds of the fixed point with extrapolation, and the number of differences that it remembers. If it does not
// converge, rounds without extrapolation follow, and then some that remember little.
constexpr int kMostRounds = 60;
constexpr std::size_t kMemory = 8, kShortMemory = 2;
constexpr int kMostPlainRounds = 150;
// If the residual is this many times the last one, the differences are misleading and are forgotten.
constexpr double kWorse = 10.0;

// Residual wanted in a round, as a share of the residual under Coulomb's law after the round before.
constexpr double kInner = 1e-3;

/// Anderson's extrapolation of s ← G(s) from the last `memory` rounds; with 0, s ← G(s) itself.
class Extrapolation {
 public:
  explicit Extrapolation(std::size_t memory) : memory_(memory) {}

  VectorXd next(const VectorXd& s, const VectorXd& G, bool forget) {
    if (forget) shifts_.clear(), images_.clear();
    shifts_.push_back(s), images_.push_back(G);
    if (shifts_.size() > memory_ + 1) shifts_.erase(shifts_.begin()), images_.erase(images_.begin());
    const int m = static_cast<int>(shifts_.size()) - 1;
    if (m == 0) return G;
    const VectorXd F = G - s;
    MatrixXd dF(s.size(), m), dG(s.size(), m);
    for (int j = 0; j < m; ++j) {
      dG.col(j) = G - images_[j];
      dF.col(j) = F - (images_[j] - shifts_[j]);
    }
    const VectorXd gamma = dF.completeOrthogonalDecomposition().solve(F);
    return (G - dG * gamma).cwiseMax(0.0);
  }

 private:
  std::size_t memory_;
  std::vector<VectorXd> shifts_, images_;
};

/// σ(u_i) of every contact.
VectorXd shifts_of(const DenseProblem& problem, const VectorXd& v) {
  const VectorXd speed = problem.J * v + problem.offset;
  VectorXd s(problem.num_contacts());
  const int d = problem.dimension;
  for (int i = 0; i < s.size(); ++i) s[i] = support(cone_of(problem, i), speed.segment(d * i, d));
  return s;
}

/// The problem without friction, which is infeasible if no shift can help.
ContactAnswer solve_without_friction(const DenseProblem& problem) {
  DenseProblem bare = problem;
  bare.law = kNoFriction;
  Facets facets = first_facets(bare);
  ContactAnswer answer = solve_convex(bare, kTarget, facets);
  answer.residual = residual(problem, answer.solution);
  return answer;
}

/// The fixed point from s = 0. Returns the better of its answer and `best`.
ContactAnswer iterate_shift(const DenseProblem& problem, std::size_t memory, int most_rounds, ContactAnswer best) {
  DenseProblem convex = problem;
  convex.law = kConvexFriction;
  Facets facets = first_facets(convex);
  Extrapolation extrapolation(memory);
  VectorXd s = VectorXd::Zero(problem.num_contacts());
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0, idle = 0; round < most_rounds; ++round) {
    convex.gap_rate = problem.gap_rate + s;
    const ContactAnswer answer = solve_convex(convex, std::max(kTarget, kInner * std::min(last, 1.0)), facets);
    best.rounds += answer.rounds;
    if (answer.status == QpStatus::kUnbounded) return answer;
    if (answer.status == QpStatus::kInfeasible && round == 0)
      if (ContactAnswer bare = solve_without_friction(problem); bare.status == QpStatus::kInfeasible) return bare;
    const double error = residual(problem, answer.solution);
    bool better = keep_better(problem, answer.solution, best);
    better |= keep_better(problem, refine_contacts(problem, answer.solution), best);
    idle = better ? 0 : idle + 1;
    if (will_do(best, kTarget, idle)) break;
    s = extrapolation.next(s, shifts_of(problem, answer.solution.v), error > kWorse * last);
    last = error;
  }
  judge(best);
  return best;
}

ContactAnswer solve_coulomb(const DenseProblem& problem) {
  ContactAnswer answer = iterate_shift(problem, kMemory, kMostRounds, {});
  for (const std::size_t memory : {std::size_t{0}, kShortMemory})
    if (answer.status == QpStatus::kIterationLimit) answer = iterate_shift(problem, memory, kMostPlainRounds, answer);
  return answer;
}

}  // namespace

ContactAnswer solve_contacts(const DenseProblem& problem) {
  if (shifts_gap(problem.law)) return solve_coulomb(problem);
  Facets facets = first_facets(problem);
  return solve_convex(problem, kTarget, facets);
}

}  // namespace stiction::reference
