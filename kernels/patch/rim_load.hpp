// Where the load of a tilted cylinder acts on its rim.
//
// A rim stands on one point, the lowest, but while rounds seek the end of a step two points of it may share the load,
// one from each side of where it will act. The next round then has one point between them, at
//
//   β = Σ p_k β_k / Σ p_k
//
//   symbol  variable  shape  unit
//   β       angle     1      about the axis, from the cap's x axis [rad]
#pragma once

#include "kernels/collision/placed_shape.hpp"
#include "kernels/linalg/scalar.hpp"

namespace stiction {

/// The carrying points of a cap in the last round, as far as they are next to one another on one rim.
template <class Real>
struct RimLoad {
  Real angle = Real(0);  // where their load acts [rad]
  int points = 0;        // 0: they are apart, or not on a rim
};

namespace ecp_detail {

constexpr double kRimSpread = 0.3;  // points farther apart are two sides of a patch [rad]
constexpr double kRimShare = 1e-6;  // a point with a smaller share of the load does not count [-]
constexpr double kOnRim = 1e-6;     // points nearer to the rim are on it, as a share of the cap's size [-]

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

}  // namespace stiction
