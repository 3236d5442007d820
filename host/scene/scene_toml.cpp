// scene.toml, table by table. Precedence of the four choices: key, preset, default.
#include "host/scene/scene_toml.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "host/model/error.hpp"
#include "host/scene/command_knots.hpp"
#include "host/scene/mujoco_importer.hpp"
#include "host/scene/toml_table.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTopKeys = {"model",   "attach",       "physics", "solver",  "step",     "initial",
                                           "command", "command_file", "mocap",   "impulse", "randomize"};

// --- choices by name -----------------------------------------------------------------------------------------------

/// The words of one choice: those that are built, with their values, and those that the design names.
template <class Value>
struct Choice {
  std::vector<std::pair<std::string, Value>> built;
  std::vector<std::string> planned;
};

const Choice<Dynamics> kDynamics{{{"quasistatic", Dynamics::kQuasistatic}, {"quasidynamic", Dynamics::kQuasidynamic}},
                                 {"kinematic", "dynamic"}};
const Choice<ContactLaw> kLaws{{
#define ST_LAW(enumerator, name) {name, ContactLaw::enumerator},
#include "kernels/problem/laws.inc"
#undef ST_LAW
                               },
                               {"patch"}};
const Choice<ConeType> kCones{{
#define ST_CONE(enumerator, name) {name, ConeType::enumerator},
#include "kernels/problem/cones.inc"
#undef ST_CONE
                              },
                              {}};
const Choice<SolverName> kSolvers{{{"interior_point", SolverName::kInteriorPoint}}, {"admm", "pgs", "newton", "lemke"}};
const Choice<Dynamics> kPresets{{{"quasistatic_qp", Dynamics::kQuasistatic}},
                                {"quasistatic_lcp", "kinematic_lcp", "dlc", "dqc", "ecp", "graspit"}};

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

template <class Value>
std::optional<Value> choose(const TomlTable& table, const std::string& key, const Choice<Value>& choice) {
  const auto word = table.text(key);
  if (!word) return std::nullopt;
  std::vector<std::string> built;
  for (const auto& [name, value] : choice.built) {
    if (name == *word) return value;
    built.push_back(name);
  }
  const std::string said = table.name_of(key) + " = \"" + *word + "\"";
  if (std::find(choice.planned.begin(), choice.planned.end(), *word) != choice.planned.end()) {
    table.fail(key, said + " is not yet built; built: " + join(built));
  }
  std::vector<std::string> known = built;
  known.insert(known.end(), choice.planned.begin(), choice.planned.end());
  table.fail(key, said + " is unknown; the nearest is \"" + nearest(*word, known) + "\"; built: " + join(built));
}

// --- the tables ------------------------------------------------------------------------------------------------------

/// The table at `key`, read with its known keys; an empty one if it is absent.
TomlTable section(const TomlTable& top, const std::string& key, const std::vector<std::string>& known) {
  static const toml::table kNone;
  const toml::table* table = top.table(key);
  return TomlTable(table ? *table : kNone, top.file(), key, known);
}

std::string beside(const std::string& file, const std::string& path) {
  const fs::path given(path);
  return (given.is_absolute() ? given : fs::path(file).parent_path() / given).string();
}

/// An integer in [lowest, INT_MAX].
std::optional<int> count(const TomlTable& table, const std::string& key, int lowest) {
  const auto value = table.integer(key);
  if (!value) return std::nullopt;
  const int highest = std::numeric_limits<int>::max();
  if (*value < lowest || *value > highest) {
    table.reject(key, "in [" + std::to_string(lowest) + ", " + std::to_string(highest) + "]");
  }
  return static_cast<int>(*value);
}

std::optional<int> count_or_auto(const TomlTable& table, const std::string& key, int lowest) {
  const auto value = table.number_or_auto(key);
  return value ? count(table, key, lowest) : std::nullopt;
}

void read_physics(const TomlTable& top, PhysicsConfig& physics) {
  const TomlTable table =
      section(top, "physics",
              {"preset", "dynamics", "law", "cone", "facets", "contact_distance", "mass_ratio", "hover_warning"});
  if (const auto preset = choose(table, "preset", kPresets)) physics.dynamics = *preset;
  physics.dynamics = choose(table, "dynamics", kDynamics).value_or(physics.dynamics);
  physics.law = choose(table, "law", kLaws).value_or(physics.law);
  physics.cone = choose(table, "cone", kCones).value_or(physics.cone);
  physics.facets = count(table, "facets", 3).value_or(physics.facets);
  physics.contact_distance = table.number_or_auto("contact_distance");
  if (physics.contact_distance.value_or(0.0) < 0.0) table.reject("contact_distance", "at least 0 m, or \"auto\"");
  physics.mass_ratio = table.number("mass_ratio").value_or(physics.mass_ratio);
  if (physics.mass_ratio < 0.0) table.reject("mass_ratio", "at least 0");
  physics.hover_warning = table.number("hover_warning").value_or(physics.hover_warning);
  if (physics.hover_warning < 0.0) table.reject("hover_warning", "at least 0 m");
}

