#include "host/reference/contact_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Row {
  VectorXd J;
  double offset, lower, upper, compliance = 0.0;
  double given = 0.0;   // part of the offset that is the velocity of scripted bodies
  double radius = 0.0;  // 0: the shortest lever among the dofs that the row moves [m]
};

/// The shortest lever among the dofs that a row moves [m].
double radius_of(const Model& m, const VectorXd& J) {
  double radius = kInfinity;
  for (int j = 0; j < m.nv; ++j)
    if (J[j] != 0.0) radius = std::min(radius, m.dof_radius[j]);
  return radius;
}

/// The shortest lever among the dofs that turn either of two bodies [m]; 1 if none does.
double turning_radius(const Model& m, const MatrixXd& of_A, const MatrixXd& of_B) {
  double radius = kInfinity;
  for (int j = 0; j < m.nv; ++j)
    if (!of_A.col(j).tail<3>().isZero(0.0) || !of_B.col(j).tail<3>().isZero(0.0))
      radius = std::min(radius, m.dof_radius[j]);
  return std::isinf(radius) ? 1.0 : radius;
}

void add_limits(const Length& length, double lower, double upper, double h, std::vector<Row>& rows) {
  rows.push_back({length.gradient, (length.value - lower) / h, 0, kInfinity});
  rows.push_back({-length.gradient, (upper - length.value) / h, 0, kInfinity});
}

/// Adds the limit of a ball joint, from its angle in [0, π] and its axis in body axes. Below 0.01 rad the row fades to
/// 0 with the angle.
void add_ball_limit(const Model& m, const VectorXd& q, int joint, double h, std::vector<Row>& rows) {
  const double* p = q.data() + m.joint_qpos_adr[joint];
  const Eigen::AngleAxisd turn(Eigen::Quaterniond(p[0], p[1], p[2], p[3]).normalized());
  const double limit = std::max(m.joint_range[2 * joint], m.joint_range[2 * joint + 1]);
  Row row{VectorXd::Zero(m.nv), (limit - turn.angle()) / h, 0, kInfinity};
  row.J.segment<3>(m.joint_dof_adr[joint]) = -turn.axis() * std::min(1.0, turn.angle() / 0.01);
  rows.push_back(row);
}

void add_joint_limits(const Model& m, const VectorXd& q, double h, std::vector<Row>& rows) {
  for (int j = 0; j < m.njoint; ++j) {
    if (!m.joint_limited[j]) continue;
    const auto type = static_cast<JointType>(m.joint_type[j]);
    if (type == JointType::kBall) add_ball_limit(m, q, j, h, rows);
    if (type != JointType::kHinge && type != JointType::kSlide) continue;
    const int dof = m.joint_dof_adr[j];
    const Length length{q[m.joint_qpos_adr[j]], VectorXd::Unit(m.nv, dof)};
    add_limits(length, m.joint_range[2 * j], m.joint_range[2 * j + 1], h, rows);
  }
}

void add_tendon_limits(const Model& m, const VectorXd& q, double h, std::vector<Row>& rows) {
  for (int t = 0; t < m.ntendon; ++t) {
    if (!m.tendon_limited[t]) continue;
    add_limits(length_of(m, q, m.tendon_length[t]), m.tendon_range[2 * t], m.tendon_range[2 * t + 1], h, rows);
  }
}

void add_couplings(const Model& m, const VectorXd& q, double h, std::vector<Row>& rows) {
  for (int c = 0; c < m.ncoupling; ++c) {
    const double* poly = &m.coupling_poly[5 * c];
    const int first = m.coupling_length[2 * c], second = m.coupling_length[2 * c + 1];
    const Length one = length_of(m, q, first);
    Row row{one.gradient, one.value - m.coupling_rest[2 * c] - poly[0], -kInfinity, kInfinity};
    if (second >= 0) {
      const Length two = length_of(m, q, second);
      const double x = two.value - m.coupling_rest[2 * c + 1];
      for (int k = 1; k < 5; ++k) {
        row.offset -= poly[k] * std::pow(x, k);
        row.J -= k * poly[k] * std::pow(x, k - 1) * two.gradient;
      }
    }
    row.offset /= h;
    rows.push_back(row);
  }
}

