#include "host/backend/initial_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "host/backend/philox.hpp"
#include "kernels/linalg/rotation.hpp"

namespace stiction {
namespace {

enum Stream : std::uint32_t { kQposNoise, kFriction, kMassScale };

/// Values of fields for a list of environments, kept until they are written.
class Rows {
 public:
  /// At least one environment.
  explicit Rows(const EnvironmentList& list) : list_(list) {}

  /// The same values for every environment of the list.
  void add(EnvField field, std::vector<double> values) {
    kept_.push_back(std::move(values));
    rows_.push_back({field, kept_.back()});
  }

  /// make(global id, variant) for every environment of the list.
  template <class Make>
  void add_each(EnvField field, Make make) {
    std::vector<double> all;
    for (std::size_t i = 0; i < list_.ids.size(); ++i) {
      const auto& own = make(list_.first_id + static_cast<std::uint64_t>(list_.ids[i]), list_.variants[i]);
      all.insert(all.end(), own.begin(), own.end());
    }
    add(field, std::move(all));
  }

  /// make(variant) for every environment of the list.
  template <class Make>
  void add_own(EnvField field, Make make) {
    const auto& variants = list_.variants;
    const bool alike = std::equal(variants.begin() + 1, variants.end(), variants.begin());
    if (!alike) return add_each(field, [&](std::uint64_t, int variant) -> decltype(auto) { return make(variant); });
    const auto& own = make(variants.front());
    add(field, {own.begin(), own.end()});
  }

  void write(FieldWriter& out) const { out.write(list_.ids, rows_); }

