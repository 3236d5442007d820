#include "host/reference/patch_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "host/model/error.hpp"
#include "host/reference/contact_rows.hpp"
#include "host/reference/patch_equations.hpp"
#include "host/reference/patch_residual.hpp"
#include "host/reference/patch_scene.hpp"

namespace stiction::reference {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

/// Points of a body move by at most this many times its speed and step, the contact's impulse included [-].
constexpr double kReach = 4.0;
/// An ECP this near to a face lies on it [m].
constexpr double kOnFace = 1e-7;

bool moves(const Model& m, int g) { return m.body_last_dof[m.geom_body[g]] >= 0; }

/// The geom's place in the frame of its body, or in the world if that does not move, from the centre of mass.
PatchShape make_shape(const Model& m, int g) {
  const Eigen::Map<const Vector3d> size(&m.geom_size[3 * g]);
  const double* q = &m.geom_quat[4 * g];
  const Vector3d from_body(m.geom_pos[3 * g], m.geom_pos[3 * g + 1], m.geom_pos[3 * g + 2]);
  const Vector3d arm =
      moves(m, g) ? Vector3d(Quaterniond(q[0], q[1], q[2], q[3]).conjugate() * from_body) : Vector3d(Vector3d::Zero());
  switch (static_cast<GeomType>(m.geom_type[g])) {
    case GeomType::kPlane:
      return make_half_space();
    case GeomType::kCylinder:
      return make_cylinder(2.0 * size[1], size[0]);
    case GeomType::kBox:
      return make_polytope(make_box(2.0 * size).corners.colwise() + arm);
    default: {
      const int mesh = m.geom_mesh[g];
      const Eigen::Map<const Eigen::Matrix3Xd> corners(&m.mesh_vert[3 * m.mesh_vert_adr[mesh]], 3,
                                                       m.mesh_vert_num[mesh]);
      return make_polytope(corners.colwise() + arm);
    }
  }
}

/// All numbers that the shapes in the frames of their bodies depend on.
std::vector<double> shape_numbers(const Model& m) {
  std::vector<double> numbers = m.geom_size;
  numbers.insert(numbers.end(), m.geom_pos.begin(), m.geom_pos.end());
  numbers.insert(numbers.end(), m.geom_quat.begin(), m.geom_quat.end());
  numbers.insert(numbers.end(), m.geom_mesh.begin(), m.geom_mesh.end());
  return numbers;
}

PatchPose<double> pose_at(const Quaterniond& rotation, const Vector3d& position) {
  return {rotation.toRotationMatrix(), position};
}

/// The largest residual: impulses over that of the step, lengths in metres.
double largest_residual(const PatchProblem& problem, const PatchSolution& solution) {
  const PatchResidual r = patch_residual(problem, solution);
  const double impulse = patch_scale(problem).impulse;
  return std::max({r.motion / impulse, r.friction / impulse, r.configuration, r.points, r.gap, r.normal});
}

/// M-weighted square of how far a body's motion is from its flight [J].
double work_against(const PatchBody& body, const Vector6d& flight, const Vector6d& velocity) {
  const Vector6d change = velocity - flight;
  const Vector3d turn = body.rotation.conjugate() * change.tail<3>();
  return body.fixed ? 0.0 : body.mass * change.head<3>().squaredNorm() + turn.dot(body.inertia * turn);
}

/// The faces of a shape on which the world point lies; at least 1.
int count_faces(const PatchShape& shape, const Quaterniond& rotation, const Vector3d& position, const Vector3d& point) {
  const ShapeValues values = shape_values(shape, rotation.conjugate() * (point - position));
  return std::max<int>(1, (values.f.array().abs() <= kOnFace).count());
}

}  // namespace

PatchStepper::PatchStepper(const Scene& scene)
    : h_(scene.step_size), frictionless_(!has_friction(scene.physics.law)), impulses_(scene.impulses) {
  shape_geoms(*scene.model);
}

void PatchStepper::shape_geoms(const Model& m) {
  const std::vector<double> shapes = shape_numbers(m);
  if (shapes_ == shapes) return;
  shapes_ = shapes;
  movers_.assign(m.ngeom, {});
  for (int i = 0; i < 2 * m.npair; ++i) {
    Mover& mover = movers_[m.pair_geom[i]];
    if (!mover.start.shape.faces.empty()) continue;
    try {
      mover.start.shape = make_shape(m, m.pair_geom[i]);
    } catch (const InputError& error) {
      throw InputError("device reference: geom '" + m.geom_names[m.pair_geom[i]] + "': " + error.what());
    }
  }
}

