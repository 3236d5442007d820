// The derivatives of a batch's next steps; one team an environment, from contacts to columns.
#pragma once

#include "kernels/launch/run_steps.hpp"
#include "kernels/step/linearize.hpp"

namespace stiction {

/// Results of all environments.
struct BatchLinearization {
  double* v;              // (batch, nv)
  double* A;              // (batch, nv, nv)
  double* B;              // (batch, nv, nu)
  std::uint32_t* status;  // kConverged, or why there is none (batch)
};

/// Bytes of scratch that one environment needs.
template <class Team, class Real>
std::size_t linearize_scratch_bytes(Team team, const ModelView<Real>& model, const Capacity& capacity,
                                    const StepConfig<Real>& config) {
  Arena arena;
  LinearizeScratch<Real> s;
  take_linearize_scratch(team, model, capacity, config, arena, s);
  return arena.used() + smoothed_scratch<double, double>(solver_capacity(model, capacity, config));
}

/// Derivatives of environment i.
template <class Team, class Real>
ST_APART void linearize_phase(const Team& team, const BatchView<Real, double>& batch, int i,
                              const StepConfig<Real>& config, double smoothing, const BatchLinearization& out,
                              Arena arena) {
  const ModelView<Real> model = batch.env_model(i);
  const std::ptrdiff_t nv = model.nv, nu = model.nu;
  const LinearizationView view{out.v + nv * i, out.A + nv * nv * i, out.B + nv * nu * i};
  const std::uint32_t bits =
      linearize_environment(team, model, batch.capacity, batch.env(i), config, smoothing, arena, view);
  team.once([&] { out.status[i] = bits; });
}

}  // namespace stiction
