// Derivatives of the smoothed steps of a batch, in memory of their own.
#pragma once

#include <memory>

#include "host/model/env_field.hpp"

namespace stiction {

/// Derivatives of q⁺ = q ⊞ h v(q, u) for every environment; NaN if there are none.  (kernels/step/linearize.hpp)
struct Linearization {
  std::shared_ptr<void> owner;  // owns the memory
  FieldMemory v;                // (batch, nv) [m/s], [rad/s]
  FieldMemory A;                // ∂q⁺/∂q (batch, nv nv)
  FieldMemory B;                // ∂q⁺/∂u (batch, nv nu)
  FieldMemory status;           // kConverged, or why there are no derivatives (batch, 1)
};

}  // namespace stiction
