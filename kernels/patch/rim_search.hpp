// The point of a cap's rim on which a tilted cylinder stands where a step ends.
//
// A round has a point of the rim at the angle β, fixed on the cap. Its answer tilts the cap such that the lowest point
// of the rim is at F(β), and the end of the step has β = F(β). The less the cap is tilted the faster F changes with β,
// so that β ← F(β) need not converge. Secants do:
//
//   β ← β + (F − β)/(1 − s),   s = (F − F′)/(β − β′),
//
// with ′ the last round before it that had a single such point. While several points of the rim share the load, β is
// where it acts, Σ p_k β_k / Σ p_k.
//
//   symbol  variable  shape  unit
//   β       used      1      about the axis, from the cap's x axis [rad]
//   F       lowest    1      [rad]
#pragma once

#include "kernels/collision/placed_shape.hpp"
#include "kernels/linalg/scalar.hpp"

namespace stiction {

/// What earlier rounds know of a rim.
template <class Real>
struct RimSearch {
  Real used, lowest;  // of the last round with a single carrying point on the rim
  int known;          // 1: there was such a round
};

/// The carrying points of a cap in the last round, as far as they are next to one another on one rim.
template <class Real>
struct RimLoad {
  Real angle = Real(0);  // where their load acts [rad]
  int points = 0;        // 0: they are apart, or not on a rim
};

namespace ecp_detail {

constexpr double kRimSpread = 0.3;    // points farther apart are two sides of a patch [rad]
constexpr double kRimShare = 1e-6;    // a point with a smaller share of the load does not count [-]
constexpr double kLeastSlope = 1e-3;  // a smaller 1 − s says nothing [-]
constexpr double kOnRim = 1e-6;       // points nearer to the rim are on it, as a share of the cap's size [-]

/// The angle from a to b, in [−π, π].
template <class Real>
ST_FN Real turned_angle(Real a, Real b) {
  return std::remainder(b - a, Real(6.283185307179586));
}

}  // namespace ecp_detail

/// Adds a point of the last round, in the frame of the cylinder, with its impulse p. Call it first for the largest.
template <class Real>
ST_FN void add_to_rim(const Vec3<Real>& size, const Vec3<Real>& local, Real p, Real& total, bool& apart,
                      RimLoad<Real>& load) {
  using namespace ecp_detail;
  if (load.points > 0 && p < Real(kRimShare) * total) return;
  const Real along = std::fabs(std::fabs(local.z) - size.y), across = std::sqrt(local.x * local.x + local.y * local.y);
  if (along > Real(kOnRim) * size.y || std::fabs(across - size.x) > Real(kOnRim) * size.x) apart = true;
  if (apart) return;
  const Real angle = std::atan2(local.y, local.x), turn = load.points > 0 ? turned_angle(load.angle, angle) : Real(0);
  if (std::fabs(turn) > Real(kRimSpread)) apart = true;
  total += p;
  load.angle = load.points > 0 ? load.angle + p / total * turn : angle;
  ++load.points;
}

/// The angle at which the next round has its point of the rim, if the load of the last one acts at `load.angle` and the
/// rim is now lowest at `lowest`.
template <class Real>
ST_FN Real next_rim_angle(const RimLoad<Real>& load, Real lowest, RimSearch<Real>& search) {
  using namespace ecp_detail;
  const Real used = load.angle, step = turned_angle(used, lowest);
  if (load.points > 1) return used;
  const Real moved = search.known ? turned_angle(search.used, used) : Real(0);
  const bool secant = std::fabs(moved) > Real(1e-13);
  const Real slope = secant ? Real(1) - turned_angle(search.lowest, lowest) / moved : Real(1);
  search = {used, lowest, 1};
  const Real wanted = slope > Real(kLeastSlope) ? step / slope : step;
  return used + clamped(wanted, Real(-kRimSpread), Real(kRimSpread));
}

}  // namespace stiction