 private:
  const EnvironmentList& list_;
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

std::vector<double> noisy_qpos(const Scene& scene, std::uint64_t id, std::vector<double> qpos) {
  for (const JointNoise& noise : scene.randomize.qpos_noise)
    add_joint_noise(*scene.model, noise, scene.randomize, id, qpos);
  return qpos;
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
  rows.add_each(EnvField::geom_friction, [&](std::uint64_t id, int variant) {
    std::vector<double> friction = scene.own_model(variant).geom_friction;
    const double mu = draw(scene.randomize, *scene.randomize.friction, id, kFriction, 0);
    for (std::size_t i = 0; i < friction.size(); i += 3) friction[i] = mu;
    return friction;
  });
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
  const auto add = [&](EnvField field, std::vector<double> Model::*values) {
    rows.add_each(field, [&](std::uint64_t id, int variant) {
      return scaled(scene, id, drawn, scene.own_model(variant).*values);
    });
  };
  add(EnvField::body_mass, &Model::body_mass);
  add(EnvField::body_inertia, &Model::body_inertia);
}

StartState scene_start(const Scene& scene, int variant) {
  const Model& model = scene.own_model(variant);
  return {scene.own_qpos(variant), scene.own_qvel(variant), scene.command.sample(0.0, model.nu), model.mocap_pose0,
          model.act0};
}

/// What begins anew at a start, whatever the state is.
void add_empty_history(const Scene& scene, Rows& rows) {
  const Model& model = *scene.model;
  if (scene.variants.empty()) rows.add(EnvField::variant, {0.0});  // there is no other
  rows.add(EnvField::mocap_velocity, std::vector<double>(6 * static_cast<std::size_t>(model.nmocap)));
  rows.add(EnvField::applied_wrench, std::vector<double>(6 * static_cast<std::size_t>(model.nbody)));
  rows.add(EnvField::warm_count, {-1.0});
  for (const EnvField field : {EnvField::time, EnvField::status, EnvField::iterations, EnvField::residual,
                               EnvField::position_residual, EnvField::penetration, EnvField::hover, EnvField::violation,
                               EnvField::num_rows, EnvField::contact_count, EnvField::patch_count})
    rows.add(field, {0.0});
  rows.add(EnvField::qacc, std::vector<double>(static_cast<std::size_t>(model.nqacc), std::nan("")));
}

/// Writes the start of the environments; `start_of(variant)`: their state.
template <class StartOf>
void write_starts(const Scene& scene, const EnvironmentList& list, StartOf start_of, bool holds_ctrl,
                  FieldWriter& out) {
  if (list.ids.empty()) return;
  std::map<int, StartState> starts;
  for (const int variant : list.variants)
    if (!starts.count(variant)) starts.emplace(variant, start_of(variant));
  Rows rows(list);
  const auto add = [&](EnvField field, std::vector<double> StartState::*values) {
    rows.add_own(
        field, [&](int variant) -> const auto& { return starts.at(variant).*values; });
  };
  if (scene.randomize.qpos_noise.empty())
    add(EnvField::qpos, &StartState::qpos);
  else
    rows.add_each(EnvField::qpos, [&](std::uint64_t id, int v) { return noisy_qpos(scene, id, starts.at(v).qpos); });
  add(EnvField::qvel, &StartState::qvel);
  add(EnvField::ctrl, &StartState::ctrl);
  add(EnvField::act, &StartState::act);
  add(EnvField::sampled_ctrl, &StartState::ctrl);
  rows.add(EnvField::holds_ctrl, {holds_ctrl ? 1.0 : 0.0});
  rows.add_own(EnvField::mocap_pose, [&](int v) { return start_mocap(scene, starts.at(v).mocap_pose); });
  add_empty_history(scene, rows);
  draw_friction(scene, rows);
  draw_masses(scene, rows);
  rows.write(out);
}

/// Which variant the environments are to have, and have.
void add_variant_ids(Rows& rows) {
  for (const EnvField field : {EnvField::variant, EnvField::own_variant})
    rows.add_own(field, [](int variant) { return std::array<double, 1>{1.0 * variant}; });
}

/// An array of the model of every environment.
template <class Values>
void add_own_array(const Scene& scene, EnvField field, Values Model::*values, Rows& rows) {
  rows.add_own(field, [&](int variant) -> const Values& { return scene.own_model(variant).*values; });
}

#define ST_PARAMETER(name, length) add_own_array(scene, EnvField::name, &Model::name, rows);
#define ST_INT_PARAMETER(name, length) ST_PARAMETER(name, length)

void add_parameters_of_variants(const Scene& scene, Rows& rows) {
  add_variant_ids(rows);
#include "kernels/model/variant_parameters.inc"
}

void add_all_parameters(const Scene& scene, Rows& rows) {
  add_variant_ids(rows);
#include "kernels/model/env_parameters.inc"
}

#undef ST_INT_PARAMETER
#undef ST_PARAMETER

}  // namespace

void write_start(const Scene& scene, const EnvironmentList& list, FieldWriter& out) {
  write_starts(
      scene, list, [&](int variant) { return scene_start(scene, variant); }, false, out);
}

void write_keyframe(const Scene& scene, int k, const EnvironmentList& list, FieldWriter& out) {
  const bool commanded = has_own_command(scene);
  const auto start_of = [&](int variant) {
    StartState start = keyframe_start(scene.own_model(variant), k);
    if (commanded) start.ctrl = scene.command.sample(0.0, scene.model->nu);
    return start;
  };
  write_starts(scene, list, start_of, !commanded, out);
}

void write_variants(const Scene& scene, const EnvironmentList& list, FieldWriter& out) {
  if (list.ids.empty()) return;
  Rows rows(list);
  add_parameters_of_variants(scene, rows);
  rows.write(out);
}

void write_initial_state(const Scene& scene, std::uint64_t first_id, std::span<const int> ids, FieldWriter& out) {
  std::vector<int> variants;
  for (const int env : ids) variants.push_back(scene.first_variant(first_id + static_cast<std::uint64_t>(env)));
  const EnvironmentList list{first_id, ids, variants};
  Rows rows(list);
  add_all_parameters(scene, rows);
  rows.write(out);
  write_start(scene, list, out);
}

}  // namespace stiction
