#include "host/reference/free_motion.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/contact_rows.hpp"
#include "host/reference/free_spin.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kStill = 1e-3, kHeld = 0.5, kPartError = 1e-4, kLost = 0.01, kGain = 0.0075;
constexpr double kGentleTurn = 0.03125, kGentleError = 1e-6;
constexpr int kMostParts = 64;

JointType type_of(const Model& m, int joint) { return static_cast<JointType>(m.joint_type[joint]); }

/// True for a tree of several dofs that is neither one free body nor one body on a ball joint.
bool is_linkage(const Model& m, int tree) {
  const int dofs = m.tree_dof_num[tree];
  const JointType first = type_of(m, m.dof_joint[m.tree_dof_adr[tree]]);
  return dofs > 1 && !(dofs == 6 && first == JointType::kFree) && !(dofs == 3 && first == JointType::kBall);
}

/// One tree, with everything else standing still. Its state is (q, w), where w is zero for all other dofs.
class Tree {
 public:
  Tree(const Model& model, const Kinematics& start, int tree)
      : m(model), first(model.tree_dof_adr[tree]), n(model.tree_dof_num[tree]), tree_(tree) {
    for (int b = 0; b < m.nbody; ++b) {
      if (m.body_mocap[b] < 0) continue;
      const Quaterniond q(start.body[b].R);
      const Vector3d& p = start.body[b].p;
      mocap_.insert(mocap_.end(), {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()});
    }
  }

  auto of(const VectorXd& v) const { return v.segment(first, n); }
  auto of(VectorXd& v) const { return v.segment(first, n); }
  MatrixXd block(const MatrixXd& A) const { return A.block(first, first, n, n); }
  VectorXd only(const VectorXd& v) const {
    VectorXd out = VectorXd::Zero(m.nv);
    of(out) = of(v);
    return out;
  }
  Kinematics at(const VectorXd& q) const { return forward_kinematics(m, q, mocap_); }
  MatrixXd mass(const Kinematics& k) const { return block(mass_matrix(m, k)); }
  double energy(const VectorXd& q, const VectorXd& w) const {
    const VectorXd own = of(w);
    return 0.5 * own.dot(mass(at(q)) * own);
  }
  VectorXd acceleration(const VectorXd& q, const VectorXd& w) const {
    const Kinematics k = at(q);
    VectorXd c = of(VectorXd(bias_force(m, k, w) + weight_force(m, k)));
    MatrixXd M = mass(k);
    keep_apart_frozen(m, first, M);
    for (int j = 0; j < n; ++j)
      if (moves_frozen(m, first + j)) c[j] = 0.0;
    VectorXd a = VectorXd::Zero(m.nv);
    of(a) = -M.ldlt().solve(c);
    return a;
  }
  VectorXd moved(const VectorXd& q, const VectorXd& w, double h) const {
    return integrate(m, q, w, h, FreeMotion::kStraight);
  }
  bool has(int body) const { return m.body_tree[body] == tree_; }

  const Model& m;
  int first, n;

 private:
  int tree_;
  std::vector<double> mocap_;
};

struct State {
  VectorXd q, w;
  VectorXd way;        // ∫ w dt
  double error = 0.0;  // largest relative error of the energy after a part
};

/// One part by Heun's method of third order.
void move_by_heun(const Tree& t, double h, State& x) {
  const VectorXd w1 = x.w, a1 = t.acceleration(x.q, w1);
  const VectorXd w2 = x.w + h / 3.0 * a1, a2 = t.acceleration(t.moved(x.q, w1, h / 3.0), w2);
  const VectorXd w3 = x.w + 2.0 * h / 3.0 * a2, a3 = t.acceleration(t.moved(x.q, w2, 2.0 * h / 3.0), w3);
  const VectorXd mean = 0.25 * (w1 + 3.0 * w3);
  x.q = t.moved(x.q, mean, h);
  x.w += 0.25 * h * (a1 + 3.0 * a3);
  x.way += h * mean;
}

/// One part by the classic Runge-Kutta method.
void move_by_classic(const Tree& t, double h, State& x) {
  const VectorXd w1 = x.w, a1 = t.acceleration(x.q, w1);
  const VectorXd w2 = x.w + 0.5 * h * a1, a2 = t.acceleration(t.moved(x.q, w1, 0.5 * h), w2);
  const VectorXd w3 = x.w + 0.5 * h * a2, a3 = t.acceleration(t.moved(x.q, w2, 0.5 * h), w3);
  const VectorXd w4 = x.w + h * a3, a4 = t.acceleration(t.moved(x.q, w3, h), w4);
  const VectorXd mean = (w1 + 2.0 * w2 + 2.0 * w3 + w4) / 6.0;
  x.q = t.moved(x.q, mean, h);
  x.w += h * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0;
  x.way += h * mean;
}

