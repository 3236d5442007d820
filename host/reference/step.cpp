#include "host/reference/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/activation.hpp"
#include "host/reference/end_of_turn.hpp"
#include "host/reference/follow_carriers.hpp"
#include "host/reference/regions.hpp"

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
  for (int p = 0; p < m.npair; ++p) {
    const Eigen::Vector3d own = friction_of(m, p);
    const double radius = std::min(m.geom_radius[m.pair_geom[2 * p]], m.geom_radius[m.pair_geom[2 * p + 1]]);
    mu = std::max(mu, own.head<2>().maxCoeff() + own[2] / radius);  // torsion converted to the surface
  }
  return mu;
}

/// Distance from a body's centre of mass to the farthest corner of its geoms' bounding boxes [m]; planes do not turn.
double farthest_point(const Model& m, const Kinematics& k, int body) {
  double farthest = 0.0;
  for (int g = 0; g < m.ngeom; ++g) {
    const bool bounded = static_cast<GeomType>(m.geom_type[g]) != GeomType::kPlane && m.geom_mesh[g] != kSpareGeom;
    if (m.geom_body[g] != body || !bounded) continue;
    const Eigen::Map<const Eigen::Vector3d> center(&m.geom_box_center[3 * g]), half(&m.geom_box_half[3 * g]);
    const double offset = (k.geom[g].p + k.geom[g].R * center - k.com[body]).norm();
    farthest = std::max(farthest, offset + half.norm());
  }
  return farthest;
}

/// True if a joint moves farther than a step of first order can follow: it turns by more than 1 rad, or a free body
/// moves by more than a hundred times its size.
bool goes_too_far(const Model& m, double h, const VectorXd& qvel) {
  for (int j = 0; j < m.njoint; ++j) {
    const auto type = static_cast<JointType>(m.joint_type[j]);
    const int dof = m.joint_dof_adr[j], shifts = type == JointType::kFree ? 3 : 0;
    if (type == JointType::kSlide) continue;
    if (h * qvel.segment(dof + shifts, type == JointType::kHinge ? 1 : 3).norm() > 1.0) return true;
    if (type == JointType::kFree && h * qvel.segment(dof, 3).norm() > 100.0 * m.dof_radius[dof + 3]) return true;
  }
  return false;
}

/// The farthest that a point of any body moves with velocity v, or by its script, in time h [m].
double largest_motion(const Model& m, const Kinematics& k, const std::vector<double>& mocap_velocity, const VectorXd& v,
                      double h) {
  double motion = 0.0;
  for (int b = 1; b < m.nbody; ++b) {
    VectorXd twist = body_jacobian(m, k, b, k.com[b]) * v;
    twist += scripted_twist(m, k, mocap_velocity, b, k.com[b]);
    motion = std::max(motion, h * (twist.head<3>().norm() + twist.tail<3>().norm() * farthest_point(m, k, b)));
  }
  return motion;
}

}  // namespace

ReferenceEnvironment::ReferenceEnvironment(const Scene& scene, ContactSource source)
    : qpos(to_eigen(scene.qpos)),
      qvel(to_eigen(scene.qvel)),
      act(to_eigen(scene.model->act0)),
      mocap_pose(scene.model->mocap_pose0),
      mocap_velocity(6 * static_cast<std::size_t>(scene.model->nmocap), 0.0),
      applied_wrench(6 * static_cast<std::size_t>(scene.model->nbody), 0.0),
      model(*scene.model),
      physics_(scene.physics),
      command_(scene.command),
      tracks_(scene.mocap),
      impulses_(scene.impulses),
      start_(to_eigen(scene.solver.start)),
      step_size_(scene.step_size),
      tolerance_(scene.solver.tolerance),
      merges_regions_(merges_regions(scene)),
      source_(std::move(source)) {
  if (scene.solver.infeasible == InfeasibleStep::kKeep) keeps_state_ |= status::kInfeasible;
}

