// The closest or deepest points of an edge of a box and an ellipsoid or a cylinder: no search.
//
// Seen along the edge, the box ends in a corner c, and B is an ellipse, or the hull of two that are the ends of a
// cylinder:
//
//   n(θ)                       unit normal across the edge, between those of its two faces;  t = dn/dθ
//   (x − m)ᵀ Q⁻¹ (x − m) ≤ 1   an ellipse, m and x from c
//   g = n·m − q,  q = √(nᵀQn)                     gap along n, largest where the points are closest
//   g' = t·m − nᵀQt/q,  g'' = −(g + det Q/q³)     for Newton's method; det Q/q³ is a radius of curvature
//
// s is the point of B farthest along −n, y its foot on the edge, g their distance along n:
//
//   separated, g ≥ 0:  s − y = g n, and no points are closer than the planes across n through y and s
//   overlap, δ = −g:   if B contains a ball of radius ρ ≥ δ that touches its surface at s, the depth along any other
//                      unit normal n' is at least δ n·n' + ρ (1 − n·n') ≥ δ
//
// The ball is that of the least radius of curvature of an ellipsoid, which rolls inside of it; at the side of a
// cylinder, the largest one between its ends. The rim of a cylinder whose axis a is nearly along the edge, by e, has no
// ball, but the disk about the point c of the axis, of radius r, and the edge to L on both sides of y: along n',
//
//   depth ≥ n'·(y − c) + r |D| + L |n'·e|,  D = n' − (n'·a) a        with n' = α n + β n × e + γ e
//         ≥ δ α + r |D| (1 − cos χ) + L |γ|                          χ from n − (n·a) a to D;  |D| sin χ = β t + γ u
//
// If |a·e| ≥ 0.95, then u² ≤ 1 − (a·e)² ≤ 0.1 and t² = 1 − u². With r ≥ 10 δ and L ≥ 4 δ the depth is at least δ: for
// α ≥ 0, δ (1 − α) ≤ δ (β² + γ²), while r |D| (1 − cos χ) ≥ r/2 (β t + γ u)²; for α < 0 one of the last two terms of
// the depth is at least 2 δ. A corner of the box beside a cylinder's side, where the edge ends, is a point on the
// surface of a ball again. For all else a search is needed.
#pragma once

#include "kernels/collision/penetration.hpp"
#include "kernels/linalg/plane_point.hpp"

namespace stiction {

/// What is known of a pair without a search. kNone: nothing, its closest points are others than those looked for.
enum class DirectPair { kNone, kApart, kFound };

/// s − y and g n agree to this share of the size of what is seen, a few roundings [-].
constexpr double kEdgeShare = 1e-12;

namespace collision_detail {

/// An edge of a box of half extents `size`, along axis[2], where the faces with normals side[0] axis[0] and side[1]
/// axis[1] meet.
struct BoxEdge {
  Vec3<double> size;
  int axis[3];
  double side[2];

  ST_FN PlanePoint corner() const { return {size[axis[0]], size[axis[1]]}; }

  ST_FN PlanePoint across(const Vec3<double>& v) const { return {side[0] * v[axis[0]], side[1] * v[axis[1]]}; }

