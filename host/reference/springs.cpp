#include "host/reference/springs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/reference/contact_rows.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kQuarterings = 12;

struct Spring {
  VectorXd gradient;
  double k, d;
};

std::vector<Spring> springs_of(const Model& m, const VectorXd& q, Dynamics dynamics) {
  std::vector<Spring> springs;
  for (int j = 0; j < m.nv; ++j)
    springs.push_back({VectorXd::Unit(m.nv, j), m.joint_stiffness[m.dof_joint[j]], m.dof_damping[j]});
  for (int t = 0; t < m.ntendon; ++t) {
    const Length length = length_of(m, q, m.tendon_length[t]);
    const double lower = m.tendon_rest[2 * t], upper = m.tendon_rest[2 * t + 1];
    const bool slack = lower < upper && length.value >= lower && length.value <= upper;
    springs.push_back({length.gradient, slack ? 0.0 : m.tendon_stiffness[t], m.tendon_damping[t]});
  }
  const VectorXd still = VectorXd::Zero(m.nu);
  for (int a = 0; a < m.nu; ++a) {
    const ActuatorForce f = actuator_force(m, q, still, dynamics, a);
    springs.push_back({f.gradient, f.kp, f.kv});
  }
  return springs;
}

/// σ and w of one dof.
struct Weights {
  double shift = 1.0, next = 1.0;
};

Weights weights_of(double h, double m, double k, double d) {
  if (m <= 0.0 || (k <= 0.0 && d <= 0.0)) return {};
  const double mean = std::max(h * d / m / 2.0, h * std::sqrt(k / m));
  const double s2 = mean + std::sqrt(std::max(0.0, mean * mean - h * h * k / m)), s1 = h * h * k / m / s2;
  const double critical_d = (s1 + s2) * m / h;  // d, or the d of critical damping
  const double one = s1 > 0.0 ? s1 / -std::expm1(-s1) : 1.0;
  const double H = m * one * s2 / -std::expm1(-s2), b = -std::expm1(-s1 - s2) * H;
  const double shift = k > 0.0 ? (b - h * critical_d) / (h * h * k) : 0.0;
  return {shift, (1.0 + ((1.0 + std::exp(-s1 - s2)) * H - 2.0 * m) / b) / 2.0};
}

double largest(const VectorXd& values, const VectorXd& gradient) {
  double most = 0.0;
  for (Eigen::Index j = 0; j < gradient.size(); ++j)
    if (gradient[j] != 0.0) most = std::max(most, values[j]);
  return most;
}

/// True if the linear system of the tree is stable with these weights.
bool is_stable(const Model& m, const MatrixXd& M, const std::vector<Spring>& springs, const SpringRule& rule,
               int tree) {
  const double h = rule.step_size;
  MatrixXd S = 3.5 * M;
  for (const Spring& s : springs) {
    const double b = h * s.d + largest(rule.shift, s.gradient) * h * h * s.k, w = largest(rule.next, s.gradient);
    S += (2.0 * (2.0 * w - 1.0) * b - h * h * s.k) * s.gradient * s.gradient.transpose();
  }
  const int first = m.tree_dof_adr[tree], n = m.tree_dof_num[tree];
  return S.block(first, first, n, n).llt().info() == Eigen::Success;
}

void fit_tree(const Model& m, const MatrixXd& M, const std::vector<Spring>& springs, int tree, SpringRule& rule) {
  VectorXd k = VectorXd::Zero(m.nv), d = VectorXd::Zero(m.nv);
  for (const Spring& s : springs) {
    k += s.k * s.gradient.cwiseAbs2();
    d += s.d * s.gradient.cwiseAbs2();
  }
  const int first = m.tree_dof_adr[tree], end = first + m.tree_dof_num[tree];
  double share = 1.0;
  for (int attempt = 0; attempt <= kQuarterings; ++attempt, share /= 4.0) {
    for (int j = first; j < end; ++j) {
      const Weights w = weights_of(rule.step_size, attempt < kQuarterings ? share * M(j, j) : 0.0, k[j], d[j]);
      rule.shift[j] = w.shift;
      rule.next[j] = w.next;
    }
    if (k.segment(first, end - first).isZero(0.0) || is_stable(m, M, springs, rule, tree)) return;
  }
}

/// The command u_σ, or for a rate u_{w−1/2}, between the two ends of the step.
double asked(const Model& m, const SpringState& state, const SpringRule& rule, int a) {
  const auto limited = [&](double u) {
    return m.actuator_act[a] < 0 && m.actuator_ctrl_limited[a]
               ? std::clamp(u, m.actuator_ctrl_range[2 * a], m.actuator_ctrl_range[2 * a + 1])
               : u;
  };
  const double from = limited(state.last_ctrl[a]), to = limited(state.ctrl[a]);
  const VectorXd gradient = length_of(m, state.qpos, m.actuator_length[a]).gradient;
  switch (static_cast<ActuatorKind>(m.actuator_kind[a])) {
    case ActuatorKind::kPosition:
      return from + largest(rule.shift, gradient) * (to - from);
    case ActuatorKind::kVelocity:
      return from + (largest(rule.next, gradient) - 0.5) * (to - from);
    case ActuatorKind::kMotor:
      break;
  }
  return to;
}

}  // namespace

SpringImpulse SpringRule::act(const VectorXd& gradient, double k, double d, double force) const {
  const double b = step_size * d + largest(shift, gradient) * step_size * step_size * k, w = largest(next, gradient);
  return {w * b, step_size * force - (1.0 - w) * b * gradient.dot(rate)};
}

SpringRule spring_rule(const Model& m, const MatrixXd& M, const SpringState& state, Dynamics dynamics,
                       double step_size) {
  SpringRule rule{step_size, VectorXd::Ones(m.nv), VectorXd::Ones(m.nv), VectorXd::Zero(m.nv), state.ctrl};
  if (!fits_springs(dynamics)) return rule;
  const std::vector<Spring> springs = springs_of(m, state.qpos, dynamics);
  rule.rate = state.qvel;
  for (int tree = 0; tree < m.ntree; ++tree) fit_tree(m, M, springs, tree, rule);
  for (int a = 0; a < m.nu; ++a) rule.ctrl[a] = asked(m, state, rule, a);
  return rule;
}

}  // namespace stiction::reference
