// Overlaps of bodies at rest: which are left alone, which the velocity of a step removes, and which are removed in
// position.
//
//   δ = max(min(1 µm, h · 0.1 mm/s), 2 tolerance · 1 mm),  in single precision at least 5 µm
//   ε = δ/2,                                               in single precision δ
//
// An overlap up to ε comes from rounding, or from the tolerance of earlier steps: it is left alone. An overlap up to δ
// is brought back to ε by the velocity of a step; that speed is at most δ/h. A deeper one is removed by moving
// positions (kernels/step/part_overlaps.hpp). For angles δ and ε are the same numbers [rad].
//
//   symbol  variable   shape  unit
//   δ       band       1      [m], [rad]
//   ε       slop       1      [m], [rad]
//   h       step_size  1      [s]
//   1 mm    -          1      [m], the least distance to which the residual is relative (kernels/problem/residual.hpp)
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

template <class Real>
struct DeadBand {
  Real band = Real(INFINITY);  // in steps without momentum the velocity removes all overlaps
  Real slop = Real(0);
};

/// δ and ε of a step whose problem is solved to `tolerance`.
template <class Real>
ST_FN DeadBand<Real> dead_band(Real h, double tolerance) {
  const bool single = sizeof(Real) == 4;
  const Real slow = smaller(Real(1e-6), h * Real(1e-4));
  const Real band = larger(larger(slow, single ? Real(5e-6) : Real(0)), static_cast<Real>(2e-3 * tolerance));
  return {band, single ? band : Real(0.5) * band};
}

}  // namespace stiction
