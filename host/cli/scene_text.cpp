// The part of model_text.hpp that needs the simulator's capacities and the names of the choices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/cli/choices.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/model_text.hpp"
#include "host/scene/presets.hpp"

namespace stiction {
namespace {

/// "law        anitescu  (built: ...; not yet: ...)"
std::string describe_choice(const Choice& choice, int value, int recommended, const std::string& extra = "") {
  std::string line = fmt::format("{:<11}{}{}  (built: {}; recommended: {}", choice.name, choice.built.at(value), extra,
                                 fmt::join(choice.built, ", "), choice.built.at(recommended));
  if (!choice.planned.empty()) line += fmt::format("; not yet: {}", fmt::join(choice.planned, ", "));
  return line + ")\n";
}

/// If every dof is actuated, no body can be unsupported, and the paper's own model applies.
Dynamics recommended_dynamics(const Model& model) {
  const bool all_actuated =
      std::all_of(model.dof_actuated.begin(), model.dof_actuated.end(), [](int a) { return a != 0; });
  return all_actuated ? Dynamics::kQuasistatic : Dynamics::kQuasidynamic;
}

std::string kilobytes(std::size_t bytes) { return fmt::format("{:.1f} kB", 1e-3 * static_cast<double>(bytes)); }

}  // namespace

std::string describe_contacts(const PhysicsConfig& physics) {
  const PhysicsConfig defaults;
  std::string others;
  if (physics.geometry != defaults.geometry) others += ", geometry " + choice_name(geometry_choice(), physics.geometry);
  if (physics.rotation != defaults.rotation) others += ", rotation " + choice_name(rotation_choice(), physics.rotation);
  if (physics.torsion_radius != defaults.torsion_radius)
    others += ", torsion radius " + choice_name(torsion_radius_choice(), physics.torsion_radius);
  if (others.empty() && physics.contact == defaults.contact) return "";
  return choice_name(contact_choice(), physics.contact) + others;
}

std::string describe_choices(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  const std::string contacts = describe_contacts(physics);
  return describe_choice(dynamics_choice(), static_cast<int>(physics.dynamics),
                         static_cast<int>(recommended_dynamics(*scene.model))) +
         describe_choice(law_words(), static_cast<int>(physics.law), 0) +
         describe_choice(cone_choice(), static_cast<int>(physics.cone), 0, fmt::format(", {} facets", physics.facets)) +
         (contacts.empty() ? "" : fmt::format("contact    {}\n", contacts)) +
         describe_choice(solver_choice(), static_cast<int>(scene.solver.name), 0,
                         fmt::format(", tolerance {:g}", scene.solver.tolerance));
}

std::string describe_memory(const Scene& scene) {
  const Capacity capacity = choose_capacity(scene);
  const GpuBytes gpu = gpu_bytes(scene, capacity, false);
  return fmt::format(
      "capacity   {} contacts, {} pairs, {} other rows per environment\n"
      "memory     model {}; one environment {} (float64) or {} (float32); a step of one works in {} on the host\n"
      "           on a GPU {} an environment (float64), and {} for each of those that it works on at once\n",
      capacity.max_contacts, capacity.max_pairs, capacity.max_rows, kilobytes(model_bytes(*scene.model)),
      kilobytes(env_bytes(scene, Dtype::kFloat64)), kilobytes(env_bytes(scene, Dtype::kFloat32)),
      kilobytes(host_batch_bytes(scene, capacity, false, 1).once), kilobytes(gpu.each), kilobytes(gpu.at_work));
}

}  // namespace stiction
