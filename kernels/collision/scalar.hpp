// Signs and rounding errors for the narrow phase.
#pragma once

#include "kernels/linalg/scalar.hpp"

namespace stiction {

template <class Real>
ST_FN Real with_sign_of(Real magnitude, Real sign) {
  return sign < Real(0) ? -magnitude : magnitude;
}

/// Relative rounding error of the precision the poses are given in.
template <class Real>
ST_FN constexpr Real rounding() {
  return sizeof(Real) == 4 ? Real(1.2e-7) : Real(2.3e-16);
}

/// An offset shorter than this has no usable direction [m].
template <class Real>
ST_FN constexpr Real direction_floor() {
  return sizeof(Real) == 4 ? Real(1e-6) : Real(1e-12);
}

}  // namespace stiction
