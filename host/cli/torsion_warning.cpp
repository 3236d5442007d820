#include "host/cli/torsion_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/api/infeasibility.hpp"
#include "kernels/collision/friction.hpp"

namespace stiction {
namespace {

/// True if the geom touches others in a point.
bool is_round_all_over(const Model& model, int geom) {
  const auto type = static_cast<GeomType>(model.geom_type[static_cast<std::size_t>(geom)]);
  return type == GeomType::kSphere || type == GeomType::kEllipsoid;
}

}  // namespace

std::optional<std::string> torsion_warning(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (physics.contact != ContactModel::kPatch || !has_friction(physics.law) || has_torsion(scene)) return {};
  const Model& model = *scene.model;
  const ModelStorage<double> storage(model);
  for (int pair = 0; pair < model.npair; ++pair) {
    const PairFriction<double> friction = pair_friction(storage.view(), pair);
    const int* geom = &model.pair_geom[2 * static_cast<std::size_t>(pair)];
    if (std::max(friction.t, friction.o) == 0.0) continue;
    if (is_round_all_over(model, geom[0]) || is_round_all_over(model, geom[1])) continue;
    return fmt::format(
        "warning: {} and {}: a patch has no torsional friction (condim {}), so nothing resists a turn about its "
        "normal: use --torsion-radius uniform, or condim 4 in the model",
        geom_text(model, geom[0]), geom_text(model, geom[1]), model.pair_condim[static_cast<std::size_t>(pair)]);
  }
  return {};
}

}  // namespace stiction
