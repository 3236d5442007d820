#include "host/cli/launch_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/api/infeasibility.hpp"
#include "host/model/choices.hpp"
#include "kernels/collision/friction.hpp"

namespace stiction {
namespace {

/// Upward speed of a point that is set sliding, relative to its sliding speed before (docs/laws/anitescu.md).
double launched_share(double mu) { return mu / (1.0 + mu * mu); }

}  // namespace

std::optional<std::string> launch_warning(const Scene& scene) {
  if (!has_momentum(scene.physics.dynamics) || !hovers(scene.physics.law)) return {};
  const Model& model = *scene.model;
  const ModelStorage<double> storage(model);
  int worst = -1;
  double worst_mu = 0.0;
  for (int pair = 0; pair < model.npair; ++pair) {
    const PairFriction<double> friction = pair_friction(storage.view(), pair);
    const double mu = std::max(friction.t, friction.o);
    if (launched_share(mu) <= launched_share(worst_mu)) continue;
    worst = pair;
    worst_mu = mu;
  }
  if (worst < 0) return {};
  const int* geom = &model.pair_geom[2 * static_cast<std::size_t>(worst)];
  return fmt::format(
      "warning: {} and {}: what is set sliding at v leaves the surface with about {:.2g} v, however small the step "
      "(law {}, dynamics {}, mu {:.3g}): use --law coulomb where that matters",
      geom_text(model, geom[0]), geom_text(model, geom[1]), launched_share(worst_mu),
      choice_name(law_choice(), scene.physics.law), choice_name(dynamics_choice(), scene.physics.dynamics), worst_mu);
}

}  // namespace stiction
