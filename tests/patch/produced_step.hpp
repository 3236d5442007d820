// One step of a PatchProblem by the simulator, as a PatchSolution of the reference: what it moves and transmits,
// without the names of features.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "host/api/simulator.hpp"
#include "host/reference/patch_step.hpp"
#include "host/scene/scene.hpp"
#include "tests/support/ecp.hpp"

namespace stiction::test {

namespace produced_detail {

inline std::string numbers(const double* x, Eigen::Index count) {
  std::string text;
  char number[40];
  for (Eigen::Index i = 0; i < count; ++i) {
    std::snprintf(number, sizeof number, "%.17g ", x[i]);
    text += number;
  }
  return text;
}

inline std::string numbers(const Eigen::Vector3d& x) { return numbers(x.data(), 3); }

inline std::string quaternion(const Eigen::Quaterniond& q) {
  const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
  return numbers(wxyz, 4);
}

/// The edge lengths of a box whose axes are those of its body; zero for anything else.
inline Eigen::Vector3d box_size(const reference::PatchShape& shape) {
  if (shape.corners.cols() != 8 || shape.faces.size() != 6) return Eigen::Vector3d::Zero();
  const Eigen::Vector3d half = shape.corners.col(0).cwiseAbs();
  for (Eigen::Index k = 0; k < 8; ++k)
    if (shape.corners.col(k).cwiseAbs() != half) return Eigen::Vector3d::Zero();
  return 2.0 * half;
}

inline std::string geom(const std::string& name, const reference::PatchShape& shape) {
  const std::string start = "<geom name='" + name + "' contype='0' conaffinity='0' type='";
  if (shape.is_cylinder()) {
    const double size[] = {shape.radius, 0.5 * shape.length};
    return start + "cylinder' size='" + numbers(size, 2) + "'/>";
  }
  if (!shape.is_bounded()) return start + "plane' size='0 0 1'/>";
  const Eigen::Vector3d size = box_size(shape);
  if (size.norm() > 0.0) return start + "box' size='" + numbers(0.5 * size) + "'/>";
  return start + "mesh' mesh='" + name + "'/>";
}

inline std::string mesh(const std::string& name, const reference::PatchShape& shape) {
  if (shape.is_cylinder() || !shape.is_bounded() || box_size(shape).norm() > 0.0) return "";
  return "<mesh name='" + name + "' vertex='" + numbers(shape.corners.data(), shape.corners.size()) + "'/>";
}

inline std::string body(const std::string& name, const reference::PatchBody& b) {
  if (!b.shape.is_bounded()) return geom(name, b.shape);
  std::string text =
      "<body name='" + name + "' pos='" + numbers(b.position) + "' quat='" + quaternion(b.rotation) + "'>";
  if (!b.fixed) {
    const double mass[] = {b.mass};
    text += "<freejoint/><inertial pos='0 0 0' mass='" + numbers(mass, 1) + "' diaginertia='" +
            numbers(Eigen::Vector3d(b.inertia.diagonal())) + "'/>";
  }
  return text + geom(name, b.shape) + "</body>";
}

inline std::string model_text(const reference::PatchProblem& p) {
  const Eigen::Vector3d mu = p.friction * p.ellipsoid;
  return "<mujoco><compiler angle='radian' balanceinertia='false'/><option gravity='" + numbers(p.gravity) +
         "'/><asset>" + mesh("F", p.F.shape) + mesh("G", p.G.shape) + "</asset><worldbody>" + body("G", p.G) +
         body("F", p.F) + "</worldbody><contact><pair geom1='G' geom2='F' condim='4' friction='" + numbers(mu) +
         "0 0'/></contact></mujoco>";
}

inline int find_name(const std::vector<std::string>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int>(i);
  return -1;
}

/// The free joint of a body; -1 if it is fixed.
inline int joint_of(const Model& model, const std::string& name) {
  const int b = find_name(model.body_names, name);
  for (int j = 0; j < model.njoint; ++j)
    if (b >= 0 && model.joint_body[static_cast<std::size_t>(j)] == b) return j;
  return -1;
}

/// A mesh keeps its vertices in single precision: the shape that the model has.
inline void take_shape(const Model& model, const std::string& name, reference::PatchShape& shape) {
  const auto g = static_cast<std::size_t>(find_name(model.geom_names, name));
  if (model.geom_type[g] != static_cast<int>(GeomType::kMesh)) return;
  const auto m = static_cast<std::size_t>(model.geom_mesh[g]);
  const double* q = model.geom_quat.data() + 4 * g;
  const Eigen::Quaterniond turn(q[0], q[1], q[2], q[3]);
  const Eigen::Vector3d at(model.geom_pos.data() + 3 * g);
  Eigen::Matrix3Xd corners(3, model.mesh_vert_num[m]);
  for (Eigen::Index k = 0; k < corners.cols(); ++k)
    corners.col(k) = at + turn * Eigen::Vector3d(model.mesh_vert.data() + 3 * (model.mesh_vert_adr[m] + k));
  shape = reference::make_polytope(corners);
}

inline void start_body(const Model& model, const std::string& name, const reference::PatchBody& b, Scene& scene) {
  const int j = joint_of(model, name);
  if (j < 0) return;
  const int v = model.joint_dof_adr[static_cast<std::size_t>(j)];
  const Eigen::Vector3d spin = b.rotation.conjugate() * b.velocity.tail<3>();
  for (int i = 0; i < 3; ++i) {
    scene.qvel[static_cast<std::size_t>(v + i)] = b.velocity[i];
    scene.qvel[static_cast<std::size_t>(v + 3 + i)] = spin[i];
  }
  Impulse impulse{0, find_name(model.body_names, name), {}};
  for (int i = 0; i < 6; ++i) impulse.value[static_cast<std::size_t>(i)] = b.applied[i];
  scene.impulses.push_back(impulse);
}

inline void take_motion(const Simulator& simulator, const Model& model, const std::string& name,
                        const reference::PatchBody& b, reference::Vector6d& velocity, Eigen::Vector3d& position,
                        Eigen::Quaterniond& rotation) {
  position = b.position, rotation = b.rotation;
  const int j = joint_of(model, name);
  if (j < 0) return;
  const std::vector<double> qpos = simulator.qpos(), qvel = simulator.qvel();
  const double* q = qpos.data() + model.joint_qpos_adr[static_cast<std::size_t>(j)];
  const double* v = qvel.data() + model.joint_dof_adr[static_cast<std::size_t>(j)];
  position = Eigen::Vector3d(q[0], q[1], q[2]);
  rotation = Eigen::Quaterniond(q[3], q[4], q[5], q[6]);
  velocity.head<3>() = Eigen::Vector3d(v[0], v[1], v[2]);
  velocity.tail<3>() = b.rotation * Eigen::Vector3d(v[3], v[4], v[5]);
}

/// σ of (9).
inline double slip_at(const reference::PatchProblem& p, const reference::PatchSolution& s) {
  const auto velocity = [&](const reference::Vector6d& v, const Eigen::Vector3d& at) {
    return Eigen::Vector3d(v.head<3>() + v.tail<3>().cross(s.ecp - at));
  };
  const Eigen::Vector3d w =
      s.axes.transpose() * (velocity(s.velocity_F, s.position_F) - velocity(s.velocity_G, s.position_G));
  const double spin = s.axes.col(0).dot(s.velocity_F.tail<3>() - s.velocity_G.tail<3>());
  return Eigen::Vector3d(p.ellipsoid[0] * w[1], p.ellipsoid[1] * w[2], p.ellipsoid[2] * spin).norm();
}

}  // namespace produced_detail

/// How a step is taken.
struct ProducedOptions {
  SolverName solver = SolverName::kNewton;
  double tolerance = 1e-11;
};

/// The scene of a problem, with the preset `ecp`. Meshes of `problem` become those of the model.
inline Scene produced_scene(const ProducedOptions& options, reference::PatchProblem& problem) {
  using namespace produced_detail;
  Scene scene = make_scene(std::make_shared<const Model>(load_model_text(model_text(problem))), "patch");
  const Model& model = *scene.model;
  take_shape(model, "F", problem.F.shape);
  take_shape(model, "G", problem.G.shape);
  choose_ecp(scene.physics);
  scene.solver.name = options.solver;
  scene.solver.tolerance = options.tolerance;
  scene.step_size = scene.duration = problem.h;
  start_body(model, "F", problem.F, scene);
  start_body(model, "G", problem.G, scene);
  return scene;
}

struct ProducedStep {
  reference::PatchSolution solution;  // `consistent` is 1 if the step converged
  std::uint32_t status;
  int rounds, iterations;
  int patches;  // number of patches that carry
};

/// What the simulator's first step of a problem moves and transmits.
inline ProducedStep read_step(const Simulator& simulator, std::uint32_t status,
                              const reference::PatchProblem& problem) {
  using namespace produced_detail;
  const Model& model = *simulator.scene().model;
  const StepStats stats = simulator.stats();
  ProducedStep step{{}, status, stats.rounds[0], stats.iterations[0], 0};
  reference::PatchSolution& s = step.solution;
  s.consistent = status == status::kConverged ? 1 : 0;
  take_motion(simulator, model, "F", problem.F, s.velocity_F, s.position_F, s.rotation_F);
  take_motion(simulator, model, "G", problem.G, s.velocity_G, s.position_G, s.rotation_G);
  const ContactArrays c = simulator.contacts();
  const double sign = c.count[0] > 0 && model.geom_names[static_cast<std::size_t>(c.geom[0])] == "F" ? -1.0 : 1.0;
  Eigen::Vector3d weighted = Eigen::Vector3d::Zero();
  for (int i = 0; i < c.count[0]; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Eigen::Map<const Eigen::Matrix3d> axes(c.frame.data() + 9 * at);  // columns: the rows n, t, o
    s.axes = sign * axes;
    for (int r = 0; r < 3; ++r) s.impulse[r] += problem.h * c.force[3 * at + static_cast<std::size_t>(r)];
    s.impulse[3] += problem.h * c.torsion[at];
    weighted += problem.h * c.force[3 * at] * Eigen::Vector3d(c.position.data() + 3 * at);
  }
  step.patches = s.impulse[0] > 0.0 ? 1 : 0;
  if (step.patches == 0) return step;
  s.ecp = weighted / s.impulse[0];
  s.feature.kind = reference::PatchFeatureKind::kFaceOnFace;  // they touch: the simulator does not say in what
  s.slip = slip_at(problem, s);
  return step;
}

inline ProducedStep produce_step(const ProducedOptions& options, reference::PatchProblem& problem) {
  Simulator simulator(produced_scene(options, problem), {.device = "cpu", .threads = 1});
  const std::uint32_t status = simulator.step()[0];
  return read_step(simulator, status, problem);
}

}  // namespace stiction::test