  ST_FN Vec3<double> in_space(PlanePoint a, double along) const {
    Vec3<double> v;
    v[axis[0]] = side[0] * a.x, v[axis[1]] = side[1] * a.y, v[axis[2]] = along;
    return v;
  }
};

/// A core as seen along an edge, and what of it touches first.
struct EdgeView {
  PlanePoint m = {0.0, 0.0};          // its centre, from the corner [m]
  PlanePoint half_axis = {0.0, 0.0};  // from there to the centre of an end of a cylinder [m]
  double xx = 0, xy = 0, yy = 0;      // Q of the ellipse, or of an end [m²]
  double shared = 0.0;                // of a cylinder along the edge, where: from −1, one end, to 1
  PlanePoint n = {0.0, 1.0};          // result
  double part = 0.0;                  // result: where on a cylinder, as `shared`
  double ball = 0.0;                  // result: ρ [m]
};

/// The middle of the stretch of a segment about `center`, from −1, one end, to 1, that is beside an edge of half length
/// `size`.
ST_FN double shared_part(double center, double half, double size) {
  const double one = (-size - center) / half, other = (size - center) / half;
  return 0.5 * (clamped(one, -1.0, 1.0) + clamped(other, -1.0, 1.0));
}

/// The view of a cylinder or an ellipsoid whose centre is at `center` from that of the box, whose axes are `frame`.
template <class Real>
ST_FN EdgeView view_along(const BoxEdge& edge, const Mat3<double>& frame, const Vec3<double>& center,
                          const ConvexCore<Real>& core) {
  EdgeView view;
  const auto across = [&](const Vec3<double>& v) { return edge.across(transpose_mul(frame, v)); };
  view.m = across(center) - edge.corner();
  const bool round = core.type == GeomType::kCylinder;
  if (round) {
    const Vec3<double> half = core.size.y * core.rotation.column(2), direction = frame.column(edge.axis[2]);
    view.half_axis = across(half);
    view.shared = shared_part(dot(direction, center), dot(direction, half), edge.size[edge.axis[2]]);
  }
  for (int j = 0; j < 3; ++j) {
    const PlanePoint column = across(core.rotation.column(j));
    const double radius = !round ? core.size[j] : j < 2 ? core.size.x : 0.0, square = radius * radius;
    view.xx += square * column.x * column.x, view.xy += square * column.x * column.y;
    view.yy += square * column.y * column.y;
  }
  return view;
}

/// Writes n for the ellipse about m by Newton's method between the normals of the two faces, bisected where it leads
/// out of them or away; false if g is largest at one of these.
ST_FN bool find_normal_across(PlanePoint m, EdgeView& view) {
  constexpr int kMaxSteps = 24;
  constexpr double kLongest = 0.8, kLast = 1e-8;  // steps [rad]: the error of n is the square of the last
  if (!(m.y * std::sqrt(view.xx) >= view.xy && m.x * std::sqrt(view.yy) >= view.xy)) return false;
  const double determinant = view.xx * view.yy - view.xy * view.xy;
  PlanePoint low = {1.0, 0.0}, high = {0.0, 1.0}, n = unit({larger(m.x, 0.0), larger(m.y, 0.0)});
  if (!(dot(n, n) > 0.0)) n = unit(low + high);
  ST_ROLLED
  for (int i = 0; i < kMaxSteps; ++i) {
    const PlanePoint t = {-n.y, n.x}, Qn = {view.xx * n.x + view.xy * n.y, view.xy * n.x + view.yy * n.y};
    const double square = dot(n, Qn), q = std::sqrt(square);
    const double slope = dot(t, m) - dot(t, Qn) / q, bend = dot(n, m) - q + determinant / (square * q);
    const double step = slope / bend;
    const bool curved = bend > 0.0 && std::fabs(step) <= kLongest;
    view.n = unit(n + (curved ? step : 0.0) * t);
    if (curved && std::fabs(step) < kLast) return true;
    (slope > 0.0 ? low : high) = n;
    const bool between = turn(low, view.n) >= 0.0 && turn(view.n, high) >= 0.0;
    n = curved && between ? view.n : unit(low + high);
  }
  return false;
}

/// Writes where the side of a cylinder touches, n and ρ; false if one of its ends does.
ST_FN bool touch_side(const Vec3<double>& size, EdgeView& view) {
  const PlanePoint axis = view.half_axis;
  const bool parallel = norm(axis) <= kEdgeShare * smaller(size.x, size.y);
  view.part = parallel ? view.shared : -dot(axis, view.m) / dot(axis, axis);
  if (!(std::fabs(view.part) <= 1.0)) return false;
  view.n = unit(parallel ? view.m + view.part * axis : PlanePoint{-axis.y, axis.x});
  if (dot(view.n, view.m) < 0.0) view.n = {-view.n.x, -view.n.y};
  view.ball = smaller(size.x, size.y * (1.0 - std::fabs(view.part)));
  return true;
}

/// Writes what touches first; false if that is not known.
ST_FN bool find_touch(bool cylinder, const Vec3<double>& size, EdgeView& view) {
  PlanePoint m = view.m;
  if (cylinder) {
    if (touch_side(size, view)) return true;
    view.part = with_sign_of(1.0, view.part);
    m = m + view.part * view.half_axis;
  } else {
    const double least = smaller(size.x, smaller(size.y, size.z)), most = larger(size.x, larger(size.y, size.z));
    view.ball = least * least / most;
  }
  return find_normal_across(m, view) && view.part * dot(view.n, view.half_axis) <= 0.0;
}

/// How deep the disk of a cylinder beside an edge may overlap, `along` being where it touches, from −size to size [m].
ST_FN double deepest_disk(const BoxEdge& edge, const Vec3<double>& direction, double along, double radius,
                          const Vec3<double>& axis) {
  constexpr double kAlong = 0.95;
  if (std::fabs(dot(direction, axis)) < kAlong) return 0.0;
  return smaller(0.1 * radius, 0.25 * (edge.size[edge.axis[2]] - std::fabs(along)));
}

/// Axes that are orthonormal in double: those of single precision are not, by its rounding. R (3 − RᵀR)/2
template <class Real>
ST_FN Mat3<double> orthonormal(const Mat3<double>& R) {
  Mat3<double> axes = R;
  for (int j = 0; j < 3 && sizeof(Real) < 8; ++j) {
    const Vec3<double> own = R.column(j), column = 1.5 * own - 0.5 * (R * transpose_mul(R, own));
    for (int i = 0; i < 3; ++i) axes.m[3 * i + j] = column[i];
  }
  return axes;
}

/// Writes n and ρ where the side of the cylinder B touches the corner at the end `end` of the edge, at y from the
/// centre of B; false if the closest points are others.
template <class Real>
ST_FN bool touch_corner(const Mat3<double>& frame, const BoxEdge& edge, double end, const Vec3<double>& y,
                        const ConvexCore<Real>& B, Vec3<double>& n, double& ball) {
  const Vec3<double> axis = B.rotation.column(2);
  const double at = dot(axis, y), inside = B.size.y - std::fabs(at);
  n = at * axis - y;
  n = n - dot(n, axis) * axis;  // y and at axis may be far longer than n
  n = (1.0 / norm(n)) * n;
  ball = smaller(B.size.x, inside);
  const Vec3<double> in_box = transpose_mul(frame, n);
  const PlanePoint across = edge.across(in_box);
  return inside >= 0.0 && across.x >= 0.0 && across.y >= 0.0 && end * in_box[edge.axis[2]] >= 0.0;
}

}  // namespace collision_detail

/// Looks for the pair on an edge of the box A. `sign` is −1 if the box is the second of the pair.
template <class Real>
ST_PHASE DirectPair find_pair_on_edge(const ConvexCore<Real>& A, const ConvexCore<Real>& other,
                                      const collision_detail::BoxEdge& edge, double max_distance, double sign,
                                      ClosestPair& pair) {
  using namespace collision_detail;
  const bool round = other.type == GeomType::kCylinder;
  if (!round && other.type != GeomType::kEllipsoid) return DirectPair::kNone;
  const Mat3<double> frame = orthonormal<Real>(A.rotation);
  ConvexCore<Real> B = other;
  B.rotation = orthonormal<Real>(other.rotation);
  EdgeView view = view_along(edge, frame, B.position - A.position, B);
  if (!find_touch(round, B.size, view)) return DirectPair::kNone;
  if (!(view.n.x >= 0.0 && view.n.y >= 0.0)) return DirectPair::kNone;  // nearer to another part of the box
  Vec3<double> n = frame * edge.in_space(view.n, 0.0);
  n = (1.0 / norm(n)) * n;
  Vec3<double> s = support(B, -n);
  if (round && view.ball > 0.0) s = B.position + view.part * B.size.y * B.rotation.column(2) - B.size.x * n;
  const int axis = edge.axis[2];
  const double size = edge.size[axis], along = transpose_mul(frame, s - A.position)[axis];
  Vec3<double> y = A.position + frame * edge.in_space(edge.corner(), clamped(along, -size, size));
  double deepest = view.ball;
  if (round && std::fabs(along) > size) {
    if (!touch_corner(frame, edge, with_sign_of(1.0, along), y - B.position, B, n, deepest)) return DirectPair::kNone;
    s = y + (dot(n, B.position - y) - B.size.x) * n;
  } else if (round) {
    deepest = larger(deepest, deepest_disk(edge, frame.column(axis), along, B.size.x, B.rotation.column(2)));
  } else if (std::fabs(along) > size) {
    return DirectPair::kNone;
  }
  const double gap = dot(n, s - y);
  const double extent = std::sqrt(view.xx + view.yy) + std::fabs(gap) + 1e-3 * norm(s - A.position);
  if (!(norm(s - y - gap * n) <= kEdgeShare * extent && gap >= -deepest)) return DirectPair::kNone;
  if (gap > max_distance) return DirectPair::kApart;
  pair = {sign * n, sign > 0.0 ? y : s, sign > 0.0 ? s : y, gap};
  return DirectPair::kFound;
}

}  // namespace stiction
