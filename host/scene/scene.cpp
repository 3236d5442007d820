// Scenes and models by path: a folder with scene.toml, a scene file, or a bare model.
#include "host/scene/scene.hpp"

#include <algorithm>
#include <filesystem>

#include "host/model/error.hpp"
#include "host/scene/mujoco_importer.hpp"
#include "host/scene/overridden_scene.hpp"
#include "host/scene/own_folder.hpp"
#include "host/scene/scene_toml.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// "iiwa_stack" for scenes/iiwa_stack, scenes/iiwa_stack/ and scenes/iiwa_stack/scene.toml; "hand" for hand.xml.
std::string scene_name(const fs::path& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  if (whole.filename() == "scene.toml" || whole.filename().empty()) whole = whole.parent_path();
  return fs::is_directory(whole, ignored) ? whole.filename().string() : whole.stem().string();
}

/// The path itself. Where nothing is there, what an installed package has: `scenes` beside its library, above its
/// program.
std::string find_path(const std::string& given) {
  std::error_code ignored;
  if (fs::exists(given, ignored) || !given.starts_with("scenes/")) return given;
  const fs::path own = own_folder();
  for (const fs::path& folder : {own, own.parent_path()})
    if (fs::exists(folder / given, ignored)) return (folder / given).string();
  return given;
}

std::string find_scene_file(const std::string& path) {
  std::string file = (fs::path(path) / "scene.toml").string();
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored)) return file;
  throw InputError(path + ": the folder has no scene.toml; give a scene folder, a scene.toml or a model (.xml, .urdf)");
}

}  // namespace

int Scene::first_variant(std::uint64_t env) const {
  return variants.empty() ? 0 : static_cast<int>(env % variants.size());
}

const Model& Scene::own_model(int v) const {
  return variants.empty() ? *model : variants[static_cast<std::size_t>(v)].model;
}

const std::vector<double>& Scene::own_qpos(int v) const {
  return variants.empty() ? qpos : variants[static_cast<std::size_t>(v)].qpos;
}

const std::vector<double>& Scene::own_qvel(int v) const {
  return variants.empty() ? qvel : variants[static_cast<std::size_t>(v)].qvel;
}

Scene make_scene(std::shared_ptr<const Model> model, const std::string& name) {
  Scene scene;
  scene.name = name;
  scene.qpos = model->qpos0;
  scene.qvel.assign(static_cast<std::size_t>(model->nv), 0.0);
  scene.model = std::move(model);
  return scene;
}

int find_torsion(const Model& model) {
  for (int p = 0; p < model.npair; ++p) {
    if (model.pair_condim[p] == 4 && model.pair_friction[5 * p + 2] > 0.0) return p;
  }
  return -1;
}

bool seeks_end(const PhysicsConfig& physics) {
  return physics.contact == ContactModel::kPatch || physics.geometry == ContactGeometry::kEnd ||
         physics.rotation == Rotation::kLinear;
}

bool has_patch_torsion(const PhysicsConfig& physics) {
  return physics.contact == ContactModel::kPatch && physics.torsion_radius != TorsionRadius::kModel;
}

bool has_torsion(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (!has_friction(physics.law)) return false;
  return has_patch_torsion(physics) || find_torsion(*scene.model) >= 0;
}

bool merges_regions(const Scene& scene) {
  if (scene.physics.regions == Regions::kOff || seeks_end(scene.physics)) return false;
  const auto has_pieces = [](const Model& model) {
    return std::ranges::any_of(model.geom_piece, [](int piece) { return piece >= 0; });
  };
  return has_pieces(*scene.model) ||
         std::ranges::any_of(scene.variants, [&](const Variant& variant) { return has_pieces(variant.model); });
}

namespace {

Model import_at_reference(const CompiledModel& compiled) {
  Model model = import_model(compiled);
  drop_resting_overlaps(compiled, model.qpos0, model);
  return model;
}

}  // namespace

Model load_model(const std::string& path) { return import_at_reference(compile_file(path, {})); }

Model load_model_text(const std::string& text) { return import_at_reference(compile_text(text)); }

Scene load_scene(const std::string& path) { return load_scene(path, ""); }

Scene load_scene_of_text(const std::string& xml, const std::string& keys) {
  return read_scene_keys(only_model(compile_text(xml, reading_of(keys))), "model", keys);
}

Scene load_scene_of_binaries(std::span<const BinaryModel> models, const std::string& keys, const std::string& name) {
  if (reading_of(keys).changes_model())
    throw InputError(
        "the given keys: packages, compiler and actuator need a model's file or text, this one is compiled");
  ModelChoices choices{static_cast<int>(models.size()), {}, {}, name};
  choices.compile = [&](int v) {
    CompiledModel compiled = load_compiled(models[static_cast<std::size_t>(v)].mjb);
    compiled.xml = models[static_cast<std::size_t>(v)].xml;
    return compiled;
  };
  choices.name = [&](int v) { return models[static_cast<std::size_t>(v)].name; };
  return read_scene_keys(choices, name, keys);
}

Scene load_scene(const std::string& given, const std::string& keys) {
  const std::string path = find_path(given);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw InputError(path + ": no such file or folder; give a scene folder, a scene.toml or a model (.xml, .urdf)");
  }
  if (fs::is_directory(path, ignored)) {
    Scene scene = read_scene_toml(find_scene_file(path), keys);
    scene.name = scene_name(path);
    return scene;
  }
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".toml") {
    Scene scene = read_scene_toml(path, keys);
    scene.name = scene_name(path);
    return scene;
  }
  if (extension == ".xml" || extension == ".urdf" || extension == ".mjcf") {
    return read_scene_keys(only_model(compile_file(path, {}, reading_of(keys))), scene_name(path), keys);
  }
  throw InputError(path + ": unknown kind of file; give a scene folder, a scene.toml or a model (.xml, .urdf)");
}

}  // namespace stiction
