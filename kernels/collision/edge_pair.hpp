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
// cylinder, the largest one between its ends. The rim of a cylinder has no ball. Let c be the centre of that end, a the
// axis outwards there, y* the end of the edge to which a points, e the edge's direction there, b = (y* − c)·a how far
// it is beyond the end, L the edge's and 2H the cylinder's length. What overlaps contains, of all differences of a
// point of the box and one of the cylinder,
//
//   C₁ = y* − c − disk − [0, L] e,   an elliptic cylinder along e, whose least radius of curvature is r (a·e)²,
//   C₂ = y* − c − disk + [0, 2H] a,  a round one along a.
//
// The same plane x·a = b ends both, and all else of them is further away. A ball of radius δ about 0 that is inside of
// one of them, or of both without their ends, is inside of what overlaps, and its depth is at least δ:
//
//   the rim beside the edge, δ₁ along n across e:      least if δ₁ ≤ r (a·e)² and δ₁ ≤ b or δ₁ ≤ δ₂
//   y* beside the cylinder, δ₂ along n across a:       least if δ₂ ≤ r        and δ₂ ≤ −b or δ₂ ≤ δ₁
//
// For all else a search is needed.
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

/// The view of B, a cylinder or an ellipsoid in the frame of the box.
template <class Real>
ST_FN EdgeView view_along(const BoxEdge& edge, const ConvexCore<Real>& B) {
  EdgeView view;
  view.m = edge.across(B.position) - edge.corner();
  const bool round = B.type == GeomType::kCylinder;
  if (round) {
    const int axis = edge.axis[2];
    const Vec3<double> half = B.size.y * B.rotation.column(2);
    view.half_axis = edge.across(half);
    view.shared = shared_part(B.position[axis], half[axis], edge.size[axis]);
  }
  for (int j = 0; j < 3; ++j) {
    const PlanePoint column = edge.across(B.rotation.column(j));
    const double radius = !round ? B.size[j] : j < 2 ? B.size.x : 0.0, square = radius * radius;
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
  const bool nearly = norm(axis) <= size.x;  // −axis.y, axis.x may be little but rounding
  view.n = unit(nearly ? view.m + view.part * axis : PlanePoint{-axis.y, axis.x});
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

/// The shape as seen from the frame of A.
template <class Real>
ST_FN ConvexCore<Real> in_frame_of(const Mat3<double>& frame, const ConvexCore<Real>& A,
                                   const ConvexCore<Real>& shape) {
  ConvexCore<Real> B = shape;
  const Mat3<double> axes = orthonormal<Real>(shape.rotation);
  for (int j = 0; j < 3; ++j) {
    const Vec3<double> column = transpose_mul(frame, axes.column(j));
    for (int i = 0; i < 3; ++i) B.rotation.m[3 * i + j] = column[i];
  }
  B.position = transpose_mul(frame, shape.position - A.position);
  return B;
}

/// A point y of the box, s of B, the unit normal n from the box and how deep they may overlap [m].
struct EdgeTouch {
  Vec3<double> n, y, s;
  double deepest;

  ST_FN double gap() const { return dot(n, s - y); }
};

/// Whether the cylinder B touches the edge at `touch`, at `part` of B, or else at the end of the edge, which then
/// replaces it.
template <class Real>
ST_FN bool touch_edge_or_corner(const BoxEdge& edge, double part, const ConvexCore<Real>& B, EdgeTouch& touch) {
  const int axis = edge.axis[2];
  const double size = edge.size[axis], radius = B.size.x, length = 2.0 * B.size.y;
  const bool rim = touch.deepest == 0.0, beside = std::fabs(touch.s[axis]) <= size;
  if (!rim && beside) return true;
  const Vec3<double> a = with_sign_of(1.0, part) * B.rotation.column(2);
  const double end = with_sign_of(1.0, rim ? a[axis] : touch.s[axis]);
  EdgeTouch corner;
  corner.y = edge.in_space(edge.corner(), end * size);
  const Vec3<double> arm = B.position - corner.y;
  const double b = -dot(a, arm) - B.size.y;
  corner.n = arm - dot(arm, a) * a;
  corner.n = corner.n - dot(corner.n, a) * a;  // arm may be far longer than n
  corner.n = (1.0 / norm(corner.n)) * corner.n;
  corner.s = corner.y + (dot(corner.n, arm) - radius) * corner.n;
  const double tie = kEdgeShare * radius, ends = smaller(2.0 * size * std::fabs(a[axis]) - b, length + b);
  if (rim) touch.deepest = smaller(smaller(radius * a[axis] * a[axis], ends), larger(b, tie - corner.gap()));
  if (beside && touch.gap() >= smaller(0.0, -touch.deepest)) return true;
  corner.deepest = smaller(smaller(radius, ends), rim ? larger(-b, tie - touch.gap()) : -b);
  touch = corner;
  const PlanePoint across = edge.across(touch.n);
  return b <= tie && length + b >= -tie && across.x >= 0.0 && across.y >= 0.0 && end * touch.n[axis] * size >= -tie;
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
  ConvexCore<Real> B = in_frame_of(frame, A, other);
  EdgeView view = view_along(edge, B);
  if (!find_touch(round, B.size, view)) return DirectPair::kNone;
  if (!(view.n.x >= 0.0 && view.n.y >= 0.0)) return DirectPair::kNone;  // nearer to another part of the box
  EdgeTouch touch;
  touch.n = edge.in_space(view.n, 0.0);
  touch.s = support(B, -touch.n);
  if (round && view.ball > 0.0) touch.s = B.position + view.part * B.size.y * B.rotation.column(2) - B.size.x * touch.n;
  const double along = touch.s[edge.axis[2]], size = edge.size[edge.axis[2]];
  touch.y = edge.in_space(edge.corner(), clamped(along, -size, size));
  touch.deepest = view.ball;
  const bool found = round ? touch_edge_or_corner(edge, view.part, B, touch) : std::fabs(along) <= size;
  const double gap = touch.gap(), extent = std::sqrt(view.xx + view.yy) + std::fabs(gap) + 1e-3 * norm(touch.s);
  const Vec3<double> aside = touch.s - touch.y - gap * touch.n;
  if (!(found && norm(aside) <= kEdgeShare * extent && gap >= smaller(0.0, -touch.deepest))) return DirectPair::kNone;
  if (gap > max_distance) return DirectPair::kApart;
  pair.normal = sign * (frame * touch.n), pair.gap = gap;
  (sign > 0.0 ? pair.p_A : pair.p_B) = A.position + frame * touch.y;
  (sign > 0.0 ? pair.p_B : pair.p_A) = A.position + frame * touch.s;
  return DirectPair::kFound;
}

}  // namespace stiction
