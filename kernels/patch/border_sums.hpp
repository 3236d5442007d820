// Area, centroid and mean distance of a plane area from its border, which consists of straight lines and arcs.
//
// With x relative to an origin of the plane, u outward along the border and c the centroid,
//
//   A = ½ ∮ x·u ds,   A c = ∫_P x dx,   ∫_P ‖x − c‖ dx = ⅓ ∮ ‖x − c‖ (x − c)·u ds                        (1)
//
// A line with the coordinate s, at the distance d from c, adds d/3 ∫ √(s² + d²) ds = d/6 [s √(s² + d²) + d²
// asinh(s/d)]. On an arc of radius R around o, let e = ‖c − o‖ and t the angle from the direction of c. Then
//
//   ‖x − c‖ = Δ(t),   Δ² = R² + e² − 2 R e cos t = a² + 4 R e sin²(t/2),   a = R − e                    (2)
//   ⅓ ∮ Δ (R − e cos t) R dt = 1/18 [(7 R² + e²) E − (R² − e²)² F − 4 R e sin t Δ]                       (3)
//   F = ∫ dt/Δ = 2 s R_F(x, Δ², a²),   E = ∫ Δ dt = 2 s a² [R_F + 4/3 R e s² R_D(x, Δ², a²)]             (4)
//
// from t = 0 on, with s = sin(t/2), x = (a cos(t/2))², and Carlson's integrals R_F and R_D (DLMF 19.16, 19.25.5). All
// of this is exact up to rounding; where the area is thin, an arc of the angle θ loses a share of 1e-16/θ².
#pragma once

#include <cmath>

#include "kernels/linalg/plane_point.hpp"
#include "kernels/linalg/scalar.hpp"

namespace stiction {

namespace ecp_detail {

/// Carlson's R_F(x, y, z) and R_D(x, y, z) by duplication; x >= 0, y and z > 0.
struct CarlsonIntegrals {
  double F, D;
};

ST_FN CarlsonIntegrals carlson_integrals(double x, double y, double z) {
  constexpr double kSpread = 2e-3;  // its sixth power, which is left out, is below rounding [-]
  constexpr int kMostTimes = 60;    // each divides the spread by 4
  double sum = 0.0, power = 1.0;
  for (int k = 0; k < kMostTimes; ++k) {
    const double least = smaller(x, smaller(y, z)), most = larger(x, larger(y, z));
    if (most - least <= kSpread * most) break;
    const double sx = std::sqrt(x), sy = std::sqrt(y), sz = std::sqrt(z), l = sx * sy + sx * sz + sy * sz;
    sum += power / (sz * (z + l)), power *= 0.25;
    x = 0.25 * (x + l), y = 0.25 * (y + l), z = 0.25 * (z + l);
  }
  const double m = (x + y + z) / 3.0, X = 1.0 - x / m, Y = 1.0 - y / m, Z = -X - Y;
  const double e2 = X * Y - Z * Z, e3 = X * Y * Z;
  const double F = (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / std::sqrt(m);
  const double mean = (x + y + 3.0 * z) / 5.0, P = 1.0 - x / mean, Q = 1.0 - y / mean, S = -(P + Q) / 3.0;
  const double d2 = P * Q - 6.0 * S * S, d3 = (3.0 * P * Q - 8.0 * S * S) * S, d4 = 3.0 * (P * Q - S * S) * S * S,
               d5 = P * Q * S * S * S;
  const double series = 1.0 - 3.0 * d2 / 14.0 + d3 / 6.0 + 9.0 * d2 * d2 / 88.0 - 3.0 * d4 / 22.0 -
                        9.0 * d2 * d3 / 52.0 + 3.0 * d5 / 26.0;
  return {F, 3.0 * sum + power * series / (mean * std::sqrt(mean))};
}

/// (3) from 0 to t, for |t| <= π.
ST_FN double moment_of_half_turn(double R, double e, double t) {
  const double s = std::sin(0.5 * t), c = std::cos(0.5 * t), a = R - e, apart = a * a + 4.0 * R * e * s * s;
  if (!(apart > 0.0 && a > 0.0)) return 0.0;
  const CarlsonIntegrals carlson = carlson_integrals(a * a * c * c, apart, a * a);
  const double F = 2.0 * s * carlson.F, E = 2.0 * s * a * a * (carlson.F + 4.0 / 3.0 * R * e * s * s * carlson.D);
  const double wide = (R * R - e * e) * (R * R - e * e);
  return ((7.0 * R * R + e * e) * E - wide * F - 4.0 * R * e * std::sin(t) * std::sqrt(apart)) / 18.0;
}

/// (3) from 0 to any t.
ST_FN double moment_to_angle(double R, double e, double t) {
  constexpr double kTurn = 6.283185307179586, kHalf = 3.141592653589793;
  const double turns = std::nearbyint(t / kTurn);
  const double whole = turns == 0.0 ? 0.0 : 2.0 * turns * moment_of_half_turn(R, e, kHalf);
  return whole + moment_of_half_turn(R, e, clamped(t - turns * kTurn, -kHalf, kHalf));
}

/// s √(s² + d²) + d² asinh(s/d)
template <class Real>
ST_FN Real moment_to(Real s, Real d) {
  const Real length = std::sqrt(s * s + d * d);
  return s * length + d * d * std::log((std::fabs(s) + length) / d) * (s < Real(0) ? Real(-1) : Real(1));
}

}  // namespace ecp_detail

/// A, A c and the length of the border. Its parts may come in any order; together they must be closed.
struct BorderSums {
  double area = 0.0;    // [m²]
  PlanePoint weighted;  // A c [m³]
  PlanePoint way;       // sum of the parts, 0 if the border is closed [m]
  double length = 0.0;  // of all parts and their chords [m]

  ST_FN void line(PlanePoint p, PlanePoint q) {
    const double part = 0.5 * turn(p, q);
    area += part;
    weighted = weighted + (part / 3.0) * (p + q);
    way = way + (q - p);
    length += norm(q - p);
  }

  /// Around o with radius R, from the angle `start` on by `angle` [rad], which may be negative.
  ST_FN void arc(PlanePoint o, double R, double start, double angle) {
    line(o + R * at_angle(start), o + R * at_angle(start + angle));
    const double part = 0.5 * R * R * (angle - std::sin(angle)), half = std::sin(0.5 * angle);
    area += part;
    weighted = weighted + part * o + (2.0 / 3.0 * R * R * R * half * half * half) * at_angle(start + 0.5 * angle);
    length += R * std::fabs(angle);
  }
};

/// ∫_P ‖x − c‖ dx [m³]
struct BorderMoment {
  PlanePoint c;
  double moment = 0.0;

  ST_FN void line(PlanePoint p, PlanePoint q) {
    const double length = norm(q - p);
    if (!(length > 0.0)) return;
    const double d = turn(p - c, q - p) / length, s = dot(p - c, q - p) / length, away = std::fabs(d);
    if (!(away > 0.0)) return;
    moment += d / 6.0 * (ecp_detail::moment_to(s + length, away) - ecp_detail::moment_to(s, away));
  }

  ST_FN void arc(PlanePoint o, double R, double start, double angle) {
    const double from = start - angle_of(c - o), e = norm(c - o);
    moment += ecp_detail::moment_to_angle(R, e, from + angle) - ecp_detail::moment_to_angle(R, e, from);
  }
};

}  // namespace stiction
