// Derivatives of the smoothed steps of a batch, in memory of their own.
#pragma once

#include <memory>

#include "host/model/env_field.hpp"

namespace stiction {

/// q⁺ = q ⊞ h v(q, u) of every environment; NaN where it has none.  (kernels/step/linearize.hpp)
struct Linearization {
  std::shared_ptr<void> owner;  // of the memory
  FieldMemory v;                // (batch, nv) [m/s], [rad/s]
  FieldMemory A;                // ∂q⁺/∂q (batch, nv nv)
  FieldMemory B;                // ∂q⁺/∂u (batch, nv nu)
  FieldMemory status;           // kConverged, or why there is none (batch, 1)
};

}  // namespace stiction