std::uint32_t ReferenceEnvironment::step() {
  for (int j = 0; j < model.nv; ++j)
    if (moves_frozen(model, j)) qvel[j] = 0.0;
  const VectorXd asked = asked_ctrl();
  const MotionState state = start_of_step();
  place_scripted_bodies(time);
  move_scripted_bodies(time);
  const Kinematics kinematics = poses();
  time += step_size_;
  place_scripted_bodies(time);
  contacts.clear();
  violation = penetration = hover = position_residual = 0.0;
  const bool moving = has_momentum(physics_.dynamics);
  if (!is_finite(state) || !asked.allFinite()) return status = status::kNotFinite;
  std::vector<ContactInput> points;
  status = solve_with_enough_reach(kinematics, state, points);
  if (status & keeps_state_) {
    last_ctrl.reset();
    return status;
  }
  const VectorXd taken = moving ? part(kinematics, points, state) : answer.solution.v;
  if (status & keeps_state_) {
    last_ctrl.reset();
    return status;
  }
  read_out(points);
  last_ctrl = state.springs.ctrl;
  act = next_activations(model, act, asked, step_size_);
  qvel = answer.solution.v;
  qpos = integrate(model, qpos, taken, step_size_, moving ? FreeMotion::kStraight : FreeMotion::kTwist);
  if (moving) qvel = end_velocity(model, {kinematics, state.springs.qvel, qvel, poses(), step_size_}, free_);
  if (fits_springs(physics_.dynamics))
    qpos = follow_carriers(model, kinematics, points, problem, answer.solution, taken, mocap_pose, qpos);
  measure_penetration();
  if (moving ? free_.beyond : goes_too_far(model, step_size_, qvel)) status |= status::kBeyondOrder;
  return status;
}

void ReferenceEnvironment::forward() {
  const MotionState state = start_of_step();
  place_scripted_bodies(time);
  move_scripted_bodies(time);
  const Kinematics kinematics = poses();
  const std::vector<ContactInput> points =
      find_points(kinematics, free_velocity(kinematics, state), first_reach(kinematics, state));
  problem = assemble(kinematics, points, state);
  answer.solution.v = VectorXd::Zero(model.nv);
  answer.solution.lambda = VectorXd::Zero(problem.dimension * problem.num_contacts());
  contacts.clear();
  hover = 0.0;
  read_out(points);
}

bool ReferenceEnvironment::is_finite(const MotionState& state) const {
  const bool moves = !has_momentum(physics_.dynamics) || qvel.allFinite();
  return moves && qpos.allFinite() && state.springs.ctrl.allFinite() && to_eigen(applied_wrench).allFinite();
}

VectorXd ReferenceEnvironment::asked_ctrl() const {
  return ctrl ? *ctrl : to_eigen(command_.sample(time + step_size_, model.nu));
}

/// The state at the start of the step, what drives the actuators at its end, and its impulses, those of wrenches
/// included.
MotionState ReferenceEnvironment::start_of_step() const {
  const VectorXd driven = drive(model, act, asked_ctrl(), step_size_);
  const VectorXd sampled = ctrl ? driven : to_eigen(command_.sample(time, model.nu));
  VectorXd last = ctrl ? last_ctrl.value_or(driven) : sampled;
  for (int a = 0; a < model.nu; ++a)
    if (model.actuator_act[a] >= 0) last[a] = last_ctrl.value_or(VectorXd::Zero(model.nu))[a];
  MotionState state{{qpos, qvel, driven, last}, {}};
  for (const Impulse& impulse : impulses_)
    if (impulse.step == std::lround(time / step_size_)) state.impulses.push_back(impulse);
  for (int b = 1; b < model.nbody; ++b) {
    Impulse push{0, b, {}};
    for (std::size_t i = 0; i < 6; ++i)
      push.value[i] = step_size_ * applied_wrench[6 * static_cast<std::size_t>(b) + i];
    if (push.value != std::array<double, 6>{}) state.impulses.push_back(push);
  }
  return state;
}

void ReferenceEnvironment::place_scripted_bodies(double t) {
  for (const MocapTrack& track : tracks_) {
    const MocapPose pose = track.pose_at(t);
    std::copy(pose.begin(), pose.end(), mocap_pose.begin() + 7 * model.body_mocap[track.body]);
  }
}

