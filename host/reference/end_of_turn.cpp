#include "host/reference/end_of_turn.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/free_spin.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kStill = 1e-3, kKept = 0.1, kBlind = 1.0, kGain = 1.02, kExplicitGain = 1.25;

/// The momentum of a tree [kg m/s] and its mass [kg].
struct Flight {
  Vector3d momentum = Vector3d::Zero();
  double mass = 0.0;
  double energy() const { return mass > 0.0 ? 0.5 * momentum.squaredNorm() / mass : 0.0; }
};

Flight flight_of(const Model& m, const Kinematics& k, const Linkage& tree, const VectorXd& w) {
  VectorXd own = VectorXd::Zero(m.nv);
  own.segment(tree.first, tree.n) = w.segment(tree.first, tree.n);
  Flight flight;
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_tree[b] != tree.tree) continue;
    flight.mass += m.body_mass[b];
    flight.momentum += m.body_mass[b] * (body_jacobian(m, k, b, k.com[b]) * own).head<3>();
  }
  return flight;
}

bool flies(const Model& m, const Linkage& tree) {
  const bool free = static_cast<JointType>(m.joint_type[m.dof_joint[tree.first]]) == JointType::kFree;
  return free && !moves_frozen(m, tree.first) && !(m.dof_armature[tree.first] > 0.0);
}

double energy_of(const MatrixXd& M, const Linkage& tree, const VectorXd& w) {
  const VectorXd own = w.segment(tree.first, tree.n);
  return 0.5 * own.dot(M.block(tree.first, tree.first, tree.n, tree.n) * own);
}

/// T_0, and whether rows gave more energy than the tree had.
struct Allowed {
  double energy;
  bool given;
};

Allowed allowed_energy(const TurnedStep& step, const FreeMotions& motions, const Linkage& tree) {
  const auto T = [&](const VectorXd& w) { return energy_of(motions.M, tree, w); };
  const double answer = T(step.v);
  if (!tree.moved) return {kExplicitGain * std::max(T(step.before), answer), answer > kGain * T(step.before)};
  const double had = std::max(T(step.before), T(motions.start)), alone = T(motions.mean);
  return {kGain * (had + std::max(answer - alone, 0.0)), answer > kGain * std::max(had, alone)};
}

void end_turn(const Model& m, const TurnedStep& step, const Linkage& tree, FreeMotions& motions, VectorXd& end) {
  const double turn = turn_of(step.from, tree.first, tree.n, end, step.h);
  if (!tree.moved && turn <= kStill) return;
  const Flight now = flies(m, tree) ? flight_of(m, step.to, tree, end) : Flight{};
  Flight kept = now;
  if (now.mass > 0.0) {
    const Vector3d impulse = motions.impulse.segment<3>(tree.first);
    kept.momentum = flight_of(m, step.from, tree, step.v).momentum - impulse;
  }
  double share = 1.0;
  if (turn > (tree.passive ? kKept : kBlind)) {
    const Allowed most = allowed_energy(step, motions, tree);
    const bool fast = kept.energy() > most.energy;
    if (fast) kept.momentum *= std::sqrt(most.energy / kept.energy());
    const double left = std::max(most.energy - kept.energy(), 0.0);
    const double turning = energy_of(mass_matrix(m, step.to), tree, end) - now.energy();
    if (tree.passive && turning > left) share = std::sqrt(left / turning);
    const bool blind = tree.passive && most.given && turn > kBlind;
    motions.beyond = motions.beyond || fast || share < 1.0 || blind;
  }
  end.segment(tree.first, tree.n) *= share;
  if (now.mass > 0.0) end.segment<3>(tree.first) += (kept.momentum - share * now.momentum) / now.mass;
}

}  // namespace

VectorXd end_velocity(const Model& model, const TurnedStep& step, FreeMotions& motions) {
  const VectorXd carried = carried_velocity(model, step.from, step.to, step.v);
  VectorXd end = velocity_at_the_end(model, motions, step.to, carried);
  for (const Linkage& tree : motions.linkages) end_turn(model, step, tree, motions, end);
  return end;
}

}  // namespace stiction::reference
