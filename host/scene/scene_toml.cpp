// scene.toml, table by table. Precedence of the four choices: key, preset, default.
#include "host/scene/scene_toml.hpp"

#include <algorithm>
#include <limits>

#include "host/model/choices.hpp"
#include "host/scene/mujoco_importer.hpp"
#include "host/scene/scene_sections.hpp"
#include "host/scene/scene_sources.hpp"
#include "host/scene/toml_text.hpp"

namespace stiction {
namespace {

const std::vector<std::string> kTopKeys = {"model",   "attach",  "max_elements", "physics", "solver",  "step",
                                           "initial", "command", "command_file", "mocap",   "impulse", "randomize"};

/// All but those that name the model.
const std::vector<std::string> kModelKeys(kTopKeys.begin() + 2, kTopKeys.end());

// --- choices by name -----------------------------------------------------------------------------------------------

/// The papers' names for three of the choices.
struct Preset {
  Dynamics dynamics;
  ContactLaw law;
  ConeType cone;
};

const std::vector<std::pair<std::string, Preset>> kPresets = {
    {"quasistatic_lcp", {Dynamics::kQuasistatic, ContactLaw::kCoulomb, ConeType::kPyramid}},  // 2021, (6)
    {"quasistatic_qp", {Dynamics::kQuasistatic, ContactLaw::kAnitescu, ConeType::kPyramid}},  // 2021, (10)
    {"kinematic_lcp", {Dynamics::kKinematic, ContactLaw::kCoulomb, ConeType::kPyramid}},      // 2021, (1)
    {"dlc", {Dynamics::kKinematic, ContactLaw::kCoulomb, ConeType::kPyramid}},                // 2005, Model-DLC
    {"dqc", {Dynamics::kKinematic, ContactLaw::kCoulomb, ConeType::kQuadratic}}};             // 2005, Model-DQC

Choice preset_choice() {
  Choice choice{"preset", {}, {"ecp", "graspit"}};
  for (const auto& [name, preset] : kPresets) choice.built.push_back(name);
  return choice;
}

/// Position of the word in choice.built.
std::optional<std::size_t> choose(const TomlTable& table, const std::string& key, const Choice& choice) {
  const auto word = table.text(key);
  if (!word) return std::nullopt;
  const auto found = std::find(choice.built.begin(), choice.built.end(), *word);
  if (found != choice.built.end()) return static_cast<std::size_t>(found - choice.built.begin());
  const std::string said = table.name_of(key) + " = \"" + *word + "\"";
  if (std::find(choice.planned.begin(), choice.planned.end(), *word) != choice.planned.end()) {
    table.fail(key, said + " is not yet built; built: " + join(choice.built));
  }
  std::vector<std::string> known = choice.built;
  known.insert(known.end(), choice.planned.begin(), choice.planned.end());
  table.fail(key, said + " is unknown; the nearest is \"" + nearest(*word, known) + "\"; built: " + join(choice.built));
}

template <class Enum>
void choose(const TomlTable& table, const std::string& key, const Choice& choice, Enum* value) {
  if (const auto position = choose(table, key, choice)) *value = static_cast<Enum>(*position);
}

// --- the tables ------------------------------------------------------------------------------------------------------

/// An integer in [lowest, highest].
std::optional<int> count(const TomlTable& table, const std::string& key, int lowest,
                         int highest = std::numeric_limits<int>::max()) {
  const auto value = table.integer(key);
  if (!value) return std::nullopt;
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
  if (const auto position = choose(table, "preset", preset_choice())) {
    const Preset& preset = kPresets[*position].second;
    physics.dynamics = preset.dynamics;
    physics.law = preset.law;
    physics.cone = preset.cone;
  }
  choose(table, "dynamics", dynamics_choice(), &physics.dynamics);
  choose(table, "law", law_choice(), &physics.law);
  choose(table, "cone", cone_choice(), &physics.cone);
  physics.facets = count(table, "facets", 3, kMostFacets).value_or(physics.facets);
  physics.contact_distance = table.number_or_auto("contact_distance");
  if (physics.contact_distance.value_or(0.0) < 0.0) table.reject("contact_distance", "at least 0 m, or \"auto\"");
  physics.mass_ratio = table.number("mass_ratio").value_or(physics.mass_ratio);
  if (physics.mass_ratio < 0.0) table.reject("mass_ratio", "at least 0");
  physics.hover_warning = table.number("hover_warning").value_or(physics.hover_warning);
  if (physics.hover_warning < 0.0) table.reject("hover_warning", "at least 0 m");
}

void read_solver(const TomlTable& top, SolverOptions& solver) {
  const TomlTable table = section(top, "solver", kSolverKeys);
  choose(table, "name", solver_choice(), &solver.name);
  solver.tolerance = table.number("tolerance").value_or(solver.tolerance);
  if (!(solver.tolerance > 0.0 && solver.tolerance < 1.0)) table.reject("tolerance", "in (0, 1)");
  choose(table, "factor", factor_choice(), &solver.factor);
  choose(table, "infeasible", infeasible_choice(), &solver.infeasible);
  solver.max_iterations = count(table, "max_iterations", 1).value_or(solver.max_iterations);
  solver.max_total_iterations = count(table, "max_total_iterations", 0).value_or(solver.max_total_iterations);
  solver.max_contacts = count_or_auto(table, "max_contacts", 1);
  solver.max_pairs = count_or_auto(table, "max_pairs", 1);
}

void read_step(const TomlTable& top, Scene& scene) {
  const TomlTable table = section(top, "step", {"step_size", "duration"});
  scene.step_size = table.number("step_size").value_or(scene.step_size);
  if (!(scene.step_size > 0.0)) table.reject("step_size", "more than 0 s");
  scene.duration = table.number("duration").value_or(scene.duration);
  if (!(scene.duration >= 0.0)) table.reject("duration", "at least 0 s");
  if (scene.duration / scene.step_size <= kMostSteps) return;
  if (!table.number("duration")) table.reject("step_size", kLeastStepText);
  table.reject("duration", "at most 1e9 steps");
}

/// Keys of `from` replace those of `into`, table by table.
void override_keys(const toml::table& from, toml::table& into) {
  for (const auto& [key, value] : from) {
    toml::table* inner = into[key].as_table();
    if (inner && value.is_table())
      override_keys(*value.as_table(), *inner);
    else
      into.insert_or_assign(key, value);
  }
}

void read_choices(const TomlTable& top, Scene& scene) {
  read_physics(top, scene.physics);
  read_solver(top, scene.solver);
  read_step(top, scene);
}

/// What depends on the model: start, scripts, random numbers.
void read_with_model(const TomlTable& top, const CompiledModel& compiled, Scene& scene) {
  Model model = import_model(compiled);
  scene.qpos = model.qpos0;
  scene.qvel.assign(static_cast<std::size_t>(model.nv), 0.0);
  read_initial(top, model, scene);
  read_solver_start(top, model, scene.solver);
  drop_resting_overlaps(compiled, scene.qpos, model);
  read_command(top, model, scene);
  read_mocap(top, model, scene);
  read_impulses(top, model, scene);
  read_randomize(top, model, scene.randomize);
  scene.model = std::make_shared<const Model>(std::move(model));
}

}  // namespace

Scene read_scene_toml(const std::string& file, const std::string& keys) {
  Scene scene;
  scene.path = file;
  scene.text = read_text(file);
  toml::table parsed = parse_toml(scene.text, file);
  override_keys(parse_toml(keys, kGivenKeys), parsed);
  const TomlTable top(parsed, file, "", kTopKeys);
  read_choices(top, scene);
  read_with_model(top, compile_model(top), scene);
  return scene;
}

SceneSources read_scene_sources(const Scene& scene, const std::string& path) {
  if (scene.path.empty()) return {save_compiled(compile_file(path, {})), {}, {}};
  const toml::table parsed = parse_toml(scene.text, scene.path);
  const TomlTable top(parsed, scene.path, "", kTopKeys);
  SceneSources sources{save_compiled(compile_model(top)), {}, {}};
  const auto add = [&](const std::string& file) {
    sources.file_names.push_back(file);
    sources.file_texts.push_back(read_text(beside(scene.path, file)));
  };
  if (const auto file = top.text("command_file")) add(*file);
  for (const toml::table* entry : top.tables("mocap"))
    add(*TomlTable(*entry, scene.path, "mocap", {"body", "file"}).text("file"));
  return sources;
}

int max_elements_of(const std::string& keys) {
  const toml::table parsed = parse_toml(keys, kGivenKeys);
  return read_max_elements(TomlTable(parsed, kGivenKeys, "", kModelKeys));
}

Scene read_scene_keys(CompiledModel compiled, const std::string& name, const std::string& keys) {
  Scene scene;
  scene.name = name;
  const toml::table parsed = parse_toml(keys, kGivenKeys);
  const TomlTable top(parsed, kGivenKeys, "", kModelKeys);
  read_choices(top, scene);
  read_with_model(top, compiled, scene);
  return scene;
}

}  // namespace stiction
