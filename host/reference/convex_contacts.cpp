#include "host/reference/convex_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/contact_newton.hpp"

namespace stiction::reference {
namespace {

using Eigen::VectorXd;

// Most rounds of tangents. Each round halves the angle between the two tangents that hold a sliding contact.
constexpr int kMostCuts = 48;
// Rounds without a better residual after which an acceptable residual is enough, and after which any is.
constexpr int kPatience = 4, kMostIdle = 16;
// A motion counts as outside of a cone if it is so by more than this share of its speed.
constexpr double kOutside = 1e-13;
// Most prices of slack, each ten times the last. The sum of slacks counts as constant if it falls by less than kStays,
// relative.
constexpr int kMostPrices = 8;
constexpr double kStays = 1e-9;
// Overlaps up to this come from rounding only, for example if a script makes bodies touch exactly, and do not make a
// problem infeasible [m].
constexpr double kTouching = 1e-11;

/// Adds to every curved cone that the velocities u + gap e_n leave the tangent that they violate most. Returns false if
/// there is no such cone.
bool add_tangents(const DenseProblem& problem, const VectorXd& speed, const VectorXd& gaps, Facets& facets) {
  bool added = false;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const FrictionCone cone = cone_of(problem, i);
    const VectorXd u = speed.segment(problem.dimension * i, problem.dimension);
    if (!cone.curved || u[0] + gaps[i] - support(cone, u) >= -kOutside * u.norm()) continue;
    add_generator(opposing_generator(cone, u), facets[i]);
    added = true;
  }
  return added;
}

/// Writes the answer with the least total slack for these facets, and among these with the least objective; returns the
/// slacks [m/s].
VectorXd answer_with_slack(const DenseProblem& problem, const Facets& facets, ContactAnswer& answer) {
  ContactProgram elastic(problem, facets, Slack::kOnContacts);
  double price = 10.0 * std::max(elastic.qp.g.cwiseAbs().maxCoeff(), problem.step_size * 1e-3);
  VectorXd slack = VectorXd::Zero(problem.num_contacts());
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostPrices; ++round, price *= 10.0) {
    elastic.set_price(price);
    const QpSolution s = solve_qp(elastic.qp);
    if (s.status != QpStatus::kSolved) continue;
    slack = elastic.slack(s);
    answer.solution = elastic.answer(s);
    answer.violation = slack.sum() * problem.step_size;
    if (before - slack.sum() <= kStays * slack.sum()) break;
    before = slack.sum();
  }
  return slack;
}

}  // namespace

Facets first_facets(const DenseProblem& problem) {
  Facets facets;
  for (int i = 0; i < problem.num_contacts(); ++i) facets.push_back(cone_of(problem, i).generators);
  return facets;
}

bool keep_better(const DenseProblem& problem, const DenseSolution& candidate, ContactAnswer& best) {
  const double error = residual(problem, candidate);
  if (best.solution.v.size() > 0 && !(error < best.residual)) return false;
  best.solution = candidate;
  best.residual = error;
  return true;
}

bool will_do(const ContactAnswer& best, double wanted, int idle) {
  return best.residual <= wanted || (idle > 0 && best.residual <= kGood) ||
         (idle >= kPatience && best.residual <= kAccepted);
}

void judge(ContactAnswer& answer) {
  answer.status = answer.residual <= kAccepted ? QpStatus::kSolved : QpStatus::kIterationLimit;
}

void answer_elastically(const DenseProblem& problem, Facets& facets, ContactAnswer& answer) {
  // tangents can only raise the total slack: they are added until it no longer changes
  for (int cut = 0; cut < kMostCuts; ++cut) {
    const double before = answer.violation;
    const VectorXd gaps = problem.gap_rate + answer_with_slack(problem, facets, answer);
    if (cut > 0 && answer.violation - before <= kStays * answer.violation) return;
    if (!add_tangents(problem, problem.J * answer.solution.v + problem.offset, gaps, facets)) return;
  }
}

ContactAnswer solve_convex(const DenseProblem& problem, double wanted, Facets& facets) {
  ContactAnswer best;
  for (int cut = 0, idle = 0; cut < kMostCuts && idle < kMostIdle; ++cut) {
    const ContactProgram program(problem, facets, Slack::kNone);
    const QpSolution s = solve_qp(program.qp);
    ContactAnswer answer{s.status, program.answer(s), 0.0, 0.0, {}, {}, best.rounds += s.rounds};
    if (s.status == QpStatus::kUnbounded) {
      answer.direction = program.velocity(s.direction);
      const VectorXd none = VectorXd::Zero(problem.num_contacts());
      if (cut + 1 < kMostCuts && add_tangents(problem, problem.J * answer.direction, none, facets)) continue;
    }
    if (s.status == QpStatus::kInfeasible) {
      answer.farkas = answer.solution;
      answer.farkas.v.resize(0);
      answer_elastically(problem, facets, answer);
      const bool touches = answer.violation <= kTouching && residual(problem, answer.solution) <= kAccepted;
      if (touches) answer.status = QpStatus::kSolved;
    }
    if (answer.status == QpStatus::kUnbounded || answer.status == QpStatus::kInfeasible) {
      answer.residual = residual(problem, answer.solution);
      return answer;
    }
    bool better = keep_better(problem, answer.solution, best);
    if (best.residual > wanted) better |= keep_better(problem, refine_contacts(problem, answer.solution), best);
    idle = better ? 0 : idle + 1;
    if (will_do(best, wanted, idle)) break;
    if (!add_tangents(problem, problem.J * answer.solution.v + problem.offset, problem.gap_rate, facets)) break;
  }
  judge(best);
  return best;
}

}  // namespace stiction::reference