void ReferenceEnvironment::move_scripted_bodies(double t) {
  for (const MocapTrack& track : tracks_) {
    const MocapTwist twist = track.velocity_at(t, step_size_);
    std::copy(twist.begin(), twist.end(), mocap_velocity.begin() + 6 * model.body_mocap[track.body]);
  }
}

DenseProblem ReferenceEnvironment::assemble(const Kinematics& kinematics, const std::vector<ContactInput>& points,
                                            const MotionState& state) {
  DenseProblem out;
  out.step_size = step_size_;
  out.law = physics_.law;
  out.cone = physics_.cone;
  out.facets = physics_.facets;
  out.dimension = contact_dimension(model, physics_);
  out.trees.assign(model.tree_dof_num.begin(), model.tree_dof_num.end());
  const Motion motion = write_motion(model, kinematics, state, physics_, out);
  free_ = motion.free;
  write_contact_rows(model, kinematics, points, mocap_velocity, out);
  if (has_momentum(physics_.dynamics)) let_slide(model, points, qvel, physics_.threshold_speed, out);
  const WeldState welds{kinematics, mocap_velocity, qvel, has_momentum(physics_.dynamics), physics_.equality};
  write_general_rows(model, qpos, motion.springs, physics_.dynamics, welds, out);
  drop_frozen_columns(model, out);
  release_unmoved_rows(out);
  prescribe_rows(out);
  return out;
}

DenseProblem ReferenceEnvironment::velocity_problem(const Kinematics& kinematics,
                                                    const std::vector<ContactInput>& points, const MotionState& state) {
  const DenseProblem whole = assemble(kinematics, points, state);
  return has_momentum(physics_.dynamics) ? hold_overlaps(model, whole, points, dead_band(step_size_, tolerance_))
                                         : whole;
}

/// The motion along which positions move: that of the answer, changed so that it parts the overlaps that the answer
/// leaves.
VectorXd ReferenceEnvironment::part(const Kinematics& kinematics, const std::vector<ContactInput>& points,
                                    const MotionState& state) {
  const DenseProblem whole = assemble(kinematics, points, state);
  if (!leaves_overlap(model, whole, points, answer.solution.v, dead_band(step_size_, tolerance_).band))
    return answer.solution.v;
  Eigen::MatrixXd mass = mass_matrix(model, kinematics);
  keep_apart_frozen(model, 0, mass);
  const ContactAnswer parted = part_overlaps(whole, mass, answer.solution.v);
  position_residual = parted.residual;
  if (!parted.solution.v.allFinite()) {
    status = status::kNotFinite;
  } else if (parted.status == QpStatus::kInfeasible) {
    status = status::kInfeasible;
    violation = parted.violation;
  } else if (position_residual > tolerance_) {
    status = (status & ~status::kConverged) | status::kStalled;
  }
  VectorXd v = parted.solution.v;
  for (int j = 0; j < model.nv; ++j)
    if (moves_frozen(model, j)) v[j] = 0.0;
  return v;
}

/// One Jacobi step from the velocity at the start: v + diag(H)⁻¹ (g − H v), 0 where nothing holds or drives a dof.
FreeVelocity ReferenceEnvironment::free_velocity(const Kinematics& kinematics, const MotionState& state) {
  const DenseProblem alone = assemble(kinematics, {}, state);
  const VectorXd start = has_momentum(physics_.dynamics) ? qvel : VectorXd::Zero(model.nv).eval();
  const VectorXd rest = alone.g - alone.H * start;
  FreeVelocity out{start, mocap_velocity};
  for (int k = 0; k < model.nv; ++k)
    if (alone.H(k, k) > 0.0) out.dofs[k] += rest[k] / alone.H(k, k);
  return out;
}