void add_dry_friction(const Model& m, const VectorXd& q, double h, std::vector<Row>& rows) {
  for (int j = 0; j < m.nv; ++j) {
    const double most = h * m.dof_frictionloss[j];
    if (most > 0.0) rows.push_back({VectorXd::Unit(m.nv, j), 0, -most, most});
  }
  for (int t = 0; t < m.ntendon; ++t) {
    const double most = h * m.tendon_frictionloss[t];
    if (most > 0.0) rows.push_back({length_of(m, q, m.tendon_length[t]).gradient, 0, -most, most});
  }
}

void add_actuators(const Model& m, const VectorXd& q, const SpringRule& springs, Dynamics dynamics, double h,
                   std::vector<Row>& rows) {
  for (int a = 0; a < m.nu; ++a) {
    if (actuator_role(m, dynamics, a) != ActuatorRole::kRow) continue;
    const ActuatorForce f = actuator_force(m, q, springs.ctrl, dynamics, a);
    const SpringImpulse spring = springs.act(f.gradient, f.kp, f.kv, f.force);
    const double R = 1.0 / spring.slope;
    const double* range = &m.actuator_force_range[2 * a];
    const bool limited = m.actuator_force_limited[a] != 0;
    rows.push_back(
        {f.gradient, -spring.impulse * R, limited ? h * range[0] : -kInfinity, limited ? h * range[1] : kInfinity, R});
  }
}

/// Springs and dampers of tendons between trees; one without a force has equal bounds.
void add_tendon_springs(const Model& m, const VectorXd& q, const SpringRule& springs, std::vector<Row>& rows) {
  for (int t = 0; t < m.ntendon; ++t) {
    if (!pulls_trees(m, t)) continue;
    const Length length = length_of(m, q, m.tendon_length[t]);
    const double lower = m.tendon_rest[2 * t], upper = m.tendon_rest[2 * t + 1];
    const bool slack = lower < upper && length.value >= lower && length.value <= upper;
    const double k = slack ? 0.0 : m.tendon_stiffness[t], rest = std::clamp(length.value, lower, upper);
    const SpringImpulse spring = springs.act(length.gradient, k, m.tendon_damping[t], -k * (length.value - rest));
    const double most = spring.slope > 0.0 ? kInfinity : 0.0, R = spring.slope > 0.0 ? 1.0 / spring.slope : 0.0;
    rows.push_back({length.gradient, -spring.impulse * R, -most, most, R});
  }
}

/// MuJoCo's impedance of an error of size x [m].
double impedance(const double* p, double x) {
  const double s = p[2] > 0.0 ? std::min(1.0, x / p[2]) : 1.0, mid = p[3], power = p[4];
  const double rise = s <= mid ? std::pow(s, power) / std::pow(mid, power - 1.0)
                               : 1.0 - std::pow(1.0 - s, power) / std::pow(1.0 - mid, power - 1.0);
  return p[0] + (p[1] - p[0]) * rise;
}

