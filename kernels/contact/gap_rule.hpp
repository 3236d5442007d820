// Which part of a gap, or of an error, the velocity of a step removes.
//
//   φ' = φ − target                        target: the gap at which bodies rest [m]
//   asked: J v + b + s φ'/h >= 0           s = 1 while φ' >= 0: the step may close the gap
//                                          s = γ where φ' < 0: Miller and Christensen 2003, (16), (19)
//
// Bodies aim at contact itself, and a step corrects all, unless they move first (kernels/step/move_first.hpp).
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

template <class Real>
struct GapRule {
  Real target = Real(0);  // [m]
  double share = 1.0;     // γ [-]

  /// s φ' of a contact with the gap φ [m].
  ST_FN double of_gap(Real gap) const { return of_limit(static_cast<double>(gap - target)); }
  /// s times what is left up to a limit, negative beyond it.
  ST_FN double of_limit(double left) const { return left < 0.0 ? share * left : left; }
  /// γ times the error of an equality.
  ST_FN double of_error(double error) const { return share * error; }
};

}  // namespace stiction
