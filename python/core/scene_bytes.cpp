// What is no line of a list is named field by field in a structured binding, so that a new field of the model or the
// scene does not compile until it is listed here. Numbers are written as they are in memory.
#include "python/core/scene_bytes.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "host/model/error.hpp"
#include "host/scene/scene_keys.hpp"

namespace stiction::python {
namespace {

template <class T>
struct IsPlain : std::bool_constant<std::is_arithmetic_v<T> || std::is_enum_v<T>> {};
template <class T, std::size_t N>
struct IsPlain<std::array<T, N>> : IsPlain<T> {};

/// Appends what is passed to it.
class Writer {
 public:
  template <class T>
  std::size_t length_of(const T& values) {
    std::size_t length = values.size();
    copy(&length, sizeof(length));
    return length;
  }
  bool has(bool value) { return copy(&value, sizeof(value)), value; }
  void copy(const void* from, std::size_t bytes) { text_.append(static_cast<const char*>(from), bytes); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Fills what is passed to it.
class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : rest_(bytes) {}

  template <class T>
  std::size_t length_of(T& values) {
    std::size_t length = 0;
    copy(&length, sizeof(length));
    if (length > rest_.size()) refuse();  // every value takes a byte or more
    values.resize(length);
    return length;
  }
  bool has(bool) {
    bool value = false;
    return copy(&value, sizeof(value)), value;
  }
  void copy(void* to, std::size_t bytes) {
    if (bytes > rest_.size()) refuse();
    if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw InputError("pickled scene: damaged, or of another build of stiction; load the scene anew");
  }
  std::span<const char> rest_;
};

template <class Archive, class... T>
void pass(Archive& archive, T&... values);

template <class Archive, class T>
void pass_one(Archive& archive, T& value) requires(IsPlain<T>::value) {
  archive.copy(&value, sizeof(value));
}

template <class Archive>
void pass_one(Archive& archive, std::string& text) {
  archive.length_of(text);
  archive.copy(text.data(), text.size());
}

template <class Archive, class T>
void pass_one(Archive& archive, std::vector<T>& values) {
  archive.length_of(values);
  if constexpr (IsPlain<T>::value)
    archive.copy(values.data(), values.size() * sizeof(T));
  else
    for (T& value : values) pass(archive, value);
}

template <class Archive, class T>
void pass_one(Archive& archive, std::optional<T>& value) {
  if (!archive.has(value.has_value())) return;
  if (!value) value.emplace();
  pass(archive, *value);
}

// --- the structures of a scene
// ----------------------------------------------------------------------------------------

template <class Archive>
void pass_one(Archive& archive, CommandKnots& knots) {
  auto& [time, ctrl] = knots;
  pass(archive, time, ctrl);
}

template <class Archive>
void pass_one(Archive& archive, MocapTrack& track) {
  auto& [body, time, pose, velocity] = track;
  pass(archive, body, time, pose, velocity);
}

template <class Archive>
void pass_one(Archive& archive, Impulse& impulse) {
  auto& [step, body, value] = impulse;
  pass(archive, step, body, value);
}

template <class Archive>
void pass_one(Archive& archive, JointNoise& noise) {
  auto& [joint, half_width] = noise;
  pass(archive, joint, half_width);
}

template <class Archive>
void pass_one(Archive& archive, Range& range) {
  auto& [lower, upper] = range;
  pass(archive, lower, upper);
}

template <class Archive>
void pass_one(Archive& archive, RestingOverlap& overlap) {
  auto& [geom, depth] = overlap;
  pass(archive, geom, depth);
}

template <class Archive>
void pass_one(Archive& archive, Bulge& bulge) {
  auto& [mesh, ratio] = bulge;
  pass(archive, mesh, ratio);
}

template <class Archive>
void pass_one(Archive& archive, ModelCamera& camera) {
  auto& [body, pos, quat, fovy, gap] = camera;
  pass(archive, body, pos, quat, fovy, gap);
}

template <class Archive>
void pass_one(Archive& archive, Model& model) {
#define ST_COUNT(field) field,
#define ST_INT(field, length) field,
#define ST_REAL(field, length) field,
  auto& [
#include "kernels/model/model_counts.inc"
#include "kernels/model/model_fields.inc"
      name, body_names, joint_names, geom_names, actuator_names, weld_names, site_names, sensor_names, sensor_gaps,
      camera_names, cameras, keyframe_names, keyframe_qpos, keyframe_qvel, keyframe_ctrl, keyframe_mocap, keyframe_act,
      geom_source_id, mocap_pose0, act0, resting_overlaps, bulges, timestep, left_out, ignored, world_is_robot, xml] =
      model;
  pass(archive,
#include "kernels/model/model_counts.inc"
#include "kernels/model/model_fields.inc"
       name, body_names, joint_names, geom_names, actuator_names, weld_names, site_names, sensor_names, sensor_gaps,
       camera_names, cameras, keyframe_names, keyframe_qpos, keyframe_qvel, keyframe_ctrl, keyframe_mocap, keyframe_act,
       geom_source_id, mocap_pose0, act0, resting_overlaps, bulges, timestep, left_out, ignored, world_is_robot, xml);
#undef ST_COUNT
#undef ST_INT
#undef ST_REAL
}

template <class Archive>
void pass_one(Archive& archive, Variant& variant) {
  auto& [name, model, qpos, qvel] = variant;
  pass(archive, name, model, qpos, qvel);
}

template <class Archive>
void pass_one(Archive& archive, std::shared_ptr<const Model>& model) {
  auto copy = model ? std::make_shared<Model>(*model) : std::make_shared<Model>();
  pass(archive, *copy);
  model = std::move(copy);
}

/// The values of scene_keys.inc, and what else a scene has. How its model was read (`reading`) is of no use once it is.
template <class Archive>
void pass_one(Archive& archive, Scene& scene) {
  for_each_scene_key([&](const auto& key) { pass(archive, key.field_of(scene)); });
  auto& [name, path, text, reading, model, physics, solver, step_size, duration, keyframe, qpos, qvel, command, mocap,
         impulses, randomize, variants] = scene;
  auto& [seed, qpos_noise, friction, mass_scale] = randomize;
  pass(archive, name, path, text, model, solver.start, keyframe, qpos, qvel, command, mocap, impulses, qpos_noise,
       friction, mass_scale, variants);
}

template <class Archive, class... T>
void pass(Archive& archive, T&... values) {
  (pass_one(archive, values), ...);
}

}  // namespace

std::string bytes_of(const Scene& scene) {
  Scene copy = scene;
  Writer writer;
  pass(writer, copy);
  return writer.take();
}

Scene scene_of_bytes(std::span<const char> bytes) {
  Scene scene;
  Reader reader(bytes);
  pass(reader, scene);
  reader.end();
  validate(scene);
  return scene;
}

}  // namespace stiction::python