/// Adds the rows of one weld or connect: velocities of frame 1 in axes fixed to the world, less those of frame 2.
void add_weld(const Model& m, const WeldState& at, int w, double h, std::vector<Row>& rows) {
  MatrixXd J = MatrixXd::Zero(6, m.nv);
  Eigen::Matrix<double, 6, 1> given = Eigen::Matrix<double, 6, 1>::Zero(), error;
  MatrixXd turning[2];
  Pose frame[2];
  for (int side = 0; side < 2; ++side) {
    const int i = 2 * w + side, body = m.weld_body[i];
    const double* q = &m.weld_quat[4 * i];
    const Pose& pose = at.kinematics.body[body];
    frame[side].p = pose.p + pose.R * Vector3d(&m.weld_pos[3 * i]);
    frame[side].R = pose.R * Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    const double sign = side == 0 ? 1.0 : -1.0;
    turning[side] = body_jacobian(m, at.kinematics, body, frame[side].p);
    J += sign * turning[side];
    given += sign * scripted_twist(m, at.kinematics, at.mocap_velocity, body, frame[side].p);
  }
  const Eigen::AngleAxisd turn(frame[0].R * frame[1].R.transpose());
  error << frame[0].p - frame[1].p, turn.angle() * turn.axis();
  const bool welded = m.weld_turns[w] != 0;
  const double scale = m.weld_torquescale[w];
  const double away = std::hypot(error.head<3>().norm(), welded ? scale * std::sin(turn.angle() / 2) : 0.0);
  const double d = impedance(&m.weld_solimp[5 * w], away);
  const double stiff = m.weld_solref[2 * w] * d, damped = m.weld_solref[2 * w + 1];
  const double radius = turning_radius(m, turning[0], turning[1]);
  for (int r = 0; r < (welded ? 6 : 3); ++r) {
    Row row{J.row(r).transpose(), given[r] + error[r] / h, -kInfinity, kInfinity, 0.0, given[r], r < 3 ? 1.0 : radius};
    if (at.equality == Equality::kSolref) {
      const double speed = at.momentum ? J.row(r).dot(at.qvel) + given[r] : 0.0;
      const double inverse = std::max(1e-15, m.weld_inverse_mass[2 * w + r / 3] * (1.0 / d - 1.0));
      const double turns = r < 3 ? 1.0 : 0.5 * scale;  // MuJoCo's rows per rad
      const double D = 1.0 + h * damped + h * h * stiff;
      row.offset = given[r] - (speed - h * stiff * error[r]) / D;
      row.compliance = inverse / (turns * turns) / D;
    }
    rows.push_back(row);
  }
}

constexpr double kRounding = 1e-9;  // how far prescribed motion may violate a row without free dofs [m]

/// Moves J_p v̄ to the offset; true if anything free is left in the rows.
bool move_to_offset(const DenseProblem& p, Eigen::Ref<MatrixXd> J, Eigen::Ref<VectorXd> offset) {
  for (int j = 0; j < p.nv(); ++j) {
    if (!p.prescribed[j]) continue;
    offset += J.col(j) * p.prescribed_velocity[j];
    J.col(j).setZero();
  }
  return !J.isZero(0.0);
}

void settle_contact(int i, DenseProblem& p) {
  const double next = p.gap_rate[i] + p.offset[p.dimension * i], rounding = kRounding / p.step_size;
  p.gap_rate[i] = std::abs(next) <= rounding ? rounding : next;
  p.offset.segment(p.dimension * i, p.dimension).setZero();
  p.mu.row(i).setZero();
}

void settle_row(int r, DenseProblem& p) {
  const double rounding = kRounding / p.step_size / p.row_radius[r], b = p.row_offset[r];
  const bool hard = p.row_compliance[r] == 0.0;
  const bool no_upper = hard && std::isinf(p.row_upper[r]), no_lower = hard && std::isinf(p.row_lower[r]);
  if ((no_upper && b < -rounding) || (no_lower && b > rounding)) return;
  p.row_offset[r] = p.row_lower[r] = p.row_upper[r] = 0.0;
}

constexpr double kLeastLever = 1e-9;  // least entry of a dof that moves a row [m/s per m/s, or per rad/s]

bool is_unmoved(const MatrixXd& J, Eigen::Index row) {
  return J.cols() == 0 || J.row(row).cwiseAbs().maxCoeff() <= kLeastLever;
}

}  // namespace

