#include "host/reference/contact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host/reference/contact_newton.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Residual at which a loop ends, and the one that counts as solved: what residual.hpp reaches in double.
constexpr double kTarget = 1e-13, kAccepted = 1e-11;
// Rounds of tangents: each halves the angle between the two that hold a sliding contact.
constexpr int kMostCuts = 24;
// A motion leaves a cone if it does by more than this share of its speed.
constexpr double kOutside = 1e-13;
// Rounds of the fixed point, and the differences that it remembers.
constexpr int kMostShifts = 80, kMemory = 8;
// A residual so many times the last one: the differences lead astray and are forgotten.
constexpr double kWorse = 10.0;

Facets first_facets(const DenseProblem& problem) {
  Facets facets;
  for (int i = 0; i < problem.num_contacts(); ++i) facets.push_back(cone_of(problem, i).generators);
  return facets;
}

/// Adds the tangent that a motion violates most to every curved cone that it leaves; false if it leaves none.
bool add_tangents(const DenseProblem& problem, const VectorXd& speed, double gaps, Facets& facets) {
  bool added = false;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const FrictionCone cone = cone_of(problem, i);
    if (!cone.curved) continue;
    const Vector3d u = speed.segment<3>(3 * i);
    if (u[0] + gaps * problem.gap_rate[i] - support(cone, u) >= -kOutside * u.norm()) continue;
    add_generator(opposing_generator(cone, u), facets[i]);
    added = true;
  }
  return added;
}

/// The least total slack, then the least objective: the price of slack rises until the sum stays.
void answer_with_slack(const DenseProblem& problem, const Facets& facets, ContactAnswer& answer) {
  ContactProgram elastic(problem, facets, true);
  double price = 10.0 * std::max(elastic.qp.g.cwiseAbs().maxCoeff(), problem.step_size * 1e-3);
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 8; ++round, price *= 10.0) {
    elastic.set_price(price);
    const QpSolution s = solve_qp(elastic.qp);
    if (s.status != QpStatus::kSolved) continue;
    const double sum = elastic.sum_of_slacks(s);
    answer.solution = elastic.answer(s);
    answer.violation = sum * problem.step_size;
    if (before - sum <= 1e-9 * sum) return;
    before = sum;
  }
}

/// The certificate and the elastic answer, with the tangents that its motion asks for: the slack of a cone that a
/// motion leaves is already paid for by the facets that it has.
void answer_elastically(const DenseProblem& problem, Facets& facets, ContactAnswer& answer) {
  answer.farkas = answer.solution;
  answer.farkas.v.resize(0);
  for (int cut = 0; cut < kMostCuts; ++cut) {
    const double before = answer.violation;
    answer_with_slack(problem, facets, answer);
    if (cut > 0 && answer.violation - before <= 1e-9 * answer.violation) break;
    if (!add_tangents(problem, problem.J * answer.solution.v + problem.offset, 1.0, facets)) break;
  }
}

void keep_better(const DenseProblem& problem, const DenseSolution& candidate, ContactAnswer& best) {
  const double error = residual(problem, candidate);
  if (best.solution.v.size() > 0 && !(error < best.residual)) return;
  best.solution = candidate;
  best.residual = error;
}

void judge(ContactAnswer& answer) {
  answer.status = answer.residual <= kAccepted ? QpStatus::kSolved : QpStatus::kIterationLimit;
}

/// Without shift, whatever the law; `facets` gets the tangents that it took.
ContactAnswer solve_convex(const DenseProblem& problem, Facets& facets) {
  ContactAnswer best;
  for (int cut = 0; cut < kMostCuts; ++cut) {
    const ContactProgram program(problem, facets, false);
    const QpSolution s = solve_qp(program.qp);
    ContactAnswer answer;
    answer.status = s.status;
    answer.rounds = best.rounds += s.rounds;
    answer.solution = program.answer(s);
    if (s.status == QpStatus::kInfeasible) {
      answer_elastically(problem, facets, answer);
      answer.residual = residual(problem, answer.solution);
      return answer;
    }
    if (s.status == QpStatus::kUnbounded) {
      answer.direction = program.velocity(s.direction);
      answer.residual = residual(problem, answer.solution);
      if (add_tangents(problem, problem.J * answer.direction, 0.0, facets)) continue;
      return answer;
    }
    keep_better(problem, answer.solution, best);
    if (best.residual <= kTarget) break;
    if (cut > 0) keep_better(problem, refine_contacts(problem, answer.solution), best);
    if (best.residual <= kTarget) break;
    if (!add_tangents(problem, problem.J * answer.solution.v + problem.offset, 1.0, facets)) break;
  }
  judge(best);
  return best;
}

/// Anderson's extrapolation of s ← G(s) from the last rounds.
class Extrapolation {
 public:
  VectorXd next(const VectorXd& s, const VectorXd& G, bool forget) {
    if (forget) shifts_.clear(), images_.clear();
    shifts_.push_back(s), images_.push_back(G);
    if (shifts_.size() > kMemory + 1) shifts_.erase(shifts_.begin()), images_.erase(images_.begin());
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
  std::vector<VectorXd> shifts_, images_;
};

/// σ(u_i) of every contact.
VectorXd shifts_of(const DenseProblem& problem, const VectorXd& v) {
  const VectorXd speed = problem.J * v + problem.offset;
  VectorXd s(problem.num_contacts());
  for (int i = 0; i < s.size(); ++i) s[i] = support(cone_of(problem, i), speed.segment<3>(3 * i));
  return s;
}

/// What no shift can help: the problem without friction.
ContactAnswer solve_without_friction(DenseProblem problem) {
  problem.law = ContactLaw::kFrictionless;
  Facets facets = first_facets(problem);
  return solve_convex(problem, facets);
}

ContactAnswer solve_coulomb(const DenseProblem& problem) {
  DenseProblem convex = problem;
  convex.law = ContactLaw::kAnitescu;
  Facets facets = first_facets(convex);
  ContactAnswer best;
  Extrapolation extrapolation;
  VectorXd s = VectorXd::Zero(problem.num_contacts());
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostShifts; ++round) {
    convex.gap_rate = problem.gap_rate + s;
    const ContactAnswer answer = solve_convex(convex, facets);
    best.rounds += answer.rounds;
    if (answer.status == QpStatus::kUnbounded) return answer;
    if (answer.status == QpStatus::kInfeasible && round == 0)
      if (ContactAnswer bare = solve_without_friction(problem); bare.status == QpStatus::kInfeasible) return bare;
    const double error = residual(problem, answer.solution);
    keep_better(problem, answer.solution, best);
    keep_better(problem, refine_contacts(problem, answer.solution), best);
    if (best.residual <= kTarget) break;
    s = extrapolation.next(s, shifts_of(problem, answer.solution.v), error > kWorse * last);
    last = error;
    if (round >= 8 && best.residual <= kAccepted) break;
  }
  judge(best);
  return best;
}

}  // namespace

ContactAnswer solve_contacts(const DenseProblem& problem) {
  if (problem.law == ContactLaw::kCoulomb) return solve_coulomb(problem);
  Facets facets = first_facets(problem);
  return solve_convex(problem, facets);
}

}  // namespace stiction::reference
