#include "host/cli/recording_attributes.hpp"

#include "host/cli/choices.hpp"
#include "host/cli/versions.hpp"
#include "host/scene/scene_keys.hpp"

namespace stiction {
namespace {

std::int64_t as_attribute(int value) { return value; }
std::uint64_t as_attribute(std::uint64_t value) { return value; }
double as_attribute(double value) { return value; }

/// A value of the scene; choices are given by name.
template <class Key>
RecordingAttribute value_of(const Scene& scene, const Key& key) {
  const auto& field = key.field_of(scene);
  const std::string name = keyword_of(key.table, key.key);
  if constexpr (Key::kIsChoice) {
    return {name, choice_name(key.allowed.choice, field)};
  } else if constexpr (Key::kMayBeAuto) {
    if (!field) return {name, std::string("auto")};
    return {name, as_attribute(*field)};
  } else {
    return {name, as_attribute(field)};
  }
}

void add_names(const Model& model, std::vector<RecordingAttribute>& attributes) {
  attributes.push_back({"body_names", model.body_names});
  attributes.push_back({"joint_names", model.joint_names});
  attributes.push_back({"geom_names", model.geom_names});
  attributes.push_back({"actuator_names", model.actuator_names});
}

}  // namespace

std::vector<RecordingAttribute> run_attributes(const Simulator& simulator, std::int64_t every) {
  const Scene& scene = simulator.scene();
  const SimulatorOptions& options = simulator.options();
  std::vector<RecordingAttribute> attributes = {
      {"scene", scene.name}, {"scene_text", scene.text}, {"model_xml", scene.model->xml}, {"keyframe", scene.keyframe}};
  for_each_scene_key([&](const auto& key) { attributes.push_back(value_of(scene, key)); });
  add_names(*scene.model, attributes);
  attributes.push_back({"batch", std::int64_t{options.batch}});
  attributes.push_back({"first_env_id", std::int64_t{options.first_env_id}});
  attributes.push_back({"dtype", choice_name(dtype_choice(), options.dtype)});
  attributes.push_back({"device", simulator.device_name()});
  attributes.push_back({"every", every});
  for (const auto& [name, version] : program_versions()) attributes.push_back({name + "_version", version});
  return attributes;
}

std::vector<RecordingAttribute> recording_attributes(const Simulator& simulator, const RecordingPlan& plan,
                                                     const SceneSources& sources) {
  std::vector<RecordingAttribute> attributes = run_attributes(simulator, plan.every);
  attributes.push_back({"scene_file_names", sources.file_names});
  attributes.push_back({"scene_file_texts", sources.file_texts});
  const std::vector<Variant>& variants = simulator.scene().variants;
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  if (!variants.empty()) attributes.push_back({"variant_names", names});
  return attributes;
}

}  // namespace stiction
