#include "host/backend/initial_state.hpp"

#include <algorithm>

#include "host/backend/philox.hpp"
#include "kernels/linalg/rotation.hpp"

namespace stiction {
namespace {

enum Stream : std::uint32_t { kQposNoise, kFriction, kMassScale };

double draw(const Randomize& randomize, const Range& range, std::uint64_t id, Stream stream, int index) {
  const double share = uniform(randomize.seed, id, stream, static_cast<std::uint32_t>(index));
  return range.lower + share * (range.upper - range.lower);
}

/// Turns the quaternion at q by the rotation vector `turn` in the axes of its parent.
void turn_quaternion(double* q, const double* turn) {
  store_quat(q, normalise(exp_quat(load3(turn)) * normalise(load_quat(q))));
}

void add_joint_noise(const Model& model, const JointNoise& noise, const Randomize& randomize, std::uint64_t id,
                     std::vector<double>& qpos) {
  const std::size_t j = static_cast<std::size_t>(noise.joint);
  std::vector<double> offset;
  for (std::size_t i = 0; i < noise.half_width.size(); ++i) {
    const double half = noise.half_width[i];
    offset.push_back(draw(randomize, {-half, half}, id, kQposNoise, model.joint_dof_adr[j] + static_cast<int>(i)));
  }
  double* q = qpos.data() + model.joint_qpos_adr[j];
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  if (type == JointType::kBall) {
    turn_quaternion(q, offset.data());
  } else {
    const std::size_t shifts = type == JointType::kFree ? 3 : 1;
    for (std::size_t i = 0; i < shifts; ++i) q[i] += offset[i];
    if (type == JointType::kFree) turn_quaternion(q + 3, offset.data() + 3);
  }
}

std::vector<double> start_qpos(const Scene& scene, std::uint64_t id) {
  std::vector<double> qpos = scene.qpos;
  for (const JointNoise& noise : scene.randomize.qpos_noise)
    add_joint_noise(*scene.model, noise, scene.randomize, id, qpos);
  return qpos;
}

/// Poses of the mocap bodies at t = 0: those of the model, or of their tables if they have one.
std::vector<double> start_mocap(const Scene& scene) {
  std::vector<double> poses = scene.model->mocap_pose0;
  for (const MocapTrack& track : scene.mocap) {
    const MocapPose pose = track.pose_at(0.0);
    const int mocap = scene.model->body_mocap[static_cast<std::size_t>(track.body)];
    std::copy(pose.begin(), pose.end(), poses.begin() + 7 * mocap);
  }
  return poses;
}

void draw_friction(const Scene& scene, std::uint64_t id, int env, FieldWriter& out) {
  if (!scene.randomize.friction) return;
  std::vector<double> friction = scene.model->geom_friction;
  const double mu = draw(scene.randomize, *scene.randomize.friction, id, kFriction, 0);
  for (std::size_t i = 0; i < friction.size(); i += 3) friction[i] = mu;
  out.write(EnvField::geom_friction, env, friction);
}

/// True for bodies of trees without any actuator.
std::vector<bool> passive_bodies(const Model& model) {
  std::vector<bool> driven(static_cast<std::size_t>(model.ntree), false), passive;
  for (std::size_t k = 0; k < model.dof_tree.size(); ++k)
    if (model.dof_actuated[k]) driven[static_cast<std::size_t>(model.dof_tree[k])] = true;
  for (const int tree : model.body_tree) passive.push_back(tree >= 0 && !driven[static_cast<std::size_t>(tree)]);
  return passive;
}

void draw_masses(const Scene& scene, std::uint64_t id, int env, FieldWriter& out) {
  if (!scene.randomize.mass_scale) return;
  std::vector<double> mass = scene.model->body_mass, inertia = scene.model->body_inertia;
  const std::vector<bool> passive = passive_bodies(*scene.model);
  for (std::size_t b = 0; b < mass.size(); ++b) {
    if (!passive[b]) continue;
    const double scale = draw(scene.randomize, *scene.randomize.mass_scale, id, kMassScale, static_cast<int>(b));
    mass[b] *= scale;
    for (std::size_t i = 0; i < 3; ++i) inertia[3 * b + i] *= scale;
  }
  out.write(EnvField::body_mass, env, mass);
  out.write(EnvField::body_inertia, env, inertia);
}

}  // namespace

void write_start(const Scene& scene, std::uint64_t id, int env, FieldWriter& out) {
  const std::vector<double> ctrl = scene.command.sample(0.0, scene.model->nu);
  out.write(EnvField::qpos, env, start_qpos(scene, id));
  out.write(EnvField::qvel, env, scene.qvel);
  out.write(EnvField::ctrl, env, ctrl);
  out.write(EnvField::sampled_ctrl, env, ctrl);
  out.write(EnvField::mocap_pose, env, start_mocap(scene));
  out.write(EnvField::mocap_velocity, env, std::vector<double>(6 * static_cast<std::size_t>(scene.model->nmocap)));
  draw_friction(scene, id, env, out);
  draw_masses(scene, id, env, out);
  const double none = -1.0, zero = 0.0;
  out.write(EnvField::warm_count, env, {&none, 1});
  for (const EnvField field : {EnvField::holds_ctrl, EnvField::time, EnvField::status, EnvField::iterations,
                               EnvField::residual, EnvField::position_residual, EnvField::penetration, EnvField::hover,
                               EnvField::violation, EnvField::num_rows, EnvField::contact_count})
    out.write(field, env, {&zero, 1});
}

void write_initial_state(const Scene& scene, std::uint64_t id, int env, FieldWriter& out) {
#define ST_PARAMETER(name, length) out.write(EnvField::name, env, scene.model->name);
#include "kernels/model/env_parameters.inc"
#undef ST_PARAMETER
  write_start(scene, id, env, out);
}

}  // namespace stiction
