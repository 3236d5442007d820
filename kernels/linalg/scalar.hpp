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

}  // namespace stiction