void release_unmoved_rows(DenseProblem& p) {
  for (int i = 0; i < p.num_contacts(); ++i) {
    const int normal = p.dimension * i;
    if (!is_unmoved(p.J, normal)) continue;
    p.gap_rate[i] = std::max(p.gap_rate[i], kRounding / p.step_size - p.offset[normal]);
    p.mu.row(i).setZero();
  }
  for (int r = 0; r < p.num_rows(); ++r)
    if (is_unmoved(p.row_J, r)) p.row_offset[r] = p.row_lower[r] = p.row_upper[r] = 0.0;
}

void drop_frozen_columns(const Model& m, DenseProblem& p) {
  for (int j = 0; j < m.nv; ++j) {
    if (!moves_frozen(m, j)) continue;
    p.J.col(j).setZero();
    p.row_J.col(j).setZero();
  }
}

ContactFrame contact_frame(const Model& model, const ContactInput& contact) {
  const Vector3d n = contact.normal;
  const Vector3d e = std::abs(n.y()) < 0.5 ? Vector3d::UnitY() : Vector3d::UnitZ();
  const Vector3d t = (e - n.dot(e) * n).normalized();
  ContactFrame frame;
  frame.position = 0.5 * (contact.p_A + contact.p_B);
  frame.rows << n.transpose(), t.transpose(), n.cross(t).transpose();
  frame.gap = n.dot(contact.p_B - contact.p_A) - model.pair_margin[contact.pair];
  return frame;
}

Vector3d friction_of(const Model& m, int pair) {
  if (m.pair_condim[pair] == 1) return Vector3d::Zero();
  const double turns = m.pair_condim[pair] >= 4 ? 1.0 : 0.0;
  if (m.pair_explicit[pair]) {
    const double* own = &m.pair_friction[5 * pair];
    return {own[0], own[1], turns * own[2]};
  }
  const Eigen::Map<const Vector3d> first(&m.geom_friction[3 * m.pair_geom[2 * pair]]);
  const Eigen::Map<const Vector3d> second(&m.geom_friction[3 * m.pair_geom[2 * pair + 1]]);
  const Vector3d chosen[] = {first, second, first.cwiseMax(second)};
  const Vector3d& mu = chosen[m.pair_friction_rule[pair]];
  return {mu[0], mu[0], turns * mu[1]};
}

int contact_dimension(const Model& m, const PhysicsConfig& physics) {
  if (!has_friction(physics.law)) return 3;
  for (int p = 0; p < m.npair; ++p)
    if (friction_of(m, p)[2] > 0.0) return 4;
  return 3;
}

Eigen::Matrix<double, 6, 1> scripted_twist(const Model& m, const Kinematics& k,
                                           const std::vector<double>& mocap_velocity, int body, const Vector3d& point) {
  Eigen::Matrix<double, 6, 1> at_point = Eigen::Matrix<double, 6, 1>::Zero();
  int b = body;
  while (b != 0 && m.body_mocap[b] < 0) b = m.body_parent[b];
  if (b == 0 || mocap_velocity.empty()) return at_point;
  const double* twist = &mocap_velocity[6 * m.body_mocap[b]];
  const Vector3d linear(twist[0], twist[1], twist[2]), angular(twist[3], twist[4], twist[5]);
  at_point.head<3>() = linear + angular.cross(point - k.body[b].p);
  at_point.tail<3>() = angular;
  return at_point;
}

