#include "host/reference/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::reference {
namespace {

using Eigen::VectorXd;

constexpr double kSmallestReach = 1e-3;  // [m]
constexpr int kAttempts = 12;            // each with at least twice the reach: a factor of 4096

VectorXd to_eigen(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double largest_friction(const Model& m) {
  double mu = 0.0;
  for (int p = 0; p < m.npair; ++p) mu = std::max(mu, friction_of(m, p).maxCoeff());
  return mu;
}

/// Distance from a body's centre of mass to the farthest corner of its geoms' bounding boxes [m]; planes do not turn.
double farthest_point(const Model& m, const Kinematics& k, int body) {
  double farthest = 0.0;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_body[g] != body || static_cast<GeomType>(m.geom_type[g]) == GeomType::kPlane) continue;
    const Eigen::Map<const Eigen::Vector3d> center(&m.geom_box_center[3 * g]), half(&m.geom_box_half[3 * g]);
    const double offset = (k.geom[g].p + k.geom[g].R * center - k.com[body]).norm();
    farthest = std::max(farthest, offset + half.norm());
  }
  return farthest;
}

/// The farthest that a point of any body moves with velocity v in time h [m].
double largest_motion(const Model& m, const Kinematics& k, const VectorXd& v, double h) {
  double motion = 0.0;
  for (int b = 1; b < m.nbody; ++b) {
    const VectorXd twist = body_jacobian(m, k, b, k.com[b]) * v;
    motion = std::max(motion, h * (twist.head<3>().norm() + twist.tail<3>().norm() * farthest_point(m, k, b)));
  }
  return motion;
}

}  // namespace

ReferenceEnvironment::ReferenceEnvironment(const Scene& scene, ContactSource source)
    : qpos(to_eigen(scene.qpos)),
      qvel(to_eigen(scene.qvel)),
      mocap_pose(scene.model->mocap_pose0),
      model(*scene.model),
      physics_(scene.physics),
      command_(scene.command),
      step_size_(scene.step_size),
      tolerance_(scene.solver.tolerance),
      source_(std::move(source)) {}

std::uint32_t ReferenceEnvironment::step() {
  const VectorXd control = ctrl ? *ctrl : to_eigen(command_.sample(time + step_size_, model.nu));
  time += step_size_;
  contacts.clear();
  violation = penetration = hover = 0.0;
  if (!qpos.allFinite() || !control.allFinite()) return status = status::kNotFinite;
  const Kinematics kinematics = forward_kinematics(model, qpos, mocap_pose);
  std::vector<ContactInput> points;
  status = solve_with_enough_reach(kinematics, control, points);
  if (status & status::kStateKept) return status;
  read_out(points);
  qvel = answer.solution.v;
  qpos = integrate(model, qpos, qvel, step_size_);
  measure_penetration();
  return status;
}

DenseProblem ReferenceEnvironment::assemble(const Kinematics& kinematics, const std::vector<ContactInput>& points,
                                            const VectorXd& control) const {
  DenseProblem out;
  out.step_size = step_size_;
  out.facets = physics_.facets;
  write_motion(model, kinematics, qpos, control, physics_, out);
  write_contact_rows(model, kinematics, points, out);
  write_general_rows(model, qpos, control, out);
  return out;
}

/// The motion that the actuators ask for, at the farthest point of the body that it moves most, from both sides.
double ReferenceEnvironment::first_reach(const Kinematics& kinematics, const VectorXd& control) const {
  if (physics_.contact_distance) return *physics_.contact_distance;
  VectorXd asked = VectorXd::Zero(model.nv);
  for (int a = 0; a < model.nu; ++a) {
    const ActuatorForce f = actuator_force(model, qpos, control, a);
    const double give = step_size_ * step_size_ * f.kp + step_size_ * f.kv, size = f.gradient.squaredNorm();
    if (give > 0.0 && size > 0.0) asked += (step_size_ * f.force / give / size) * f.gradient;
  }
  const double motion = largest_motion(model, kinematics, asked, step_size_);
  return 2.0 * (1.0 + largest_friction(model)) * motion + kSmallestReach;
}

/// What the step must have seen for its answer to hold.
double ReferenceEnvironment::reach_needed(const Kinematics& kinematics) const {
  const double motion = largest_motion(model, kinematics, answer.solution.v, step_size_);
  return 2.0 * (1.0 + largest_friction(model)) * motion;
}

std::uint32_t ReferenceEnvironment::solve_with_enough_reach(const Kinematics& kinematics, const VectorXd& control,
                                                            std::vector<ContactInput>& points) {
  double reach = first_reach(kinematics, control);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    points = source_(model, kinematics, reach);
    problem = assemble(kinematics, points, control);
    answer = solve_contacts(problem);
    residual = answer.residual;
    violation = answer.violation;
    const bool sees_all = std::isinf(reach);
    if (answer.status == QpStatus::kUnbounded) {
      if (sees_all) return status::kUnbounded;
      reach = std::numeric_limits<double>::infinity();
      continue;
    }
    if (!answer.solution.v.allFinite()) return status::kNotFinite;
    const double needed = reach_needed(kinematics);
    if (sees_all || needed < reach || model.npair == 0) {
      if (answer.status == QpStatus::kInfeasible) return status::kInfeasible;
      return residual <= tolerance_ ? status::kConverged : status::kStalled;
    }
    reach = std::max(2.0 * reach, 1.01 * needed);
  }
  return status::kReachExceeded;
}

void ReferenceEnvironment::read_out(const std::vector<ContactInput>& points) {
  rows = static_cast<int>(points.size()) * physics_.facets + problem.num_rows();
  const double loaded =
      1e-6 *
      std::max(answer.solution.lambda.size() ? answer.solution.lambda.cwiseAbs().maxCoeff() : 0.0, step_size_ * 1e-3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Index row = 3 * static_cast<Eigen::Index>(i);
    const ContactFrame frame = contact_frame(model, points[i]);
    const double next = frame.gap + step_size_ * problem.J.row(row).dot(answer.solution.v);
    const Eigen::Vector3d lambda = answer.solution.lambda.segment<3>(row);
    contacts.push_back({points[i].pair, frame, next, lambda / step_size_});
    if (lambda[0] > loaded) hover = std::max(hover, next);
  }
}

void ReferenceEnvironment::measure_penetration() {
  const Kinematics after = forward_kinematics(model, qpos, mocap_pose);
  for (const ContactInput& point : source_(model, after, 0.0))
    penetration = std::max(penetration, -contact_frame(model, point).gap);
}

}  // namespace stiction::reference
