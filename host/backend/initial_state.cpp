#include "host/backend/initial_state.hpp"

#include <algorithm>
#include <cmath>

#include "host/backend/philox.hpp"
#include "kernels/linalg/rotation.hpp"

namespace stiction {
namespace {

enum Stream : std::uint32_t { kQposNoise, kFriction, kMassScale };

/// Values of fields for a list of environments, kept until they are written.
class Rows {
 public:
  Rows(std::uint64_t first_id, std::span<const int> ids) : first_id_(first_id), ids_(ids) {}

  /// `values`: those of every environment of the list, or of all of them.
  void add(EnvField field, std::vector<double> values) {
    kept_.push_back(std::move(values));
    rows_.push_back({field, kept_.back()});
  }

  /// Calls make(global id) for every environment of the list; returns its results, one behind the other.
  template <class Make>
  std::vector<double> joined(Make make) const {
    std::vector<double> all;
    for (const int env : ids_) {
      const std::vector<double> own = make(first_id_ + static_cast<std::uint64_t>(env));
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  void write(FieldWriter& out) const { out.write(ids_, rows_); }

 private:
  std::uint64_t first_id_;
  std::span<const int> ids_;
  std::vector<std::vector<double>> kept_;
  std::vector<FieldRows> rows_;
};

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

void add_qpos(const Scene& scene, const std::vector<double>& start, Rows& rows) {
  const auto noisy = [&](std::uint64_t id) {
    std::vector<double> qpos = start;
    for (const JointNoise& noise : scene.randomize.qpos_noise)
      add_joint_noise(*scene.model, noise, scene.randomize, id, qpos);
    return qpos;
  };
  rows.add(EnvField::qpos, scene.randomize.qpos_noise.empty() ? start : rows.joined(noisy));
}

/// Poses of the mocap bodies at t = 0: those of the start, or of their tables if they have one.
std::vector<double> start_mocap(const Scene& scene, std::vector<double> poses) {
  for (const MocapTrack& track : scene.mocap) {
    const MocapPose pose = track.pose_at(0.0);
    const int mocap = scene.model->body_mocap[static_cast<std::size_t>(track.body)];
    std::copy(pose.begin(), pose.end(), poses.begin() + 7 * mocap);
  }
  return poses;
}

void draw_friction(const Scene& scene, Rows& rows) {
  if (!scene.randomize.friction) return;
  rows.add(EnvField::geom_friction, rows.joined([&](std::uint64_t id) {
    std::vector<double> friction = scene.model->geom_friction;
    const double mu = draw(scene.randomize, *scene.randomize.friction, id, kFriction, 0);
    for (std::size_t i = 0; i < friction.size(); i += 3) friction[i] = mu;
    return friction;
  }));
}

/// True for bodies of trees without any actuator.
std::vector<bool> passive_bodies(const Model& model) {
  std::vector<bool> driven(static_cast<std::size_t>(model.ntree), false), passive;
  for (std::size_t k = 0; k < model.dof_tree.size(); ++k)
    if (model.dof_actuated[k]) driven[static_cast<std::size_t>(model.dof_tree[k])] = true;
  for (const int tree : model.body_tree) passive.push_back(tree >= 0 && !driven[static_cast<std::size_t>(tree)]);
  return passive;
}

/// `values` of every body, so many each, scaled as the masses are drawn.
std::vector<double> scaled(const Scene& scene, std::uint64_t id, const std::vector<bool>& drawn,
                           std::vector<double> values) {
  const std::size_t each = values.size() / drawn.size();
  for (std::size_t b = 0; b < drawn.size(); ++b) {
    if (!drawn[b]) continue;
    const double scale = draw(scene.randomize, *scene.randomize.mass_scale, id, kMassScale, static_cast<int>(b));
    for (std::size_t i = 0; i < each; ++i) values[each * b + i] *= scale;
  }
  return values;
}

void draw_masses(const Scene& scene, Rows& rows) {
  if (!scene.randomize.mass_scale) return;
  const std::vector<bool> drawn = passive_bodies(*scene.model);
  const auto add = [&](EnvField field, const std::vector<double>& values) {
    rows.add(field, rows.joined([&](std::uint64_t id) { return scaled(scene, id, drawn, values); }));
  };
  add(EnvField::body_mass, scene.model->body_mass);
  add(EnvField::body_inertia, scene.model->body_inertia);
}

StartState scene_start(const Scene& scene) {
  return {scene.qpos, scene.qvel, scene.command.sample(0.0, scene.model->nu), scene.model->mocap_pose0,
          scene.model->act0};
}

void add_start(const Scene& scene, const StartState& start, bool holds_ctrl, Rows& rows) {
  add_qpos(scene, start.qpos, rows);
  rows.add(EnvField::qvel, start.qvel);
  rows.add(EnvField::ctrl, start.ctrl);
  rows.add(EnvField::act, start.act);
  rows.add(EnvField::sampled_ctrl, start.ctrl);
  rows.add(EnvField::holds_ctrl, {holds_ctrl ? 1.0 : 0.0});
  rows.add(EnvField::mocap_pose, start_mocap(scene, start.mocap_pose));
  rows.add(EnvField::mocap_velocity, std::vector<double>(6 * static_cast<std::size_t>(scene.model->nmocap)));
  rows.add(EnvField::applied_wrench, std::vector<double>(6 * static_cast<std::size_t>(scene.model->nbody)));
  rows.add(EnvField::warm_count, {-1.0});
  for (const EnvField field : {EnvField::time, EnvField::status, EnvField::iterations, EnvField::residual,
                               EnvField::position_residual, EnvField::penetration, EnvField::hover, EnvField::violation,
                               EnvField::num_rows, EnvField::contact_count, EnvField::patch_count})
    rows.add(field, {0.0});
  rows.add(EnvField::qacc, std::vector<double>(static_cast<std::size_t>(scene.model->nqacc), std::nan("")));
  draw_friction(scene, rows);
  draw_masses(scene, rows);
}

}  // namespace

void write_start(const Scene& scene, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out) {
  Rows rows(first_id, ids);
  add_start(scene, scene_start(scene), false, rows);
  rows.write(out);
}

void write_keyframe(const Scene& scene, int k, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out) {
  StartState start = keyframe_start(*scene.model, k);
  const bool commanded = has_own_command(scene);
  if (commanded) start.ctrl = scene.command.sample(0.0, scene.model->nu);
  Rows rows(first_id, ids);
  add_start(scene, start, !commanded, rows);
  rows.write(out);
}

void write_initial_state(const Scene& scene, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out) {
  Rows parameters(first_id, ids);
#define ST_PARAMETER(name, length) parameters.add(EnvField::name, scene.model->name);
#include "kernels/model/env_parameters.inc"
#undef ST_PARAMETER
  parameters.write(out);
  write_start(scene, first_id, ids, out);
}

}  // namespace stiction