void write_contact_rows(const Model& m, const Kinematics& k, const std::vector<ContactInput>& contacts,
                        const std::vector<double>& mocap_velocity, DenseProblem& problem) {
  const int nc = contacts.size(), d = problem.dimension;
  problem.J.resize(d * nc, m.nv);
  problem.gap_rate.resize(nc);
  problem.offset = VectorXd::Zero(d * nc);
  problem.mu.resize(nc, d - 1);
  problem.radius.resize(d == 4 ? nc : 0);
  for (int i = 0; i < nc; ++i) {
    const ContactFrame frame = contact_frame(m, contacts[i]);
    const int pair = contacts[i].pair;
    const int A = m.geom_body[m.pair_geom[2 * pair]], B = m.geom_body[m.pair_geom[2 * pair + 1]];
    const Vector3d at_A = frame.position - contacts[i].way_A, at_B = frame.position - contacts[i].way_B;
    const MatrixXd of_A = body_jacobian(m, k, A, at_A), of_B = body_jacobian(m, k, B, at_B);
    problem.J.middleRows(d * i, 3) = frame.rows * (of_B - of_A).topRows(3);
    const auto twist_A = scripted_twist(m, k, mocap_velocity, A, at_A);
    const auto twist_B = scripted_twist(m, k, mocap_velocity, B, at_B);
    problem.offset.segment<3>(d * i) = frame.rows * (twist_B - twist_A).head<3>();
    problem.gap_rate[i] = frame.gap / problem.step_size;
    const Vector3d mu = friction_of(m, pair);
    problem.mu.row(i).head<2>() = mu.head<2>().transpose();
    if (d == 3) continue;
    const double a = mu[2] > 0.0 ? turning_radius(m, of_A, of_B) : 1.0;
    const auto n = frame.rows.row(0);
    const double lever = mu[2] > 0.0 ? a : 0.0;  // without torsional friction the row is 0
    problem.radius[i] = a;
    problem.J.row(4 * i + 3) = lever * n * (of_B - of_A).bottomRows(3);
    problem.offset[4 * i + 3] = lever * n.dot((twist_B - twist_A).tail<3>());
    problem.mu(i, 2) = mu[2] / a;
  }
}

void let_slide(const Model& m, const std::vector<ContactInput>& contacts, const VectorXd& qvel, double threshold,
               DenseProblem& problem) {
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const double kinetic = m.pair_kinetic[contacts[static_cast<std::size_t>(i)].pair];
    const int row = problem.dimension * i;
    const Vector3d speed = problem.J.middleRows(row, 3) * qvel + problem.offset.segment<3>(row);
    if (kinetic >= 0.0 && speed.norm() >= threshold) problem.mu.row(i).head<2>().setConstant(kinetic);
  }
}

void write_general_rows(const Model& m, const VectorXd& q, const SpringRule& springs, Dynamics dynamics,
                        const WeldState& welds, DenseProblem& problem) {
  const double h = problem.step_size;
  std::vector<Row> rows;
  add_joint_limits(m, q, h, rows);
  add_tendon_limits(m, q, h, rows);
  add_tendon_springs(m, q, springs, rows);
  add_couplings(m, q, h, rows);
  add_dry_friction(m, q, h, rows);
  add_actuators(m, q, springs, dynamics, h, rows);
  for (int w = 0; w < m.nweld; ++w) add_weld(m, welds, w, h, rows);
  const int nr = rows.size();
  problem.row_J.resize(nr, m.nv);
  for (auto* field : {&problem.row_offset, &problem.row_lower, &problem.row_upper, &problem.row_compliance,
                      &problem.row_radius, &problem.row_given})
    field->resize(nr);
  for (int r = 0; r < nr; ++r) {
    problem.row_J.row(r) = rows[r].J.transpose();
    problem.row_offset[r] = rows[r].offset;
    problem.row_lower[r] = rows[r].lower;
    problem.row_upper[r] = rows[r].upper;
    problem.row_compliance[r] = rows[r].compliance;
    problem.row_given[r] = rows[r].given;
    problem.row_radius[r] = rows[r].radius > 0.0 ? rows[r].radius : radius_of(m, rows[r].J);
  }
}

void prescribe_rows(DenseProblem& p) {
  if (p.prescribed.empty()) return;
  for (int i = 0; i < p.num_contacts(); ++i)
    if (!move_to_offset(p, p.J.middleRows(p.dimension * i, p.dimension),
                        p.offset.segment(p.dimension * i, p.dimension)))
      settle_contact(i, p);
  for (int r = 0; r < p.num_rows(); ++r)
    if (!move_to_offset(p, p.row_J.middleRows(r, 1), p.row_offset.segment(r, 1))) settle_row(r, p);
}

}  // namespace stiction::reference
