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
struct RimLoad {
  int points = 0;                // 0: they are apart, or not on a rim
  double cap, first;             // z [m] and angle [rad] of the first
  double total = 0.0;            // Σ p
  double moment = 0.0;           // Σ p_k (β_k − first)
  double low = 0.0, high = 0.0;  // of β_k − first [rad]
  ST_FN double angle() const { return first + moment / total; }
};

/// What a round says about a rim.
struct RimRound {
  int points;           // that share the load; 0: they are apart, or not on the rim
  bool stands;          // it is tilted, and on a flat part of the other shape; else load and lowest are the last ones
  double lowest, load;  // m, l [rad]
  double spread;        // angle between the outermost points [rad]
  double fall;          // how far the rim falls in a quarter turn [m]
};

/// Points of a rim for the next round.
struct RimPoints {
  double angle, half;  // β, δ [rad]
  double tie;          // gaps that are closer are equal [m]
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
constexpr double kRimTurn = 1e-10;

/// The angle from a to b, in [−π, π].
ST_FN double turned_angle(double a, double b) { return std::remainder(b - a, 6.283185307179586); }

/// Adds a point of the last round, in the frame of the cylinder, with its impulse p; false if it is apart from the
/// others.
ST_FN bool add_to_rim(const Vec3<double>& size, const Vec3<double>& local, double p, RimLoad& load) {
  if (load.points > 0 && p < kRimShare * load.total) return true;
  const double across = std::sqrt(local.x * local.x + local.y * local.y), angle = std::atan2(local.y, local.x);
  if (load.points == 0) load.cap = with_sign_of(size.y, local.z), load.first = angle;
  if (std::fabs(local.z - load.cap) > kOnRim * size.y || std::fabs(across - size.x) > kOnRim * size.x) return false;
  const double turn = turned_angle(load.first, angle);
  load.low = smaller(load.low, turn), load.high = larger(load.high, turn);
  load.total += p, load.moment += p * turn;
  ++load.points;
  return load.high - load.low <= kRimSpread;
}

/// The points of the next round, after the `last` and the one `before`, for a cap that is tilted by the sine `tilt`.
/// `angle`: β if it is known; null: it is found here.
ST_FN RimPoints next_rim_points(const RimRound& last, const RimRound& before, double tilt, double radius,
                                const double* angle) {
  const double left = turned_angle(last.load, last.lowest);  // m − l
  const double apart = larger(std::fabs(left), last.spread), fall = tilt * radius;
  if (tilt * std::fabs(left) <= kRimTurn && 0.5 * fall * apart * apart <= kept_tie<double>())
    return {last.load, larger(4.0 * apart, kLeastHalf), kept_tie<double>()};
  double share = left;  // β − l
  if (angle) {
    share = turned_angle(last.load, *angle);
  } else if (before.stands) {
    const double change = turned_angle(before.load, before.lowest) - left;
    const double secant = left * turned_angle(before.load, last.load) / change;
    if (secant * left > 0.0 && std::fabs(secant) < std::fabs(left)) share = secant;
  }
  const double half = larger(larger(std::fabs(share), std::fabs(left - share)), kLeastHalf);
  return {last.load + share, half, larger(kept_tie<double>(), fall * half * half)};
}

}  // namespace stiction
