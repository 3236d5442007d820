// Where the load of a tilted cylinder acts on its rim.
//
// A rim stands on one point, the lowest. Rounds that seek the end of a step have three of its points, β and β ± δ, as
// the corners of a polygon: then the load may act at β, or the cylinder may tip over β until it stands on two of them,
// whichever the answer asks for. The load of a round acts at l, and its motion leaves the lowest point at m,
//
//   l = Σ p_k β_k / Σ p_k         l = m where the step ends                                            (1)
//
// Load that acts farther round the rim raises the cylinder there, so m falls as l rises, and the end is between them.
// If the cylinder nearly stands, a small change of l turns m far around; with three points that only means that it
// stands on two of them. So each round has β between l and m, by a secant of m − l through the last two rounds, and δ
// no larger than their distance, until the rim sags between l and m by less than can be told apart.
//
//   symbol  variable  shape  unit
//   β       angle     1      about the axis, from the cap's x axis [rad]
//   δ       half      1      [rad]
#pragma once

#include "kernels/collision/clip.hpp"
#include "kernels/collision/placed_shape.hpp"
#include "kernels/linalg/scalar.hpp"

namespace stiction {

/// The carrying points of a cap in the last round, as far as they are next to one another on one rim. Add the one that
/// carries most first.
template <class Real>
struct RimLoad {
  int points = 0;                      // 0: they are apart, or not on a rim
  Real cap, first;                     // z [m] and angle [rad] of the first
  Real total = Real(0);                // Σ p
  Real moment = Real(0);               // Σ p_k (β_k − first)
  Real low = Real(0), high = Real(0);  // of β_k − first [rad]
  ST_FN Real angle() const { return first + moment / total; }
};

/// What a round says about a rim.
template <class Real>
struct RimRound {
  int points;         // that share the load; 0: they are apart, or not on the rim
  bool stands;        // it is tilted, and on a flat part of the other shape; else load and lowest are the last ones
  Real lowest, load;  // m, l [rad]
  Real spread;        // angle between the outermost points [rad]
  Real fall;          // how far the rim falls in a quarter turn [m]
};

/// Points of a rim for the next round.
template <class Real>
struct RimPoints {
  Real angle, half;  // β, δ [rad]
  Real tie;          // gaps that are closer are equal [m]
};

/// Points that are farther apart are two sides of a patch [rad].
constexpr double kRimSpread = 0.5;
/// δ is no smaller, or the rows of the three points could not be told apart [rad].
constexpr double kLeastHalf = 1e-2;
/// A point with a smaller share of the load does not count [-].
constexpr double kRimShare = 1e-6;
/// Points nearer to the rim are on it, as a share of the cap's size [-].
constexpr double kOnRim = 1e-6;

/// A rim that turns its normal by less between l and m is at rest there [rad].
template <class Real>
ST_FN constexpr Real rim_turn() {
  return sizeof(Real) == 4 ? Real(1e-5) : Real(1e-10);
}

/// The angle from a to b, in [−π, π].
template <class Real>
ST_FN Real turned_angle(Real a, Real b) {
  return std::remainder(b - a, Real(6.283185307179586));
}

/// Adds a point of the last round, in the frame of the cylinder, with its impulse p; false if it is apart from the
/// others.
template <class Real>
ST_FN bool add_to_rim(const Vec3<Real>& size, const Vec3<Real>& local, Real p, RimLoad<Real>& load) {
  if (load.points > 0 && p < Real(kRimShare) * load.total) return true;
  const Real across = std::sqrt(local.x * local.x + local.y * local.y), angle = std::atan2(local.y, local.x);
  if (load.points == 0) load.cap = with_sign_of(size.y, local.z), load.first = angle;
  if (std::fabs(local.z - load.cap) > Real(kOnRim) * size.y || std::fabs(across - size.x) > Real(kOnRim) * size.x)
    return false;
  const Real turn = turned_angle(load.first, angle);
  load.low = smaller(load.low, turn), load.high = larger(load.high, turn);
  load.total += p, load.moment += p * turn;
  ++load.points;
  return load.high - load.low <= Real(kRimSpread);
}

/// The points of the next round, after the `last` and the one `before`, for a cap that is tilted by the sine `tilt`.
/// `angle`: β if it is known; null: it is found here.
template <class Real>
ST_FN RimPoints<Real> next_rim_points(const RimRound<Real>& last, const RimRound<Real>& before, Real tilt, Real radius,
                                      const double* angle) {
  const Real left = turned_angle(last.load, last.lowest);  // m − l
  const Real apart = larger(std::fabs(left), last.spread), fall = tilt * radius;
  if (tilt * std::fabs(left) <= rim_turn<Real>() && Real(0.5) * fall * apart * apart <= kept_tie<Real>())
    return {last.load, larger(Real(4) * apart, Real(kLeastHalf)), kept_tie<Real>()};
  Real share = left;  // β − l
  if (angle) {
    share = turned_angle(last.load, static_cast<Real>(*angle));
  } else if (before.stands) {
    const Real change = turned_angle(before.load, before.lowest) - left;
    const Real secant = left * turned_angle(before.load, last.load) / change;
    if (secant * left > Real(0) && std::fabs(secant) < std::fabs(left)) share = secant;
  }
  const Real half = larger(larger(std::fabs(share), std::fabs(left - share)), Real(kLeastHalf));
  return {last.load + share, half, larger(kept_tie<Real>(), fall * half * half)};
}

}  // namespace stiction
