// The part of model_text.hpp that needs the simulator's capacities and the names of the choices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/cli/choices.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/model_text.hpp"
#include "host/scene/presets.hpp"

namespace stiction {
namespace {

/// "law        anitescu  (built: ...; default: ...)"
template <class Enum>
std::string describe_choice(const Choice& choice, Enum value, Enum by_default, const std::string& extra = "") {
  std::string line = fmt::format("{:<11}{}{}  (built: {}; default: {}", choice.name, choice_name(choice, value), extra,
                                 fmt::join(choice.built, ", "), choice_name(choice, by_default));
  return line + ")\n";
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
  if (physics.regions != defaults.regions) others += ", regions " + choice_name(regions_choice(), physics.regions);
  if (physics.equality != defaults.equality) others += ", equality " + choice_name(equality_choice(), physics.equality);
  if (physics.order != defaults.order) others += ", order " + choice_name(order_choice(), physics.order);
  if (others.empty() && physics.contact == defaults.contact) return "";
  return choice_name(contact_choice(), physics.contact) + others;
}

std::string describe_cone(const PhysicsConfig& physics) {
  const std::string name = choice_name(cone_choice(), physics.cone);
  return takes_facets(physics.cone) ? fmt::format("{} of {} facets", name, physics.facets) : name;
}

std::string describe_step(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  std::string text = fmt::format("dynamics {}, law {}", choice_name(dynamics_choice(), physics.dynamics),
                                 choice_name(law_choice(), physics.law));
  if (has_friction(physics.law)) text += ", cone " + describe_cone(physics);
  if (const std::string contacts = describe_contacts(physics); !contacts.empty()) text += ", contact " + contacts;
  text += fmt::format(", step {:g} s", scene.step_size);
  if (scene.model->timestep != scene.step_size) text += fmt::format(" (model: {:g}, not used)", scene.model->timestep);
  return text;
}

std::string describe_choices(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  const PhysicsConfig defaults;
  const std::string contacts = describe_contacts(physics);
  const std::string facets = takes_facets(physics.cone) ? fmt::format(", {} facets", physics.facets) : "";
  return describe_choice(dynamics_choice(), physics.dynamics, defaults.dynamics) +
         describe_choice(law_words(), physics.law, defaults.law) +
         describe_choice(cone_choice(), physics.cone, defaults.cone, facets) +
         (contacts.empty() ? "" : fmt::format("contact    {}\n", contacts)) +
         describe_choice(solver_choice(), scene.solver.name, SolverOptions().name,
                         fmt::format(", tolerance {:g}", scene.solver.tolerance));
}

std::string describe_variants(const Scene& scene) {
  if (scene.variants.empty()) return "";
  constexpr std::size_t kNamed = 6;
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants)
    if (names.size() < kNamed) names.push_back(variant.name);
  const char* more = scene.variants.size() > kNamed ? "; ..." : "";
  return fmt::format("lists      {} models, an environment has that of its id modulo {}: {}{}\n", scene.variants.size(),
                     scene.variants.size(), fmt::join(names, "; "), more);
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
