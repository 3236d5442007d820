// Comparisons of scalars that every compiler accepts in device code.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

template <class Real>
ST_FN Real smaller(Real a, Real b) {
  return b < a ? b : a;
}
template <class Real>
ST_FN Real larger(Real a, Real b) {
  return a < b ? b : a;
}
template <class Real>
ST_FN Real clamped(Real x, Real low, Real high) {
  return x < low ? low : (x > high ? high : x);
}
template <class Real>
ST_FN Real with_sign_of(Real magnitude, Real sign) {
  return sign < Real(0) ? -magnitude : magnitude;
}

/// Relative rounding error of the precision the poses are given in.
template <class Real>
ST_FN constexpr Real rounding() {
  return sizeof(Real) == 4 ? Real(1.2e-7) : Real(2.3e-16);
}

/// Offsets this short give no direction [m].
template <class Real>
ST_FN constexpr Real direction_floor() {
  return sizeof(Real) == 4 ? Real(1e-6) : Real(1e-12);
}

}  // namespace stiction
