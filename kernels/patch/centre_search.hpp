// The point at which the friction of a patch acts in the next round. A round with friction at x has an answer whose ECP
// is F(x), and a patch has x = F(x). x ← F(x) converges slowly where friction that turns moves the pressure: under a
// slender body that slides and spins. Anderson's method with the last two rounds makes this fast,
//
//   x ← F − θ (F − F′),   θ = r·(r − r′)/‖r − r′‖²,   r = F − x,   ′: the round before
//
//   symbol  variable  shape  unit
//   x       used      (3)    [m]
//   F       answered  (3)    [m]
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {

/// What the last round knows of a patch.
template <class Real>
struct CentreSearch {
  Vec3<Real> used, answered;
  int known;  // 1: from a round of this search
};

/// θ may have these values: with more the last two rounds say too little.
constexpr double kLeastMix = -8.0, kMostMix = 0.5;

/// The x of the next round, if the last one had friction at `used` and its ECP is at `answered`.
template <class Real>
ST_FN Vec3<Real> next_centre(const Vec3<Real>& used, const Vec3<Real>& answered, CentreSearch<Real>& search) {
  const CentreSearch<Real> last = search;
  search = {used, answered, 1};
  if (!last.known) return answered;
  const Vec3<Real> r = answered - used, change = r - (last.answered - last.used);
  const Real square = norm_squared(change);
  if (!(square > Real(0)) || norm_squared(r) > norm_squared(last.answered - last.used)) return answered;
  const Real mix = clamped(dot(r, change) / square, Real(kLeastMix), Real(kMostMix));
  return answered - mix * (answered - last.answered);
}

}  // namespace stiction
