// The closest or deepest points of two cores where one of them is a point over a flat face of the other: no search.
//
//   n, F       unit normal and face of A
//   s          farthest point of B along −n, or one as far,   x its foot on the plane of F,   δ = n·(x − s) its depth
//
//   separated, δ ≤ 0:  x in F                → |s − x| is the distance, as no point of B is nearer to the plane
//   overlap,   δ > 0:  s in A, all of whose  → δ is the depth: A − B contains A − s, whose boundary is at least δ from
//                      other faces are at      the origin, and A − B ends at δ along n
//                      least as far as δ
//
// Faces are those of boxes and the caps of cylinders. Of a box it is the one of the guess of the normal, or else the
// one along which B is farthest. Of a capsule and of the side of a cylinder, s may be any point of the line that lies
// along the face. Most pairs that carry load are such pairs, and their normal is the face's to the last bit. Where x is
// beyond a face of a box, its edge there is tried (edge_pair.hpp).
#pragma once

#include "kernels/collision/clip.hpp"
#include "kernels/collision/edge_pair.hpp"

namespace stiction {

/// How far beyond the border of a face a point of a line is at least taken: rounding does not decide that it is outside
/// [m].
constexpr double kPastEntry = 1e-9;

namespace collision_detail {

/// A face of a core: that of a box whose normal is `side` times an axis of the frame, or a cap of a cylinder.
struct CoreFace {
  const Vec3<double>& size;
  bool round;
  int axis;
  double side;

  ST_FN double extent() const { return round ? size.y : size[axis]; }