void PatchStepper::place_geoms(const ReferenceEnvironment& e) {
  const Model& m = e.model;
  const Kinematics kinematics = e.poses();
  for (int g = 0; g < m.ngeom; ++g) {
    Mover& mover = movers_[g];
    PatchBody& body = mover.start;
    const int b = m.geom_body[g];
    body.fixed = !moves(m, g);
    body.rotation = Quaterniond(kinematics.geom[g].R).normalized();
    body.position = body.fixed ? kinematics.geom[g].p : kinematics.com[b];
    body.velocity.setZero(), body.applied.setZero();
    mover.pair = -1, mover.velocity.setZero(), mover.position = body.position, mover.rotation = body.rotation;
    if (body.fixed) continue;
    body.mass = m.body_mass[b];
    body.inertia = kinematics.geom[g].R.transpose() * kinematics.inertia[b] * kinematics.geom[g].R;
    const int dof = m.joint_dof_adr[m.body_joint_adr[b]];
    body.velocity << e.qvel.segment<3>(dof), kinematics.body[b].R * e.qvel.segment<3>(dof + 3);
    for (const Impulse& impulse : impulses_)
      if (impulse.body == b && impulse.step == std::lround(e.time / h_))
        body.applied += Eigen::Map<const Vector6d>(impulse.value.data());
    body.applied += h_ * Eigen::Map<const Vector6d>(e.applied_wrench.data() + 6 * static_cast<std::size_t>(b));
    fly(mover);
  }
}

void PatchStepper::fly(Mover& mover) const {
  PatchProblem problem;
  problem.F = mover.start, problem.h = h_, problem.gravity = gravity_;
  problem.G.shape = make_half_space(), problem.G.fixed = true;
  mover.velocity = fly_alone(problem);
  const PatchPose<double> end = end_pose<double>(mover.start, h_, mover.velocity);
  mover.position = end.position, mover.rotation = Quaterniond(end.rotation);
}

PatchProblem PatchStepper::problem_of(const Model& m, int pair) const {
  const int A = m.pair_geom[2 * pair], B = m.pair_geom[2 * pair + 1];
  PatchProblem problem;
  const bool A_moves = !movers_[A].start.fixed;
  problem.F = movers_[A_moves ? A : B].start, problem.G = movers_[A_moves ? B : A].start;
  problem.h = h_, problem.gravity = gravity_;
  const Vector3d mu = frictionless_ ? Vector3d(Vector3d::Zero()) : friction_of(m, pair);
  problem.friction = mu[0];
  if (mu[0] > 0.0) problem.ellipsoid[2] = mu[2] / mu[0];
  problem.reach = kReach * h_ * patch_scale(problem).speed;
  return problem;
}

double PatchStepper::gap_at_end(const Model& m, int pair) const {
  const Mover *F = &movers_[m.pair_geom[2 * pair]], *G = &movers_[m.pair_geom[2 * pair + 1]];
  if (F->start.fixed) std::swap(F, G);
  return separation(F->start.shape, pose_at(F->rotation, F->position), G->start.shape,
                    pose_at(G->rotation, G->position));
}

bool PatchStepper::overlaps(const Model& m, int pair) const {
  double size = 0.0;
  for (int side = 0; side < 2; ++side) {
    const PatchShape& shape = movers_[m.pair_geom[2 * pair + side]].start.shape;
    if (shape.is_bounded()) size += shape_reach(shape);
  }
  return gap_at_end(m, pair) < -kTouching * size;
}

void PatchStepper::check_alone(const ReferenceEnvironment& e, int pair, int geom) const {
  const int other = movers_[geom].pair;
  if (movers_[geom].start.fixed || other < 0 || other == pair) return;
  const Model& m = e.model;
  const auto partner = [&](int p) {
    return m.geom_names[m.pair_geom[2 * p] == geom ? m.pair_geom[2 * p + 1] : m.pair_geom[2 * p]];
  };
  char when[96];
  std::snprintf(when, sizeof when, "in the step from %.6g s ", e.time);
  throw InputError(std::string("device reference: ") + when + "geom '" + m.geom_names[geom] + "' touches '" +
                   partner(other) + "' and '" + partner(pair) +
                   "', and the reference steps a body with one patch; end before that (--duration), or choose another "
                   "device (compare: --b cpu --solver-b NAME)");
}

void PatchStepper::touch(const ReferenceEnvironment& e, int pair) {
  const int geoms[2] = {e.model.pair_geom[2 * pair], e.model.pair_geom[2 * pair + 1]};
  for (const int g : geoms) check_alone(e, pair, g);
  const PatchProblem problem = problem_of(e.model, pair);
  const int F = movers_[geoms[0]].start.fixed ? 1 : 0;
  Mover &first = movers_[geoms[F]], &second = movers_[geoms[1 - F]];
  first.pair = second.pair = pair;
  const std::vector<PatchSolution> solutions = every_patch_step(problem);
  if (solutions.empty()) {
    status_ = status::kNoSolutionFound;
    return;
  }
  const auto work = [&](const PatchSolution& s) {
    return work_against(first.start, first.velocity, s.velocity_F) +
           work_against(second.start, second.velocity, s.velocity_G);
  };
  const PatchSolution solution = *std::min_element(
      solutions.begin(), solutions.end(), [&](const auto& s, const auto& other) { return work(s) < work(other); });
  first.velocity = solution.velocity_F, first.position = solution.position_F, first.rotation = solution.rotation_F;
  second.velocity = solution.velocity_G, second.position = solution.position_G, second.rotation = solution.rotation_G;
  residual_ = std::max(residual_, largest_residual(problem, solution));
  if (solution.impulse[0] > 0.0) read_out(e.model, pair, problem, solution);
}

