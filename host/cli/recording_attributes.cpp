#include "host/cli/recording_attributes.hpp"

#include <optional>

#include "host/cli/choices.hpp"
#include "host/cli/versions.hpp"

namespace stiction {
namespace {

RecordingAttribute number_or_auto(const std::string& name, const std::optional<int>& value) {
  if (value) return {name, std::int64_t{*value}};
  return {name, std::string("auto")};
}

void add_choices(const Scene& scene, std::vector<RecordingAttribute>& attributes) {
  const PhysicsConfig& physics = scene.physics;
  attributes.push_back({"dynamics", choice_name(dynamics_choice(), physics.dynamics)});
  attributes.push_back({"law", choice_name(law_choice(), physics.law)});
  attributes.push_back({"cone", choice_name(cone_choice(), physics.cone)});
  attributes.push_back({"facets", std::int64_t{physics.facets}});
  if (physics.contact_distance)
    attributes.push_back({"contact_distance", *physics.contact_distance});
  else
    attributes.push_back({"contact_distance", std::string("auto")});
  attributes.push_back({"mass_ratio", physics.mass_ratio});
  attributes.push_back({"solver", choice_name(solver_choice(), scene.solver.name)});
  attributes.push_back({"factor", choice_name(factor_choice(), scene.solver.factor)});
  attributes.push_back({"infeasible", choice_name(infeasible_choice(), scene.solver.infeasible)});
  attributes.push_back({"tolerance", scene.solver.tolerance});
  attributes.push_back({"max_iterations", std::int64_t{scene.solver.max_iterations}});
  attributes.push_back({"max_total_iterations", std::int64_t{scene.solver.max_total_iterations}});
  attributes.push_back(number_or_auto("max_contacts", scene.solver.max_contacts));
  attributes.push_back(number_or_auto("max_pairs", scene.solver.max_pairs));
  attributes.push_back({"step_size", scene.step_size});
  attributes.push_back({"duration", scene.duration});
  attributes.push_back({"seed", scene.randomize.seed});
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
      {"scene", scene.name}, {"scene_text", scene.text}, {"model_xml", scene.model->xml}};
  add_choices(scene, attributes);
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
  return attributes;
}

}  // namespace stiction
