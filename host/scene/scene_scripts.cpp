// Scripted motions and impulses of a scene: [[mocap]] and [[impulse]].
#include <algorithm>
#include <limits>

#include "host/model/error.hpp"
#include "host/scene/mocap_track.hpp"
#include "host/scene/scene_sections.hpp"

namespace stiction {
namespace {

/// The body that the entry names.
int body_of(const TomlTable& table, const Model& model) {
  const auto name = table.text("body");
  if (!name) table.fail("body", table.name_of("body") + " is missing");
  const auto found = std::find(model.body_names.begin(), model.body_names.end(), *name);
  if (found == model.body_names.end()) {
    table.fail("body", table.name_of("body") + " = \"" + *name + "\" is no body of the model; the nearest is \"" +
                           nearest(*name, model.body_names) + "\"");
  }
  return static_cast<int>(found - model.body_names.begin());
}

/// True if `body` or a body below it has joints.
bool carries_joints(const Model& model, int body) {
  std::vector<bool> rides(static_cast<std::size_t>(model.nbody), false);
  bool found = false;
  for (int b = body; b < model.nbody; ++b) {
    rides[b] = b == body || rides[model.body_parent[b]];
    found = found || (rides[b] && model.body_joint_num[b] > 0);
  }
  return found;
}

int scripted_body(const TomlTable& table, const Model& model, const Scene& scene) {
  const int body = body_of(table, model);
  const std::string said = "mocap.body = \"" + model.body_names[body] + "\"";
  if (model.body_mocap[body] < 0) table.fail("body", said + " is no mocap body: give it mocap=\"true\" in the model");
  if (carries_joints(model, body)) table.fail("body", said + " carries joints, which is not supported");
  const auto same = [&](const MocapTrack& other) { return other.body == body; };
  if (std::any_of(scene.mocap.begin(), scene.mocap.end(), same)) table.fail("body", said + " has two tables");
  return body;
}

}  // namespace

void read_mocap(const TomlTable& top, const Model& model, Scene& scene) {
  for (const toml::table* entry : top.tables("mocap")) {
    const TomlTable table(*entry, top.file(), "mocap", {"body", "file"});
    const int body = scripted_body(table, model, scene);
    const auto file = table.text("file");
    if (!file) table.fail("file", "mocap.file is missing: rows of time, position, quaternion and perhaps velocity");
    scene.mocap.push_back(read_mocap_file(beside(top.file(), *file), body));
  }
}

void read_impulses(const TomlTable& top, const Model& model, Scene& scene) {
  for (const toml::table* entry : top.tables("impulse")) {
    const TomlTable table(*entry, top.file(), "impulse", {"step", "body", "value"});
    const auto step = table.integer("step");
    if (!step) table.fail("step", "impulse.step is missing: the step, counted from 0, that applies it");
    if (*step < 0 || *step > std::numeric_limits<int>::max()) table.reject("step", "a step, at least 0");
    const int body = body_of(table, model);
    if (model.body_last_dof[body] < 0) {
      table.fail("body", "impulse.body = \"" + model.body_names[body] + "\" can not move");
    }
    const auto value = table.numbers("value", 6);
    if (!value) table.fail("value", "impulse.value is missing: linear [N s], then angular [N m s], world axes");
    Impulse impulse{static_cast<int>(*step), body, {}};
    std::copy_n(value->begin(), 6, impulse.value.begin());
    scene.impulses.push_back(impulse);
  }
}

}  // namespace stiction
