// Scripted motions and impulses of a scene: [[mocap]] and [[impulse]].
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/model/error.hpp"
#include "host/scene/mocap_track.hpp"
#include "host/scene/number_rows.hpp"
#include "host/scene/scene_sections.hpp"

namespace stiction {
namespace {

constexpr int kMostStep = std::numeric_limits<int>::max();

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

int moving_body(const TomlTable& table, const Model& model) {
  const int body = body_of(table, model);
  if (model.body_last_dof[body] < 0) {
    table.fail("body", "impulse.body = \"" + model.body_names[body] + "\" can not move");
  }
  return body;
}

/// The impulse of a table without a file.
Impulse read_impulse(const TomlTable& table, const Model& model) {
  const auto step = table.integer("step");
  if (!step)
    table.fail("step", "impulse.step is missing: the step, counted from 0, that applies it; or give a file of many");
  if (*step < 0 || *step > kMostStep) table.reject("step", "a step, at least 0");
  const int body = moving_body(table, model);
  const auto value = table.numbers("value", 6);
  if (!value) table.fail("value", "impulse.value is missing: linear [N s], then angular [N m s], world axes");
  Impulse impulse{static_cast<int>(*step), body, {}};
  std::copy_n(value->begin(), 6, impulse.value.begin());
  return impulse;
}

/// Appends an impulse on the body for every row `step, px, py, pz, tx, ty, tz` of the file.
void read_impulse_file(const std::string& file, int body, std::vector<Impulse>& impulses) {
  const std::string expected = "step, linear (3) [N s] and angular (3) [N m s], world axes";
  const std::vector<NumberRow> rows = read_number_rows(file, expected);
  for (const NumberRow& row : rows) check_width(row, 7, "7: " + expected);
  check_increasing(rows, "step");
  for (const NumberRow& row : rows) {
    const double step = row.values[0];
    if (step < 0.0 || step > kMostStep || step != std::floor(step))
      throw InputError(row.where + ": step " + print_number(step) + " must be a whole number from 0 to 2147483647");
    impulses.push_back({static_cast<int>(step), body, {}});
    std::copy_n(row.values.begin() + 1, 6, impulses.back().value.begin());
  }
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
    const TomlTable table(*entry, top.file(), "impulse", {"step", "body", "value", "file"});
    for (const char* key : {"step", "value"})
      if (table.has("file") && table.has(key))
        table.fail(key, table.name_of(key) + " excludes impulse.file, whose rows have it: leave one of them out");
    const auto file = table.text("file");
    if (file) {
      read_impulse_file(beside(top.file(), *file), moving_body(table, model), scene.impulses);
    } else {
      scene.impulses.push_back(read_impulse(table, model));
    }
  }
}

}  // namespace stiction