void read_solver(const TomlTable& top, SolverOptions& solver) {
  const TomlTable table = section(top, "solver", {"name", "tolerance", "max_iterations", "max_contacts", "max_pairs"});
  solver.name = choose(table, "name", kSolvers).value_or(solver.name);
  solver.tolerance = table.number("tolerance").value_or(solver.tolerance);
  if (!(solver.tolerance > 0.0 && solver.tolerance < 1.0)) table.reject("tolerance", "in (0, 1)");
  solver.max_iterations = count(table, "max_iterations", 1).value_or(solver.max_iterations);
  solver.max_contacts = count_or_auto(table, "max_contacts", 1);
  solver.max_pairs = count_or_auto(table, "max_pairs", 1);
}

void read_step(const TomlTable& top, Scene& scene) {
  const TomlTable table = section(top, "step", {"step_size", "duration"});
  scene.step_size = table.number("step_size").value_or(scene.step_size);
  if (!(scene.step_size > 0.0)) table.reject("step_size", "more than 0 s");
  scene.duration = table.number("duration").value_or(scene.duration);
  if (!(scene.duration >= 0.0)) table.reject("duration", "at least 0 s");
  if (scene.duration / scene.step_size > kMostSteps) table.reject("duration", "at most 1e9 steps");
}

// --- the model -------------------------------------------------------------------------------------------------------