  /// How far the point p is from all other faces; negative outside one of them [m].
  ST_FN double inside(const Vec3<double>& p) const {
    double least = extent() + side * p[axis];
    if (round) return smaller(least, size.x - std::sqrt(p.x * p.x + p.y * p.y));
    for (int i = 0; i < 3; ++i)
      if (i != axis) least = smaller(least, size[i] - std::fabs(p[i]));
    return least;
  }
};

/// The part [from, to] of the line p + t d, 0 ≤ t ≤ 1, over the face.
struct LinePart {
  double from = 0.0, to = 1.0;
};

/// Cuts the part at |a + t b| ≤ size.
ST_FN void cut_line(double a, double b, double size, LinePart& part) {
  if (b == 0.0) {
    if (std::fabs(a) > size) part.to = -1.0;
    return;
  }
  const double one = (-size - a) / b, other = (size - a) / b;
  part.from = larger(part.from, smaller(one, other));
  part.to = smaller(part.to, larger(one, other));
}

/// The edge of the face of a box beyond which the point p is farthest. Of a line p + t d, 0 ≤ t ≤ 1, that is the edge
/// beside the middle of its part within the length of the face, if that is beyond the face sideways.
ST_FN BoxEdge edge_below(const CoreFace& face, const Vec3<double>& first, const Vec3<double>& d) {
  const int one = (face.axis + 1) % 3, other = (face.axis + 2) % 3;
  const int long_axis = std::fabs(d[one]) > std::fabs(d[other]) ? one : other, side = one + other - long_axis;
  LinePart part;
  cut_line(first[long_axis], d[long_axis], face.size[long_axis], part);
  const Vec3<double> middle = first + 0.5 * (part.from + part.to) * d;
  const bool beside = part.from <= part.to && std::fabs(middle[side]) > face.size[side];
  const Vec3<double>& p = beside ? middle : first;
  const bool beyond_one = std::fabs(p[one]) - face.size[one] > std::fabs(p[other]) - face.size[other];
  const int across = beyond_one ? one : other;
  return {face.size, {face.axis, across, beyond_one ? other : one}, {face.side, with_sign_of(1.0, p[across])}};
}

/// The part of the line from p to p + d that is over the face; from > to: there is none.
ST_FN LinePart part_over(const CoreFace& face, const Vec3<double>& p, const Vec3<double>& d) {
  LinePart part;
  if (face.round) {
    const double dd = d.x * d.x + d.y * d.y, nearest = dd > 0.0 ? -(p.x * d.x + p.y * d.y) / dd : 0.0;
    const double x = p.x + nearest * d.x, y = p.y + nearest * d.y, r = face.size.x;
    const double half = dd > 0.0 ? std::sqrt(larger(0.0, r * r - x * x - y * y) / dd) : 1.0;
    part.from = larger(part.from, nearest - half), part.to = smaller(part.to, nearest + half);
  } else {
    for (int i = 0; i < 3; ++i)
      if (i != face.axis) cut_line(p[i], d[i], face.size[i], part);
  }
  return part;
}

/// Where on a line from its lowest end s, at p in the frame of the face, a point over the face is as low but for a tie:
/// in its middle, or else `past` beyond where the line comes over the face. 0, the end itself, without such a point.
ST_FN double level_point(const CoreFace& face, const Vec3<double>& p, const Vec3<double>& line, double rise, double tie,
                         double past) {
  const LinePart part = part_over(face, p, line);
  const double middle = 0.5 * (part.from + part.to);
  if (!(part.from <= part.to)) return 0.0;
  if (middle * rise <= tie) return middle;
  const double entry = smaller(part.from + past / norm(line), middle);
  return part.from > 0.0 && entry * rise <= tie ? entry : 0.0;
}

/// From an end of the line of a round core, along which it is straight, to the other end; zero for other cores.
template <class Real>
ST_FN Vec3<double> straight_line(const ConvexCore<Real>& core, const Vec3<double>& end) {
  if (core.type != GeomType::kCylinder && core.type != GeomType::kCapsule) return {0.0, 0.0, 0.0};
  const Vec3<double> axis = core.rotation.column(2);
  return with_sign_of(2.0 * core.size.y, -dot(axis, end - core.position)) * axis;
}

}  // namespace collision_detail

/// Looks for the pair on one face of A, the one with normal `side` times `axis` of its frame, or on the edge of a box
/// beyond which s is. `sign` is −1 if A is the second of the pair. kNone: its closest points are others, or unknown.
template <class Real>
ST_FN DirectPair find_pair_on_face(const ConvexCore<Real>& A, ConvexCore<Real>& B, int axis, double side,
                                   double max_distance, double tie, double sign, ClosestPair& pair) {
  using namespace collision_detail;
  const CoreFace face = {A.size, A.type == GeomType::kCylinder, axis, side};
  const Vec3<double> column = A.rotation.column(axis);
  const double length = norm(column);
  const Vec3<double> n = (side / length) * column;
  Vec3<double> s = support(B, -n);
  double height = dot(n, s - A.position) - face.extent() * length;
  if (height > max_distance) return DirectPair::kApart;
  const auto in_frame = [&](const Vec3<double>& v) { return transpose_mul(A.rotation, v); };
  Vec3<double> line = straight_line(B, s);
  if (norm_squared(line) > 0.0) {
    const double rise = dot(n, line), past = kPastEntry + 4.0 * larger(0.0, -height);
    const double t = level_point(face, in_frame(s - A.position), in_frame(line), rise, tie, past);
    s += t * line, height += t * rise;
    line = (1.0 - t) * line;
  }
  const Vec3<double> p = in_frame(s - A.position);
  if (!(face.inside(p) >= larger(0.0, -height)))
    return face.round ? DirectPair::kNone
                      : find_pair_on_edge(A, B, edge_below(face, p, in_frame(line)), max_distance, sign, pair);
  const Vec3<double> foot = s - height * n;
  pair = {sign * n, sign > 0.0 ? foot : s, sign > 0.0 ? s : foot, height};
  return DirectPair::kFound;
}

/// The same on the face of A, a box or a cylinder, that the guess of the normal names or that is likeliest without one.
template <class Real>
ST_FN DirectPair find_pair_on_faces(const ConvexCore<Real>& A, ConvexCore<Real>& B, double max_distance, double tie,
                                    const Vec3<double>& guess, double sign, ClosestPair& pair) {
  const bool guessed = norm_squared(guess) > 0.0;
  const Vec3<double> at = transpose_mul(A.rotation, guessed ? sign * guess : B.position - A.position);
  int axis = 2;
  if (A.type == GeomType::kCylinder) {
    const double radial = std::sqrt(at.x * at.x + at.y * at.y), axial = std::fabs(at.z);
    if (guessed ? axial < radial : axial - A.size.y < radial - A.size.x) return DirectPair::kNone;
  } else if (A.type == GeomType::kBox) {
    const auto over = [&](int i) { return guessed ? std::fabs(at[i]) : std::fabs(at[i]) - A.size[i]; };
    for (int i = 0; i < 2; ++i)
      if (over(i) > over(axis)) axis = i;
  } else {
    return DirectPair::kNone;
  }
  return find_pair_on_face(A, B, axis, with_sign_of(1.0, at[axis]), max_distance, tie, sign, pair);
}

/// The same on a face of A, or else of B.
template <class Real>
ST_PHASE DirectPair find_pair_on_any_face(ConvexCore<Real>& A, ConvexCore<Real>& B, double max_distance, double tie,
                                          Vec3<double> guess, ClosestPair& pair) {
  DirectPair found = DirectPair::kNone;
  ST_ROLLED
  for (double sign = 1.0; sign >= -1.0 && found == DirectPair::kNone; sign -= 2.0) {
    ConvexCore<Real>&own = sign > 0.0 ? A : B, &other = sign > 0.0 ? B : A;
    found = find_pair_on_faces(own, other, max_distance, tie, guess, sign, pair);
  }
  return found;
}

}  // namespace stiction
