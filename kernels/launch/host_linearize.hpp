// The derivatives on the host, compiled once per phase order like the solvers (host_solvers.hpp).
#pragma once

#include "kernels/launch/linearize_phases.hpp"

#define ST_HOST_LINEARIZE(which, Real, order)                                                           \
  which void linearize_environment<HostTeam<PhaseOrder::order>, Real>(                                  \
      const HostTeam<PhaseOrder::order>&, const BatchView<Real>&, int, const StepConfig<Real>&, double, \
      const BatchLinearization&, Arena, Arena);

namespace stiction {

ST_HOST_LINEARIZE(extern template, double, kForward)
ST_HOST_LINEARIZE(extern template, double, kBackward)
ST_HOST_LINEARIZE(extern template, double, kStrided)
ST_HOST_LINEARIZE(extern template, float, kForward)
ST_HOST_LINEARIZE(extern template, float, kBackward)
ST_HOST_LINEARIZE(extern template, float, kStrided)

}  // namespace stiction