Attachment read_attachment(const toml::table& entry, const std::string& file) {
  const TomlTable table(entry, file, "attach", {"model", "to", "pos", "quat", "prefix"});
  Attachment attachment;
  const auto model = table.text("model");
  if (!model) table.fail("model", "attach.model is missing: name an MJCF or URDF file");
  attachment.model = beside(file, *model);
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

Model read_model(const TomlTable& top) {
  const auto model = top.text("model");
  if (!model) throw InputError(top.file() + ": model is missing: name an MJCF or URDF file, model = \"model.xml\"");
  std::vector<Attachment> attachments;
  for (const toml::table* entry : top.tables("attach")) attachments.push_back(read_attachment(*entry, top.file()));
  return import_model(compile_file(beside(top.file(), *model), attachments));
}

// --- start -----------------------------------------------------------------------------------------------------------

/// Start and control of a keyframe; a scene without a command keeps the keyframe's control.
void apply_keyframe(const TomlTable& table, Model& model, Scene& scene) {
  const auto name = table.text("keyframe");
  if (!name) return;
  for (const char* key : {"qpos", "qvel"}) {
    if (table.has(key)) table.fail(key, std::string("initial.") + key + " and initial.keyframe exclude each other");
  }
  const auto found = std::find(model.keyframe_names.begin(), model.keyframe_names.end(), *name);
  if (found == model.keyframe_names.end()) {
    const std::string known = model.keyframe_names.empty() ? "none" : join(model.keyframe_names);
    table.fail("keyframe", "initial.keyframe = \"" + *name + "\" is no keyframe of the model; it has: " + known);
  }
  const std::size_t k = static_cast<std::size_t>(found - model.keyframe_names.begin());
  scene.qpos = model.keyframe_qpos[k];
  scene.qvel = model.keyframe_qvel[k];
  model.mocap_pose0 = model.keyframe_mocap[k];
  if (model.nu > 0) scene.command = {{0.0}, {model.keyframe_ctrl[k]}};
}

void read_initial(const TomlTable& top, Model& model, Scene& scene) {
  const TomlTable table = section(top, "initial", {"qpos", "qvel", "keyframe"});
  apply_keyframe(table, model, scene);
  if (const auto qpos = table.numbers("qpos", static_cast<std::size_t>(model.nq))) scene.qpos = *qpos;
  if (const auto qvel = table.numbers("qvel", static_cast<std::size_t>(model.nv))) scene.qvel = *qvel;
  if (!normalise_quaternions(model, scene.qpos)) {
    table.fail("qpos", "initial.qpos holds a quaternion that is 0");
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

// --- differences between environments --------------------------------------------------------------------------------

int dofs_of(int type) {
  switch (static_cast<JointType>(type)) {
    case JointType::kFree:
      return 6;
    case JointType::kBall:
      return 3;
    default:
      return 1;
  }
}

JointNoise joint_noise(const Model& model, const TomlTable& table, const std::string& joint) {
  const auto found = std::find(model.joint_names.begin(), model.joint_names.end(), joint);
  const int id = static_cast<int>(found - model.joint_names.begin());
  const auto widths = table.numbers(joint, static_cast<std::size_t>(dofs_of(model.joint_type[id])));
  if (std::any_of(widths->begin(), widths->end(), [](double width) { return width < 0.0; })) {
    table.reject(joint, "half widths of at least 0");
  }
  return {id, *widths};
}

void read_qpos_noise(const TomlTable& randomize, const Model& model, Randomize& out) {
  if (!randomize.has("qpos_noise")) return;
  if (randomize.raw().get("qpos_noise")->is_number()) {
    const double width = *randomize.number("qpos_noise");
    if (width < 0.0) randomize.reject("qpos_noise", "a half width of at least 0");
    for (int j = 0; j < model.njoint; ++j) {
      if (dofs_of(model.joint_type[j]) == 1) out.qpos_noise.push_back({j, {width}});
    }
    return;
  }
  const toml::table* entries = randomize.table("qpos_noise");
  if (model.njoint == 0 && !entries->empty()) randomize.fail("qpos_noise", "the model has no joints");
  const TomlTable table(*entries, randomize.file(), "randomize.qpos_noise", model.joint_names);
  for (const auto& [key, value] : *entries) out.qpos_noise.push_back(joint_noise(model, table, std::string(key.str())));
}

std::optional<Range> read_range(const TomlTable& table, const std::string& key, bool may_be_zero) {
  const auto ends = table.numbers(key, 2);
  if (!ends) return std::nullopt;
  const double lowest = (*ends)[0], highest = (*ends)[1];
  const bool positive = may_be_zero ? lowest >= 0.0 : lowest > 0.0;
  if (!positive || lowest > highest) {
    table.reject(key, std::string("[lower, upper], ") + (may_be_zero ? "at least 0" : "more than 0") + ", ordered");
  }
  return Range{lowest, highest};
}

void read_randomize(const TomlTable& top, const Model& model, Randomize& out) {
  const TomlTable table = section(top, "randomize", {"seed", "qpos_noise", "friction", "mass_scale"});
  const auto seed = table.integer("seed");
  if (seed.value_or(0) < 0) table.reject("seed", "at least 0");
  out.seed = static_cast<std::uint64_t>(seed.value_or(0));
  read_qpos_noise(table, model, out);
  out.friction = read_range(table, "friction", true);
  out.mass_scale = read_range(table, "mass_scale", false);
}

void refuse_unbuilt(const TomlTable& top) {
  for (const char* key : {"mocap", "impulse"}) {
    if (top.has(key)) top.fail(key, std::string("[[") + key + "]] is not yet built; remove it");
  }
}

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file + ": cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The first line up to which the text makes toml++ assert.
int asserting_line(const std::string& text) {
  int line = 1;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1), ++line) {
    try {
      static_cast<void>(toml::parse(text.substr(0, end + 1)));
    } catch (const TomlAssertion&) {
      break;
    } catch (const toml::parse_error&) {
      continue;
    }
  }
  return line;
}

toml::table parse(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw InputError(file + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  } catch (const TomlAssertion&) {
    throw InputError(file + ":" + std::to_string(asserting_line(text)) + ": not well-formed TOML");
  }
}

}  // namespace

Scene read_scene_toml(const std::string& file) {
  Scene scene;
  scene.path = file;
  scene.text = read_text(file);
  const toml::table parsed = parse(scene.text, file);
  const TomlTable top(parsed, file, "", kTopKeys);
  refuse_unbuilt(top);
  read_physics(top, scene.physics);
  read_solver(top, scene.solver);
  read_step(top, scene);
  Model model = read_model(top);
  scene.qpos = model.qpos0;
  scene.qvel.assign(static_cast<std::size_t>(model.nv), 0.0);
  read_initial(top, model, scene);
  read_command(top, model, scene);
  read_randomize(top, model, scene.randomize);
  scene.model = std::make_shared<const Model>(std::move(model));
  return scene;
}

}  // namespace stiction