template <class Move>
State move_in_parts(const Tree& t, const VectorXd& q, const VectorXd& u, double h, int parts, Move move_part) {
  const double energy = t.energy(q, u);
  State x{q, u, VectorXd::Zero(u.size()), 0.0};
  for (int i = 0; i < parts; ++i) {
    move_part(t, h / parts, x);
    const double now = x.w.allFinite() && x.q.allFinite() ? t.energy(x.q, x.w) : HUGE_VAL;
    if (!(now < HUGE_VAL)) return {q, u, VectorXd::Zero(u.size()), HUGE_VAL};
    x.error = std::max(x.error, std::abs(now / energy - 1.0));
    if (now > energy) x.w *= std::sqrt(energy / now);
  }
  return x;
}

double fastest_spin(const Tree& t, const Kinematics& k, const VectorXd& u) {
  double fastest = 0.0;
  for (int b = 1; b < t.m.nbody; ++b)
    if (t.has(b)) fastest = std::max(fastest, (body_jacobian(t.m, k, b, k.com[b]) * u).tail<3>().norm());
  return fastest;
}

State move_on(const Tree& t, const Kinematics& k, const VectorXd& q, const VectorXd& u, double h) {
  const double turn = h * fastest_spin(t, k, u);
  if (turn <= kGentleTurn) {
    State gentle = move_in_parts(t, q, u, h, 1, move_by_heun);
    if (gentle.error <= kGentleError) return gentle;
  }
  int parts = std::max(1, static_cast<int>(std::ceil(std::min(4.0 * turn, 1.0 * kMostParts))));
  State x = move_in_parts(t, q, u, h, parts, move_by_classic);
  while (x.error > kPartError && parts < kMostParts) {
    parts = std::min(2 * parts, kMostParts);
    x = move_in_parts(t, q, u, h, parts, move_by_classic);
  }
  return x;
}

/// The constant spin that leads from `from` to `to` in time h; of all such spins, the one whose turn is nearest to
/// `way`.
Vector3d constant_spin(const double* from, const double* to, const Vector3d& way, double h) {
  const Quaterniond a(from[0], from[1], from[2], from[3]), b(to[0], to[1], to[2], to[3]);
  return whole_turn((a.normalized().conjugate() * b.normalized()).toRotationMatrix(), way) / h;
}

VectorXd mean_velocity(const Tree& t, const VectorXd& q, const Kinematics& k, const State& x, double h) {
  const Model& m = t.m;
  VectorXd mean = x.way / h;
  const Kinematics end = t.at(x.q);
  for (int j = 0; j < m.njoint; ++j) {
    const int da = m.joint_dof_adr[j], qa = m.joint_qpos_adr[j], b = m.joint_body[j];
    const bool free = type_of(m, j) == JointType::kFree;
    if (!t.has(b) || (!free && type_of(m, j) != JointType::kBall)) continue;
    const int turns = free ? 3 : 0;
    const Vector3d way = x.way.segment<3>(da + turns);
    const Vector3d spin = constant_spin(q.data() + qa + turns, x.q.data() + qa + turns, way, h);
    mean.segment<3>(da + turns) = spin;
    if (!free) continue;
    const Vector3d fly = (end.com[b] - k.com[b]) / h, arm = k.com[b] - k.body[b].p;
    mean.segment<3>(da) = fly - (k.body[b].R * spin).cross(arm);
  }
  return mean;
}

/// True if the length has a term among the tree's dofs.
bool measures(const Tree& t, int length) {
  if (length < 0) return false;
  const int begin = t.m.length_term_adr[length], end = begin + t.m.length_term_num[length];
  return std::any_of(t.m.term_dof.begin() + begin, t.m.term_dof.begin() + end,
                     [&](int dof) { return dof >= t.first && dof < t.first + t.n; });
}

/// True if a coupling, a tendon that is limited or dry, an actuator of limited force, or a spring or actuator across
/// trees acts on the tree.
bool is_bound(const Tree& t) {
  bool bound = false;
  for (const int length : t.m.coupling_length) bound = bound || measures(t, length);
  for (const int body : t.m.weld_body) bound = bound || t.has(body);
  for (int i = 0; i < t.m.ntendon; ++i)
    bound = bound || (measures(t, t.m.tendon_length[i]) &&
                      (t.m.tendon_limited[i] || t.m.tendon_frictionloss[i] > 0.0 || pulls_trees(t.m, i)));
  for (int a = 0; a < t.m.nu; ++a) {
    const bool motor = static_cast<ActuatorKind>(t.m.actuator_kind[a]) == ActuatorKind::kMotor;
    const bool row = t.m.actuator_force_limited[a] || spans_trees(t.m, t.m.actuator_length[a]);
    bound = bound || (!motor && row && measures(t, t.m.actuator_length[a]));
  }
  return bound;
}

