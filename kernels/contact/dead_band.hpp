// The overlap that is parted. What bodies at rest overlap by rounding, or by what the tolerance leaves, is not.
//
//   δ = max(min(1 µm, h · 0.1 mm/s), 2 tolerance · 1 mm),  in single precision at least 5 µm
//
// The velocity of a step leaves an overlap as deep as it is. What is deeper than δ is brought back in position
// (kernels/step/part_overlaps.hpp). For angles δ is the same number [rad].
//
//   symbol  variable   shape  unit
//   δ       dead_band  1      [m], [rad]
//   h       step_size  1      [s]
//   1 mm    -          1      [m], the way to which the residual is relative at least (kernels/problem/residual.hpp)
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

/// δ of a step whose problem is solved to `tolerance`.
template <class Real>
ST_FN Real dead_band(Real h, double tolerance) {
  const Real rounding = sizeof(Real) == 4 ? Real(5e-6) : Real(0);
  const Real slow = smaller(Real(1e-6), h * Real(1e-4));
  return larger(larger(slow, rounding), static_cast<Real>(2e-3 * tolerance));
}

}  // namespace stiction