void PatchStepper::read_out(const Model& m, int pair, const PatchProblem& problem, const PatchSolution& s) {
  PatchReadout& patch = patches.emplace_back();
  std::copy_n(&m.pair_geom[2 * pair], 2, patch.geom);
  const bool F_is_first = !movers_[patch.geom[0]].start.fixed;  // n of the solution points to F, of a patch to geom[1]
  const double sign = F_is_first ? -1.0 : 1.0;
  ContactInput at;
  at.pair = pair, at.p_A = at.p_B = s.ecp, at.normal = sign * s.axes.col(0);
  const Matrix3d frame = contact_frame(m, at).rows;
  Eigen::Map<Vector3d>(patch.point) = s.ecp;
  Eigen::Map<Matrix3d>(patch.frame[0]) = frame.transpose();  // the map is by columns
  Eigen::Map<Vector3d>(patch.force) = sign / problem.h * (frame * (s.axes * s.impulse.head<3>()));
  patch.torsion = s.impulse[3] / problem.h;  // sign is that of the axis and of the body at once
  const Mover& second = movers_[patch.geom[1]];
  patch.active_faces = count_faces(second.start.shape, second.rotation, second.position, s.ecp);
}

void PatchStepper::write_state(ReferenceEnvironment& e) const {
  const Model& m = e.model;
  for (int g = 0; g < m.ngeom; ++g) {
    const Mover& mover = movers_[g];
    if (mover.start.fixed) continue;
    const int joint = m.body_joint_adr[m.geom_body[g]], q = m.joint_qpos_adr[joint], v = m.joint_dof_adr[joint];
    const double* turn = &m.geom_quat[4 * g];
    Quaterniond body = mover.rotation * Quaterniond(turn[0], turn[1], turn[2], turn[3]).normalized().conjugate();
    const Eigen::Vector4d before = e.qpos.segment<4>(q + 3);
    Eigen::Vector4d after(body.w(), body.x(), body.y(), body.z());
    if (after.dot(before) < 0.0) after = -after;
    e.qpos.segment<3>(q) = mover.position;
    e.qpos.segment<4>(q + 3) = after.normalized();
    e.qvel.segment<3>(v) = mover.velocity.head<3>();
    e.qvel.segment<3>(v + 3) = body.conjugate() * mover.velocity.tail<3>();
  }
}

/// Moves all bodies from where place_geoms has them.
void PatchStepper::find_end(const ReferenceEnvironment& e) {
  const Model& m = e.model;
  std::vector<int> touching;
  for (int pair = 0; pair < m.npair; ++pair)
    if (overlaps(m, pair)) touching.push_back(pair);
  for (const int pair : touching) touch(e, pair);
  for (int pair = 0; pair < m.npair && status_ == status::kConverged; ++pair)
    if (overlaps(m, pair))
      for (int side = 0; side < 2; ++side) check_alone(e, pair, m.pair_geom[2 * pair + side]);
}

std::uint32_t PatchStepper::step(ReferenceEnvironment& e) {
  patches.clear();
  e.contacts.clear();
  e.violation = e.penetration = e.hover = e.position_residual = 0.0;
  e.rows = 0;
  e.last_ctrl.reset();
  const Eigen::Map<const Eigen::VectorXd> wrench(e.applied_wrench.data(), 6 * e.model.nbody);
  const bool finite = e.qpos.allFinite() && e.qvel.allFinite() && wrench.allFinite();
  status_ = finite ? status::kConverged : status::kNotFinite;
  residual_ = 0.0;
  if (status_ == status::kConverged) {
    check_patch_forces(e.model);  // dampers may have been written since the start
    gravity_ = Eigen::Map<const Vector3d>(e.model.gravity.data());
    shape_geoms(e.model);
    place_geoms(e);
    find_end(e);
  }
  if (status_ == status::kConverged) {
    write_state(e);
    for (int pair = 0; pair < e.model.npair; ++pair)
      e.penetration = std::max(e.penetration, -gap_at_end(e.model, pair));
  }
  e.time += h_;
  e.residual = residual_;
  return e.status = status_;
}

}  // namespace stiction::reference
