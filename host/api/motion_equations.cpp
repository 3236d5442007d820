#include "host/api/motion_equations.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/kinematics/inertia.hpp"
#include "kernels/team/host_team.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;

/// The model's own arrays as the kernels take them.
ModelView<double> view_of(const Model& model) {
  ModelView<double> view;
#define ST_COUNT(name) view.name = model.name;
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length) view.name = model.name.data();
#define ST_REAL(name, length) view.name = model.name.data();
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  view.mesh_vert_in_double = model.mesh_vert.data();
  view.mesh_face_normal_in_double = model.mesh_face_normal.data();
  return view;
}

/// A copy of an array of all environments.
class Rows {
 public:
  Rows(const Simulator& simulator, EnvField field) : values_(simulator.read(field)), length_(simulator.length(field)) {}
  double* of(int env) { return values_.data() + static_cast<std::size_t>(env) * length_; }

 private:
  std::vector<double> values_;
  std::size_t length_;
};

/// The environments, one placed after the other.
struct PresentState {
  explicit PresentState(const Simulator& simulator)
      : model(view_of(*simulator.scene().model)),
        batch(simulator.options().batch),
        qpos(simulator, EnvField::qpos),
        qvel(simulator, EnvField::qvel),
        mocap_pose(simulator, EnvField::mocap_pose),
        mocap_velocity(simulator, EnvField::mocap_velocity),
        mass(simulator, EnvField::body_mass),
        moments(simulator, EnvField::body_inertia),
        ipos(simulator, EnvField::body_ipos),
        iquat(simulator, EnvField::body_iquat),
        armature(simulator, EnvField::dof_armature),
        gravity(simulator, EnvField::gravity),
        uncarried(static_cast<std::size_t>(model.nbody), 0.0) {
    model.body_gravcomp = uncarried.data();
    Arena needed;
    take(needed);
    memory.resize(needed.used());
    Arena arena(memory.data());
    take(arena);
  }

  /// Calls visit(env) with the poses of every environment.
  template <class Visit>
  void each(Visit visit) {
    for (int env = 0; env < batch; ++env) {
      model.body_mass = mass.of(env), model.body_inertia = moments.of(env), model.gravity = gravity.of(env);
      model.body_ipos = ipos.of(env), model.body_iquat = iquat.of(env), model.dof_armature = armature.of(env);
      poses.settled = false;  // centres of mass of what stands may differ, too
      const double *q = qpos.of(env), *mocap = mocap_pose.of(env), *twist = mocap_velocity.of(env);
      update_poses<Team, double, double>(Team{}, model, q, mocap, poses);
      update_scripted_velocities<Team, double>(Team{}, model, twist, poses);
      visit(static_cast<std::size_t>(env));
    }
  }

  std::vector<double> zeros(std::size_t length) const {
    return std::vector<double>(static_cast<std::size_t>(batch) * length, 0.0);
  }
  std::size_t nv() const { return static_cast<std::size_t>(model.nv); }

  ModelView<double> model;
  Poses<double> poses;
  Inertia<double> inertia;
  int batch;
  Rows qpos, qvel, mocap_pose, mocap_velocity, mass, moments, ipos, iquat, armature, gravity;

 private:
  void take(Arena& arena) {
    poses = take_poses(model, arena);
    inertia = take_inertia(model, arena);
  }

  std::vector<double> uncarried;  // gravcomp, without any
  std::vector<char> memory;
};

/// Copies the blocks of all trees into a matrix (nv, nv).
void copy_blocks(const ModelView<double>& model, const Inertia<double>& inertia, double* M) {
  for (int t = 0; t < model.ntree; ++t) {
    const int n = model.tree_dof_num[t], first = model.tree_dof_adr[t];
    const double* block = inertia.M + inertia.tree_adr[t];
    for (int i = 0; i < n; ++i) std::copy_n(block + i * n, n, M + (first + i) * model.nv + first);
  }
}

/// Writes J (6, nv) of the world point p on `body`; zero for dofs that do not move it.
void write_jacobian(const PresentState& state, int body, const Vec3<double>& p, double* J) {
  const int nv = state.model.nv;
  for (int k = state.model.body_last_dof[body]; k >= 0; k = state.model.dof_parent[k]) {
    const Vec3<double> linear = dof_point_velocity(state.poses, k, p), angular = load3(state.poses.dof_ang + 3 * k);
    for (int row = 0; row < 3; ++row) J[row * nv + k] = linear[row], J[(3 + row) * nv + k] = angular[row];
  }
}

}  // namespace

std::vector<double> mass_matrix(const Simulator& simulator) {
  PresentState state(simulator);
  const std::size_t nv = state.nv();
  std::vector<double> M = state.zeros(nv * nv);
  state.each([&](std::size_t env) {
    update_mass_and_weight(Team{}, state.model, state.poses, state.inertia);
    copy_blocks(state.model, state.inertia, M.data() + env * nv * nv);
  });
  return M;
}

std::vector<double> bias_force(const Simulator& simulator) {
  PresentState state(simulator);
  const std::size_t nv = state.nv();
  std::vector<double> c = state.zeros(nv);
  state.each([&](std::size_t env) {
    update_mass_and_weight(Team{}, state.model, state.poses, state.inertia);
    update_bias(Team{}, state.model, state.poses, state.qvel.of(static_cast<int>(env)), state.inertia);
    for (std::size_t k = 0; k < nv; ++k) {
      const auto dof = static_cast<std::ptrdiff_t>(k);
      c[env * nv + k] = state.inertia.bias[dof] - state.inertia.weight[dof];
    }
  });
  return c;
}

std::vector<double> body_jacobian(const Simulator& simulator, int body, std::optional<std::array<double, 3>> point) {
  PresentState state(simulator);
  std::vector<double> J = state.zeros(6 * state.nv());
  state.each([&](std::size_t env) {
    const Poses<double>& poses = state.poses;
    Vec3<double> p = load3(poses.body_com + 3 * body);
    if (point)
      p = load3(poses.body_pos + 3 * body) + rotate(load_quat(poses.body_quat + 4 * body), load3(point->data()));
    write_jacobian(state, body, p, J.data() + env * 6 * state.nv());
  });
  return J;
}

std::vector<double> origin_velocity(const Simulator& simulator, int body) {
  PresentState state(simulator);
  std::vector<double> velocity = state.zeros(6);
  state.each([&](std::size_t env) {
    const Vec3<double> origin = load3(state.poses.body_pos + 3 * body);
    Vec3<double> angular, linear, carried_angular, carried_linear;
    body_velocity(state.model, state.poses, state.qvel.of(static_cast<int>(env)), body, origin, angular, linear);
    scripted_velocity(state.model, state.poses, body, origin, carried_angular, carried_linear);
    store3(velocity.data() + 6 * env, linear + carried_linear);
    store3(velocity.data() + 6 * env + 3, angular + carried_angular);
  });
  return velocity;
}

std::vector<double> origin_pose(const Simulator& simulator, int body) {
  PresentState state(simulator);
  std::vector<double> pose = state.zeros(7);
  state.each([&](std::size_t env) {
    std::copy_n(state.poses.body_pos + 3 * body, 3, pose.data() + 7 * env);
    std::copy_n(state.poses.body_quat + 4 * body, 4, pose.data() + 7 * env + 3);
  });
  return pose;
}

}  // namespace stiction