/// True if a joint of the tree is outside its range at q.
bool is_stopped(const Tree& t, const VectorXd& q) {
  for (int j = 0; j < t.m.njoint; ++j) {
    if (!t.m.joint_limited[j] || !t.has(t.m.joint_body[j])) continue;
    const double* at = q.data() + t.m.joint_qpos_adr[j];
    const double lower = t.m.joint_range[2 * j], upper = t.m.joint_range[2 * j + 1];
    if (type_of(t.m, j) == JointType::kBall) {
      if (Eigen::AngleAxisd(Quaterniond(at[0], at[1], at[2], at[3]).normalized()).angle() > upper) return true;
    } else if (*at < lower || *at > upper) {
      return true;
    }
  }
  return false;
}

/// True if only weight drives the tree.
bool is_passive(const Tree& t) {
  for (int j = t.first; j < t.first + t.n; ++j)
    if (t.m.joint_stiffness[t.m.dof_joint[j]] > 0.0) return false;
  for (int i = 0; i < t.m.ntendon; ++i)
    if (t.m.tendon_stiffness[i] > 0.0 && measures(t, t.m.tendon_length[i])) return false;
  return std::none_of(t.m.actuator_length.begin(), t.m.actuator_length.end(), [&](int l) { return measures(t, l); });
}

VectorXd carried_weight(const Model& m, const Kinematics& k) { return weight_force(m, k) + compensation_force(m, k); }

/// Work against the weight over half a step [J]; without that on a free joint.
double late_work(const Tree& t, const Kinematics& k, const VectorXd& w, double h) {
  const VectorXd weight = carried_weight(t.m, k);
  const int flying = type_of(t.m, t.m.dof_joint[t.first]) == JointType::kFree ? 6 : 0;
  double work = 0.0;
  for (int j = t.first + flying; j < t.first + t.n; ++j) work -= 0.5 * h * weight[j] * w[j];
  return work;
}

Vector3d pull_on(const Model& m, int body) {
  return m.body_mass[body] * (1.0 - m.body_gravcomp[body]) * Vector3d(m.gravity[0], m.gravity[1], m.gravity[2]);
}

double largest_fall(const Tree& t, const Kinematics& k) {
  double fall = 0.0;
  for (int b = 1; b < t.m.nbody; ++b)
    if (t.has(b)) fall += pull_on(t.m, b).norm() * (k.com[b] - k.anchor[t.first]).norm();
  return fall;
}

double energy_lifted(const Tree& t, const Kinematics& from, const Kinematics& to) {
  double energy = 0.0;
  for (int b = 1; b < t.m.nbody; ++b)
    if (t.has(b)) energy -= pull_on(t.m, b).dot(to.com[b] - from.com[b]);
  return energy;
}

/// The state and the problem with which a step begins.
struct Start {
  const Kinematics& k;
  const VectorXd &q, &v;
  const MatrixXd& H;
  const VectorXd& g;
  double h;
};

/// H u = g of one tree.
VectorXd solve_tree(const Tree& t, const MatrixXd& H, const VectorXd& g) {
  VectorXd u = VectorXd::Zero(t.m.nv);
  t.of(u) = t.block(H).ldlt().solve(VectorXd(t.of(g)));
  return u;
}

void move_body(const Tree& t, int tree, const Start& s, FreeMotions& out) {
  const FreeSpin spin = spin_on(t.m, s.k, tree, s.v, solve_tree(t, s.H, s.g), s.h);
  if (!spin.changes) return;
  out.mean += spin.mean;
  out.carry += spin.carry;
  t.of(out.impulse) = t.block(out.M) * (t.of(spin.mean) - t.of(solve_tree(t, s.H, s.g)));
  const int turns = spinning_dofs(t.m, tree).value();
  const Vector3d start = solve_tree(t, s.H, s.g).segment<3>(turns), mean = spin.mean.segment<3>(turns);
  const double given = 0.5 * (start.dot(spin.inertia * start) - mean.dot(spin.inertia * mean));
  out.trees.push_back({tree, t.first, t.n, turns, spin.inertia, std::max(given, 0.0)});
}

