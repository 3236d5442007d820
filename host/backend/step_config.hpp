// The choices of a scene in the form that the kernels take.
#pragma once

#include "host/scene/scene.hpp"
#include "kernels/step/config.hpp"

namespace stiction {

/// The configuration of a step, without the tables over time, whose memory the backend owns (script_tables.hpp).
template <class Real>
StepConfig<Real> make_step_config(const Scene& scene) {
  StepConfig<Real> config;
  config.step_size = static_cast<Real>(scene.step_size);
  config.dynamics = scene.physics.dynamics;
  config.mass_ratio = static_cast<Real>(scene.physics.mass_ratio);
  config.law = scene.physics.law;
  config.cone = scene.physics.cone;
  config.facets = scene.physics.facets;
  config.dimension = has_torsion(scene) ? 4 : 3;
  config.contact = scene.physics.contact;
  config.geometry = scene.physics.geometry;
  config.rotation = scene.physics.rotation;
  config.torsion_radius = scene.physics.torsion_radius;
  config.equality = scene.physics.equality;
  config.order = scene.physics.order;
  const bool first = moves_first(config);
  config.correction = first ? scene.physics.correction : 1.0;
  config.contact_distance = static_cast<Real>(scene.physics.contact_distance.value_or(first ? kThinContact : -1.0));
  config.threshold_speed = static_cast<Real>(scene.physics.threshold_speed);
  config.solver = {scene.solver.name, scene.solver.tolerance, scene.solver.max_iterations, scene.solver.factor,
                   scene.solver.max_total_iterations};
  config.tolerance = scene.solver.tolerance;
  if (seeks_end(config)) config.solver.tolerance = inner_tolerance(config.tolerance);
  config.parts_overlaps = has_momentum(config.dynamics) && !first;
  config.merges_regions = merges_regions(scene);
  if (scene.solver.infeasible == InfeasibleStep::kKeep) config.keeps_state |= status::kInfeasible;
  return config;
}

}  // namespace stiction
