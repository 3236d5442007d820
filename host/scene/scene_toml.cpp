// Reads scene.toml: first the values of the list, then what depends on the model. For the choices of [physics] a key
// takes precedence over the preset, and the preset over the default. Keys that a program gives are spelled out before
// they replace the scene's, so that a given preset replaces all choices of the scene.
#include "host/scene/scene_toml.hpp"

#include <algorithm>
#include <memory>

#include "host/model/choices.hpp"
#include "host/scene/materials.hpp"
#include "host/scene/mujoco_importer.hpp"
#include "host/scene/presets.hpp"
#include "host/scene/scene_keys.hpp"
#include "host/scene/scene_sections.hpp"
#include "host/scene/scene_sources.hpp"
#include "host/scene/toml_text.hpp"
#include "host/scene/variants.hpp"

namespace stiction {
namespace {

const std::vector<std::string> kTopKeys = {"model",    "attach",   "max_elements",  "ignore",  "packages", "compiler",
                                           "actuator", "material", "material_pair", "physics", "solver",   "step",
                                           "initial",  "command",  "command_file",  "mocap",   "impulse",  "randomize"};

/// All top-level keys but those that name the model.
const std::vector<std::string> kModelKeys(kTopKeys.begin() + 2, kTopKeys.end());

// --- choices by name -----------------------------------------------------------------------------------------------

/// Position of the word in choice.built.
std::optional<std::size_t> choose(const TomlTable& table, const std::string& key, const Choice& choice) {
  const auto word = table.text(key);
  if (!word) return std::nullopt;
  const auto found = std::find(choice.built.begin(), choice.built.end(), *word);
  if (found != choice.built.end()) return static_cast<std::size_t>(found - choice.built.begin());
  const std::string said = table.name_of(key) + " = \"" + *word + "\"";
  table.fail(
      key, said + " is unknown; the nearest is \"" + nearest(*word, choice.built) + "\"; built: " + join(choice.built));
}

template <class Enum>
void choose(const TomlTable& table, const std::string& key, const Choice& choice, Enum* value) {
  if (const auto position = choose(table, key, choice)) *value = static_cast<Enum>(*position);
}

/// The choices of [physics] that the table names. Throws InputError for a word that is not known.
ChosenWords words_in(const TomlTable& physics) {
  choose(physics, "preset", preset_choice());
  choose(physics, "law", law_words());
  choose(physics, "cone", cone_choice());
  ChosenWords words;
  for (const SceneKeyName& name : scene_key_names()) {
    if (name.table != "physics" || !physics.raw()[name.key].is_string()) continue;
    words[name.key] = *physics.text(name.key);
  }
  return words;
}

/// Refuses facets beside a cone that has none. The word must be known.
void check_facets(const TomlTable& physics, const std::string& cone) {
  const std::vector<std::string>& words = cone_choice().built;
  const auto position = std::find(words.begin(), words.end(), cone) - words.begin();
  if (!physics.has("facets") || takes_facets(static_cast<ConeType>(position))) return;
  physics.fail("facets", physics.name_of("facets") + " is for cones with facets, and cone = \"" + cone +
                             "\" has none: add cone = \"pyramid\", or leave it out");
}

/// Writes into [physics] what its `preset` and the law "patch" stand for; its other keys take precedence. Returns the
/// cone that is then chosen, which is `cone` if the table chooses none.
std::string spell_out_physics(toml::table& parsed, const std::string& file, const std::vector<std::string>& known,
                              const std::string& cone) {
  const TomlTable physics = section(TomlTable(parsed, file, "", known), "physics", known_keys("physics"));
  const ChosenWords words = words_in(physics);
  if (are_points_and_patches(words))
    physics.fail("contact",
                 physics.name_of("contact") + " = \"points\" excludes law = \"patch\": leave one of them out");
  const ChosenWords spelled = spell_out(words);
  std::string chosen = spelled.count("cone") ? spelled.at("cone") : cone;
  check_facets(physics, chosen);
  for (const auto& [key, word] : spelled) {  // what stays keeps its line
    toml::table& table = *parsed["physics"].as_table();
    if (table[key].value<std::string>() != word) table.insert_or_assign(key, word);
  }
  if (words.count("preset")) {
    parsed["physics"].as_table()->erase("preset");
    const auto step = preset_step(words.at("preset"));
    if (step && !parsed.contains("step")) parsed.insert("step", toml::table());
    toml::table* table = parsed["step"].as_table();
    if (step && table) table->insert("step_size", *step);  // leaves a step that is there
  }
  return chosen;
}

std::string default_cone() { return choice_name(cone_choice(), PhysicsConfig().cone); }

// --- the values of scene_keys.inc -----------------------------------------------------------------------------------

/// The number as TOML stores it: an integer if `Value` is an integer type.
template <class Value>
auto number_of(const TomlTable& table, const std::string& key) {
  if constexpr (std::is_integral_v<Value>)
    return table.integer(key);
  else
    return table.number(key);
}

/// Reads a key of the list; if the table leaves it out or says "auto", the field keeps its default.
template <class Key>
void read_key(const TomlTable& table, const Key& key, Scene& scene) {
  auto& field = key.field_of(scene);
  if constexpr (Key::kIsChoice) {
    choose(table, key.key, key.allowed.choice, &field);
  } else {
    if (Key::kMayBeAuto && !table.number_or_auto(key.key)) return;
    const auto number = number_of<typename Key::Value>(table, key.key);
    if (!number) return;
    if (!key.allowed.holds(static_cast<double>(*number))) table.reject(key.key, key.range_text());
    field = static_cast<typename Key::Value>(*number);
  }
}

void check_number_of_steps(const TomlTable& top, const Scene& scene) {
  if (scene.duration / scene.step_size <= kMostSteps) return;
  const TomlTable table = section(top, "step", known_keys("step"));
  if (!table.has("duration")) table.reject("step_size", kLeastStepText);
  table.reject("duration", kMostStepsText);
}

/// Reads every key of the list.
void read_values(const TomlTable& top, Scene& scene) {
  for_each_scene_key([&](const auto& key) { read_key(section(top, key.table, known_keys(key.table)), key, scene); });
  check_number_of_steps(top, scene);
}

/// Removes the scene's start where another one is given: qpos, qvel and keyframe say the same thing in two ways.
void forget_replaced_start(const toml::table& given, toml::table& parsed) {
  toml::table* initial = parsed["initial"].as_table();
  if (!initial) return;
  if (given["initial"]["keyframe"]) {
    initial->erase("qpos");
    initial->erase("qvel");
  }
  if (given["initial"]["qpos"] || given["initial"]["qvel"]) initial->erase("keyframe");
}

/// Replaces keys of `into` by those of `from`, table by table.
void override_keys(const toml::table& from, toml::table& into) {
  for (const auto& [key, value] : from) {
    toml::table* inner = into[key].as_table();
    if (inner && value.is_table())
      override_keys(*value.as_table(), *inner);
    else
      into.insert_or_assign(key, value);
  }
}

/// The model, and where it starts.
Model read_start(const TomlTable& top, const Materials& materials, const CompiledModel& compiled, Scene& scene) {
  Model model = import_model(compiled);
  scene.qpos = model.qpos0;
  scene.qvel.assign(static_cast<std::size_t>(model.nv), 0.0);
  read_initial(top, model, scene);
  drop_resting_overlaps(compiled, scene.qpos, model);
  materials.apply(model);
  return model;
}

/// The same of several models that share a batch. Throws InputError if they cannot.
Model read_variants(const TomlTable& top, const Materials& materials, const ModelChoices& models, Scene& scene) {
  std::vector<ReadVariant> read;
  for (int v = models.count - 1; v >= 0; --v) {  // the first comes last, and its start is the scene's
    const CompiledModel compiled = models.compile(v);
    Model model = read_start(top, materials, compiled, scene);
    std::vector<ContactProfile> profiles = contact_profiles(compiled, model);
    const std::vector<int> material = materials.of_geoms(model);
    for (std::size_t g = 0; g < profiles.size(); ++g) profiles[g].material = materials.name(material[g]);
    read.push_back({models.name(v), std::move(model), std::move(profiles), scene.qpos, scene.qvel});
  }
  std::reverse(read.begin(), read.end());
  std::vector<const Model*> all;
  for (const ReadVariant& variant : read) all.push_back(&variant.model);
  materials.check_names(all);
  return join_variants(read, models.where, scene.variants);
}

/// Reads what depends on the model: start, scripts, random numbers.
void read_with_model(const TomlTable& top, const ModelChoices& models, Scene& scene) {
  const Materials materials(top);
  Model model = models.count > 1 ? read_variants(top, materials, models, scene)
                                 : read_start(top, materials, models.compile(0), scene);
  if (models.count == 1) materials.check_names({&model});
  read_solver_start(top, model, scene.solver);
  read_command(top, model, scene);
  read_mocap(top, model, scene);
  read_impulses(top, model, scene);
  read_randomize(top, model, scene.randomize);
  scene.model = std::make_shared<const Model>(std::move(model));
}

/// The model of scene.toml with what it attaches. `top` and `reading` must live as long as the choices.
ModelChoices attached_choices(const TomlTable& top, const ModelReading& reading) {
  return {count_variants(top), [&](int v) { return compile_model(top, reading, v); },
          [&](int v) { return variant_name(top, v); }, place_of_lists(top)};
}

}  // namespace

ModelChoices only_model(CompiledModel compiled) {
  const auto kept = std::make_shared<CompiledModel>(std::move(compiled));
  return {1, [kept](int) { return std::move(*kept); }, {}, {}};
}

Scene read_scene_toml(const std::string& file, const std::string& keys) {
  Scene scene;
  scene.path = file;
  scene.text = read_text(file);
  toml::table parsed = parse_toml(scene.text, file);
  toml::table given = parse_toml(keys, kGivenKeys);
  const std::string cone = spell_out_physics(parsed, file, kTopKeys, default_cone());
  spell_out_physics(given, kGivenKeys, kTopKeys, cone);
  forget_replaced_start(given, parsed);
  override_keys(given, parsed);
  const TomlTable top(parsed, file, "", kTopKeys);
  read_values(top, scene);
  scene.reading = read_model_reading(top);
  read_with_model(top, attached_choices(top, scene.reading), scene);
  return scene;
}

SceneSources read_scene_sources(const Scene& scene, const std::string& path) {
  if (scene.path.empty()) return {{save_compiled(compile_file(path, {}, scene.reading))}, {}, {}};
  const toml::table parsed = parse_toml(scene.text, scene.path);
  const TomlTable top(parsed, scene.path, "", kTopKeys);
  const ModelChoices models = attached_choices(top, scene.reading);
  SceneSources sources;
  for (int v = 0; v < models.count; ++v) sources.models.push_back(save_compiled(models.compile(v)));
  const auto add = [&](const std::string& file) {
    sources.file_names.push_back(file);
    sources.file_texts.push_back(read_text(beside(scene.path, file)));
  };
  if (const auto file = top.text("command_file")) add(*file);
  for (const char* scripts : {"mocap", "impulse"})
    for (const toml::table* entry : top.tables(scripts))
      if (const auto file = (*entry)["file"].value<std::string>()) add(*file);
  return sources;
}

ModelReading reading_of(const std::string& keys) {
  const toml::table parsed = parse_toml(keys, kGivenKeys);
  return read_model_reading(TomlTable(parsed, kGivenKeys, "", kModelKeys));
}

Scene read_scene_keys(const ModelChoices& models, const std::string& name, const std::string& keys) {
  Scene scene;
  scene.name = name;
  toml::table parsed = parse_toml(keys, kGivenKeys);
  spell_out_physics(parsed, kGivenKeys, kModelKeys, default_cone());
  const TomlTable top(parsed, kGivenKeys, "", kModelKeys);
  read_values(top, scene);
  scene.reading = read_model_reading(top);
  ModelChoices reduced = models;
  reduced.compile = [&](int v) {
    CompiledModel compiled = models.compile(v);
    compiled.ignore = scene.reading.ignore;
    return compiled;
  };
  read_with_model(top, reduced, scene);
  return scene;
}

}  // namespace stiction
