#include "host/reference/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction::reference {
namespace {

using Eigen::VectorXd;

bool is_coupling(const DenseProblem& p, int r) {
  return std::isinf(p.row_lower[r]) && std::isinf(p.row_upper[r]) && p.row_compliance[r] == 0.0;
}
bool is_limit(const DenseProblem& p, int r) { return p.row_lower[r] == 0.0 && std::isinf(p.row_upper[r]); }

/// How far row r is beyond its limit at the end of the step, with the rate `moved` [m], [rad].
double beyond(const DenseProblem& p, int r, double moved) {
  const double end = p.step_size * (p.row_offset[r] + moved);
  return is_coupling(p, r) ? std::abs(end) : (is_limit(p, r) ? -end : 0.0);
}

/// The deepest overlap of every pair at the start of the step [m].
std::map<int, double> deepest_overlaps(const Model& model, const std::vector<ContactInput>& contacts) {
  std::map<int, double> deepest;
  for (const ContactInput& contact : contacts)
    if (contact.way_A.isZero(0.0) && contact.way_B.isZero(0.0))
      deepest[contact.pair] = std::max(deepest[contact.pair], -contact_frame(model, contact).gap);
  return deepest;
}

/// Σ of the overlaps and violated limits that the motion u leaves [m/s].
double overlap_rate(const DenseProblem& p, const VectorXd& u) {
  double sum = 0.0;
  const VectorXd speed = p.J * u + p.offset, moved = p.row_J * u;
  for (int i = 0; i < p.num_contacts(); ++i) sum += std::max(-(p.gap_rate[i] + speed[p.dimension * i]), 0.0);
  for (int r = 0; r < p.num_rows(); ++r) sum += std::max(beyond(p, r, moved[r]), 0.0) * p.row_radius[r] / p.step_size;
  return sum;
}

/// How many times too long the motion w = u - v is.
double excess(const DenseProblem& p, const VectorXd& v, const VectorXd& u) {
  const VectorXd most = (0.1 * p.dof_radius / p.step_size).array() + 10.0 * overlap_rate(p, v);
  return p.nv() == 0 ? 0.0 : ((u - v).cwiseAbs().cwiseProduct(p.dof_radius).cwiseQuotient(most)).maxCoeff();
}

}  // namespace

DeadBand dead_band(double step_size, double tolerance) {
  const double band = std::max(std::min(1e-6, 1e-4 * step_size), 2e-3 * tolerance);
  return {band, 0.5 * band};
}

DenseProblem hold_overlaps(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                           const DeadBand& dead) {
  DenseProblem held = whole;
  std::map<int, double> deepest = deepest_overlaps(model, contacts);
  for (int i = 0; i < held.num_contacts(); ++i) {
    const double overlap = deepest[contacts[i].pair];
    const bool parts = overlap > dead.band;
    held.gap_rate[i] += (parts ? overlap : std::min(overlap, dead.slop)) / held.step_size;
    if (parts) held.gap_rate[i] = std::max(held.gap_rate[i], 0.0);
  }
  for (int r = 0; r < held.num_rows(); ++r) {
    const double given = whole.row_given[r], off = beyond(whole, r, -given);
    if (off <= 0.0) continue;
    const double mended = off > dead.band ? 0.0 : std::max(off - dead.slop, 0.0) / held.step_size;
    held.row_offset[r] = given + std::copysign(mended, held.row_offset[r] - given);
  }
  return held;
}

bool leaves_overlap(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                    const VectorXd& v, double band) {
  std::map<int, double> deepest = deepest_overlaps(model, contacts);
  for (int i = 0; i < whole.num_contacts(); ++i) {
    const Eigen::Index normal = whole.dimension * i;
    const double rate = whole.gap_rate[i] + whole.offset[normal] + whole.J.row(normal).dot(v);
    if (deepest[contacts[i].pair] > band && whole.step_size * rate < -band) return true;
  }
  for (int r = 0; r < whole.num_rows(); ++r)
    if (beyond(whole, r, -whole.row_given[r]) > band && beyond(whole, r, whole.row_J.row(r).dot(v)) > band) return true;
  return false;
}

ContactAnswer part_overlaps(const DenseProblem& whole, const Eigen::MatrixXd& mass, const VectorXd& v) {
  DenseProblem p = whole;
  p.law = kNoFriction;
  p.H = p.M = mass;
  p.g = mass * v;
  for (int r = 0; r < p.num_rows(); ++r) {
    const bool holds = is_coupling(p, r) || is_limit(p, r);
    p.row_compliance[r] = 0.0;
    if (!holds) p.row_offset[r] = p.row_lower[r] = p.row_upper[r] = 0.0;
  }
  ContactAnswer parted = solve_contacts(p);
  if (!parted.solution.v.allFinite() || excess(p, v, parted.solution.v) <= 1.0) return parted;
  Facets facets = first_facets(p);
  answer_elastically(p, facets, parted);
  parted.status = QpStatus::kInfeasible;
  VectorXd& u = parted.solution.v;
  if (const double times = excess(p, v, u); times > 1.0) u = v + (u - v) / times;
  parted.violation = p.step_size * overlap_rate(p, u);
  return parted;
}

}  // namespace stiction::reference
