// Sensors of one environment, on the host and on a GPU.
#pragma once

#include "kernels/sensing/sensors.hpp"
#include "kernels/step/config.hpp"

namespace stiction {

template <class Real>
ST_FN SensorInputs<Real> sensor_inputs(const ModelView<Real>& model, const Capacity& capacity,
                                       const StepConfig<Real>& config) {
  int row = capacity.max_rows;
  for (int w = 0; w < model.nweld; ++w) row -= count_weld_rows(model, w);
  return {config.dynamics, static_cast<double>(config.step_size), config.impulses, row};
}

/// Sensors at the present state of the environment. `arena`: scratch of a step.
template <class Team, class Real>
ST_BODY void sense_stage(Team team, const ModelView<Real>& model, const Capacity& capacity,
                         const StepConfig<Real>& config, Arena arena, EnvView<Real>& env) {
  const SensorInputs<Real> in = sensor_inputs(model, capacity, config);
  measure_sensors(team, model, in, arena, env);
}

}  // namespace stiction
