// Where a scene starts and what it commands: model and attachments, initial state, control over time.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/model/error.hpp"
#include "host/scene/command_knots.hpp"
#include "host/scene/keyframes.hpp"
#include "host/scene/scene_keys.hpp"
#include "host/scene/scene_sections.hpp"

namespace stiction {
namespace {

TomlTable attach_table(const toml::table& entry, const std::string& file) {
  return {entry, file, "attach", {"model", "to", "pos", "quat", "prefix"}};
}

/// The models of an [[attach]] as written there: one, or those of its list.
std::vector<std::string> attached_models(const TomlTable& table) {
  if (!table.has("model")) table.fail("model", "attach.model is missing: name an MJCF or URDF file");
  const toml::array* list = table.raw()["model"].as_array();
  if (!list) return {*table.text("model")};
  std::vector<std::string> models;
  for (const toml::node& entry : *list) {
    models.push_back(entry.value<std::string>().value_or(""));
    if (models.back().empty()) table.fail("model", "attach.model: every entry of the list names an MJCF or URDF file");
  }
  if (models.empty()) table.fail("model", "attach.model is an empty list: name MJCF or URDF files");
  return models;
}

bool is_list(const TomlTable& table) { return table.raw()["model"].is_array(); }

Attachment read_attachment(const toml::table& entry, const std::string& file, int v) {
  const TomlTable table = attach_table(entry, file);
  Attachment attachment;
  const std::vector<std::string> models = attached_models(table);
  attachment.model = beside(file, models[is_list(table) ? static_cast<std::size_t>(v) : 0]);
  attachment.to = table.text("to").value_or("");
  attachment.prefix = table.text("prefix").value_or("");
  attachment.where = table.where();
  if (const auto pos = table.numbers("pos", 3)) std::copy_n(pos->begin(), 3, attachment.pos.begin());
  if (const auto quat = table.numbers("quat", 4)) {
    const double norm = std::hypot(std::hypot((*quat)[0], (*quat)[1]), std::hypot((*quat)[2], (*quat)[3]));
    if (!(norm > kLeastQuatNorm) || !std::isfinite(norm)) table.reject("quat", "a quaternion w, x, y, z that is not 0");
    for (std::size_t i = 0; i < 4; ++i) attachment.quat[i] = (*quat)[i] / norm;
  }
  return attachment;
}

/// The velocity of one joint: a number where it has one dof, else an array.
std::vector<double> numbers_of_joint(const TomlTable& table, const std::string& joint, int dofs) {
  if (dofs == 1 && table.raw().get(joint)->is_number()) return {*table.number(joint)};
  return *table.numbers(joint, static_cast<std::size_t>(dofs));
}

/// Takes initial state and control from a keyframe; a scene without a command keeps the keyframe's control.
void apply_keyframe(const TomlTable& table, Model& model, Scene& scene) {
  const auto name = table.text("keyframe");
  if (!name) return;
  for (const char* key : {"qpos", "qvel"}) {
    if (table.has(key)) table.fail(key, std::string("initial.") + key + " and initial.keyframe exclude each other");
  }
  const int k = find_keyframe(model, *name);
  if (k < 0)
    table.fail("keyframe",
               "initial.keyframe = \"" + *name + "\" is no keyframe of the model; it has: " + keyframe_list(model));
  const StartState start = keyframe_start(model, k);
  scene.keyframe = *name;
  scene.qpos = start.qpos;
  scene.qvel = start.qvel;
  model.mocap_pose0 = start.mocap_pose;
  model.act0 = start.act;
  if (model.nu > 0) scene.command = {{0.0}, {start.ctrl}};
}

}  // namespace

int count_variants(const TomlTable& top) {
  std::size_t count = 0;
  for (const toml::table* entry : top.tables("attach")) {
    const TomlTable table = attach_table(*entry, top.file());
    const std::size_t models = attached_models(table).size();
    if (!is_list(table)) continue;
    if (count != 0 && models != count)
      table.fail("model", "attach.model lists " + std::to_string(models) + " models and another list " +
                              std::to_string(count) + ": environments take one of each, so all lists are equally long");
    count = models;
  }
  return count == 0 ? 1 : static_cast<int>(count);
}

std::string variant_name(const TomlTable& top, int v) {
  std::vector<std::string> names;
  for (const toml::table* entry : top.tables("attach")) {
    const TomlTable table = attach_table(*entry, top.file());
    if (!is_list(table)) continue;
    const std::filesystem::path file = attached_models(table)[static_cast<std::size_t>(v)];
    names.push_back(file.filename().string());
  }
  return join(names);
}

std::string place_of_lists(const TomlTable& top) {
  for (const toml::table* entry : top.tables("attach")) {
    const TomlTable table = attach_table(*entry, top.file());
    if (is_list(table)) return table.where();
  }
  return top.file();
}

CompiledModel compile_model(const TomlTable& top, const ModelReading& reading, int v) {
  const auto model = top.text("model");
  if (!model) throw InputError(top.file() + ": model is missing: name an MJCF or URDF file, model = \"model.xml\"");
  std::vector<Attachment> attachments;
  for (const toml::table* entry : top.tables("attach")) attachments.push_back(read_attachment(*entry, top.file(), v));
  return compile_file(beside(top.file(), *model), attachments, reading);
}

void read_initial(const TomlTable& top, Model& model, Scene& scene) {
  const TomlTable table = section(top, "initial", known_keys("initial"));
  apply_keyframe(table, model, scene);
  if (const auto qpos = table.numbers("qpos", static_cast<std::size_t>(model.nq))) scene.qpos = *qpos;
  if (const auto qvel = table.numbers("qvel", static_cast<std::size_t>(model.nv))) scene.qvel = *qvel;
  if (!normalise_quaternions(model, scene.qpos)) {
    table.fail("qpos", "initial.qpos holds a quaternion that is 0");
  }
}

int dofs_of(int joint_type) {
  switch (static_cast<JointType>(joint_type)) {
    case JointType::kFree:
      return 6;
    case JointType::kBall:
      return 3;
    default:
      return 1;
  }
}

void read_solver_start(const TomlTable& top, const Model& model, SolverOptions& solver) {
  const TomlTable table = section(top, "solver", known_keys("solver"));
  if (!table.has("start")) return;
  if (!table.raw().get("start")->is_table()) {
    solver.start = *table.numbers("start", static_cast<std::size_t>(model.nv));
    return;
  }
  if (model.njoint == 0) table.fail("start", "solver.start: the model has no joints");
  const TomlTable by_joint(*table.table("start"), top.file(), "solver.start", model.joint_names);
  solver.start.assign(static_cast<std::size_t>(model.nv), 0.0);
  for (int j = 0; j < model.njoint; ++j) {
    const std::string& joint = model.joint_names[j];
    if (!by_joint.has(joint)) continue;
    const std::vector<double> velocity = numbers_of_joint(by_joint, joint, dofs_of(model.joint_type[j]));
    std::copy(velocity.begin(), velocity.end(), solver.start.begin() + model.joint_dof_adr[j]);
  }
}

void read_command(const TomlTable& top, const Model& model, Scene& scene) {
  const auto entries = top.tables("command");
  const auto file = top.text("command_file");
  if (file && !entries.empty()) top.fail("command_file", "command_file and [[command]] exclude each other");
  if (file) scene.command = read_command_file(beside(top.file(), *file), model.nu);
  if (entries.empty()) return;
  scene.command = {};
  for (const toml::table* entry : entries) {
    const TomlTable table(*entry, top.file(), "command", {"time", "ctrl"});
    const auto time = table.number("time");
    const auto ctrl = table.numbers("ctrl", static_cast<std::size_t>(model.nu));
    if (!time) table.fail("time", "command.time is missing");
    if (!ctrl) table.fail("ctrl", "command.ctrl is missing");
    if (!scene.command.time.empty() && !(*time > scene.command.time.back())) {
      table.reject("time", "after the knot before: times must increase");
    }
    scene.command.time.push_back(*time);
    scene.command.ctrl.push_back(*ctrl);
  }
}

}  // namespace stiction