/// The motion that the actuators ask for, plus that of momentum, at the farthest point of the body that moves most, and
/// twice, as both bodies of a pair may move.
double ReferenceEnvironment::first_reach(const Kinematics& kinematics, const MotionState& state) const {
  if (physics_.contact_distance) return *physics_.contact_distance;
  VectorXd asked = VectorXd::Zero(model.nv);
  if (has_momentum(physics_.dynamics)) asked = qvel;
  for (int a = 0; a < model.nu; ++a) {
    const ActuatorForce f = actuator_force(model, qpos, state.springs.ctrl, physics_.dynamics, a);
    const double give = step_size_ * step_size_ * f.kp + step_size_ * f.kv, size = f.gradient.squaredNorm();
    if (give > 0.0 && size > 0.0) asked += (step_size_ * f.force / give / size) * f.gradient;
  }
  const double motion = largest_motion(model, kinematics, mocap_velocity, asked, step_size_);
  return 2.0 * (1.0 + largest_friction(model)) * motion + kSmallestReach;
}

/// The gap up to which the step must have seen pairs for its answer to hold [m].
double ReferenceEnvironment::reach_needed(const Kinematics& kinematics) const {
  const double motion = largest_motion(model, kinematics, mocap_velocity, answer.solution.v, step_size_);
  return 2.0 * (1.0 + largest_friction(model)) * motion;
}

std::vector<ContactInput> ReferenceEnvironment::find_points(const Kinematics& kinematics, const FreeVelocity& free,
                                                            double reach) const {
  const std::vector<ContactInput> points = source_(model, kinematics, free, reach);
  return merges_regions_ ? keep_corners(model, kinematics, free, points) : points;
}

std::uint32_t ReferenceEnvironment::solve_with_enough_reach(const Kinematics& kinematics, const MotionState& state,
                                                            std::vector<ContactInput>& points) {
  double reach = first_reach(kinematics, state);
  const FreeVelocity free = free_velocity(kinematics, state);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    points = find_points(kinematics, free, reach);
    problem = velocity_problem(kinematics, points, state);
    answer = solve_contacts_near(problem, start_);
    for (int j = 0; j < problem.nv() && !problem.prescribed.empty(); ++j)
      if (problem.prescribed[j]) answer.solution.v[j] = problem.prescribed_velocity[j];
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
      if (residual <= tolerance_) return status::kConverged;
      return unsolved_status(physics_.law);
    }
    reach = std::max(2.0 * reach, 1.01 * needed);
  }
  return status::kReachExceeded;
}

void ReferenceEnvironment::read_out(const std::vector<ContactInput>& points) {
  rows = problem.num_contacts() * rows_per_contact(problem) + problem.num_rows();
  const double loaded =
      1e-6 *
      std::max(answer.solution.lambda.size() ? answer.solution.lambda.cwiseAbs().maxCoeff() : 0.0, step_size_ * 1e-3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Index d = problem.dimension, row = d * static_cast<Eigen::Index>(i);
    const ContactFrame frame = contact_frame(model, points[i]);
    const double next = frame.gap + step_size_ * (problem.J.row(row).dot(answer.solution.v) + problem.offset[row]);
    const Eigen::Vector3d lambda = answer.solution.lambda.segment<3>(row);
    ContactReadout& contact = contacts.emplace_back();
    std::copy_n(&model.pair_geom[2 * points[i].pair], 2, contact.geom);
    contact.gap = frame.gap;
    contact.gap_next = next;
    Eigen::Map<Eigen::Vector3d>(contact.position) = frame.position;
    Eigen::Map<Eigen::Matrix3d>(contact.frame[0]) = frame.rows.transpose();  // the map is by columns
    Eigen::Map<Eigen::Vector3d>(contact.friction) = friction_of(model, points[i].pair);
    if (model.pair_kinetic[points[i].pair] >= 0.0)
      for (int axis = 0; axis < 2; ++axis) contact.friction[axis] = problem.mu(static_cast<Eigen::Index>(i), axis);
    Eigen::Map<Eigen::Vector3d>(contact.force) = lambda / step_size_;
    contact.torsion = d == 4 ? problem.radius[i] * answer.solution.lambda[row + 3] / step_size_ : 0.0;
    if (lambda[0] > loaded) hover = std::max(hover, next);
  }
}

void ReferenceEnvironment::measure_penetration() {
  const Kinematics after = poses();
  for (const ContactInput& point : source_(model, after, {VectorXd::Zero(model.nv), {}}, 0.0))
    penetration = std::max(penetration, -contact_frame(model, point).gap);
}

}  // namespace stiction::reference