void move_linkage(const Tree& t, int tree, const Start& s, FreeMotions& out) {
  out.linkages.push_back({tree, t.first, t.n, is_passive(t)});
  const auto c_at = [&](const VectorXd& v) { return VectorXd(bias_force(t.m, s.k, v) + weight_force(t.m, s.k)); };
  const VectorXd first = -s.h * c_at(t.only(s.v));
  const double turn = turn_of(s.k, t.first, t.n, s.v, s.h);
  const VectorXd inertia = t.block(out.M).diagonal(), held = t.block(s.H).diagonal() - (1.0 + 2.0 * turn) * inertia;
  bool dry = false;
  for (int j = t.first; j < t.first + t.n; ++j) dry = dry || s.h * t.m.dof_frictionloss[j] > std::abs(first[j]);
  if (turn <= kStill || (turn <= kHeld && (is_bound(t) || dry || held.minCoeff() >= 0.0))) {
    t.of(out.impulse) = t.of(first);
    return;
  }
  const VectorXd u = solve_tree(t, s.H, s.g);
  const double energy = t.energy(s.q, u);
  if (!(energy > 0.0)) return;
  const State x = move_on(t, s.k, s.q, u, s.h);
  const bool moves = std::isfinite(x.error);
  if (!moves || (turn <= kHeld && is_stopped(t, x.q))) {
    if (turn <= kHeld) t.of(out.impulse) = t.of(first);
    out.beyond = out.beyond || !moves;
    return;
  }
  const VectorXd mean = t.only(mean_velocity(t, s.q, s.k, x, s.h));
  out.linkages.back().moved = true;
  out.start += u;
  out.mean += mean;
  out.carry += t.only(x.w - mean);
  t.of(out.impulse) = t.block(out.M) * (t.of(mean) - t.of(u));
  const Kinematics end = t.at(x.q);
  const double added = energy - t.energy(s.q, t.only(s.v)) + energy_lifted(t, s.k, end);
  const double gain = std::max(added, late_work(t, end, x.w, s.h));
  out.beyond =
      out.beyond || x.error > kLost || (is_passive(t) && gain > kGain * std::max(energy, largest_fall(t, s.k)));
  out.trees.push_back({tree, t.first, t.n, t.first});
}

}  // namespace

double turn_of(const Kinematics& k, int first, int n, const VectorXd& v, double h) {
  double turn = 0.0;
  for (int j = first; j < first + n; ++j) turn += k.rotational[j] ? h * std::abs(v[j]) : 0.0;
  return turn;
}

FreeMotions move_freely(const Model& m, const Kinematics& k, const VectorXd& qpos, const VectorXd& qvel,
                        const MatrixXd& H, const VectorXd& g, double h) {
  FreeMotions out;
  out.impulse = out.start = out.mean = out.carry = VectorXd::Zero(m.nv);
  out.M = mass_matrix(m, k);
  const Start start{k, qpos, qvel, H, g, h};
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (is_linkage(m, tree)) move_linkage(Tree(m, k, tree), tree, start, out);
    if (spinning_dofs(m, tree)) move_body(Tree(m, k, tree), tree, start, out);
  }
  return out;
}

VectorXd velocity_at_the_end(const Model& m, const FreeMotions& motions, const Kinematics& after, const VectorXd& v) {
  VectorXd end = v;
  for (const auto& [tree, first, n, from, inertia, given] : motions.trees) {
    const int count = first + n - from;
    const VectorXd mean = motions.mean.segment(from, count);
    const VectorXd momentum = motions.M.block(from, from, count, count) * mean;
    const double square = mean.dot(momentum);
    const double share = square > 0.0 ? std::clamp(v.segment(from, count).dot(momentum) / square, 0.0, 1.0) : 0.0;
    end.segment(first, n) += share * share * motions.carry.segment(first, n);
    if (inertia.isZero(0.0)) continue;
    const Vector3d solved = v.segment<3>(from), next = end.segment<3>(from);
    const double most = 0.5 * solved.dot(inertia * solved) + share * share * given;
    const double energy = 0.5 * next.dot(inertia * next);
    if (energy > most) end.segment<3>(from) *= std::sqrt(most / energy);
    if (from == first) continue;
    const int body = m.dof_body[first];
    const Vector3d arm = flying_center(m, after, m.dof_joint[first]) - after.body[body].p;
    end.segment<3>(first) -= (after.body[body].R * (end.segment<3>(from) - solved)).cross(arm);
  }
  return end;
}

}  // namespace stiction::reference
