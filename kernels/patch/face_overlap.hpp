// The area in which two faces lie over one another, seen along the common normal n: its border, as lines and arcs.
//
//   whole plane ∩ face     the border of the face
//   disk ∩ disk            two arcs, or the smaller disk
//   polygon ∩ polygon      the edges of each, as far as they are inside of the other; shared ones are those of A
//   disk ∩ polygon         the edges inside of the disk; each stretch of an edge outside of it is replaced by the arc
//                          under it, as seen from the centre, with the sign of its sense: all that is too much cancels
//
// Faces are the features of surface_feature.hpp, with all corners of a mesh's face and the whole border of a cap, which
// counts as a disk also where it is tilted. Nothing is stored, so that faces may have any number of corners.
#pragma once

#include "kernels/collision/clip.hpp"
#include "kernels/collision/contact_frame.hpp"
#include "kernels/collision/surface_feature.hpp"
#include "kernels/patch/border_sums.hpp"

namespace stiction {

enum class FaceKind { kNone, kPlane, kDisk, kPolygon, kSegment };

/// What a shape shows along a direction, and the plane in which it is seen: through `origin`, with axes x, y.
template <class Real>
struct SeenFace {
  FaceKind kind = FaceKind::kNone;
  const PlacedShape<Real>* shape;
  Vec3<Real> origin, x, y;
  int count = 0, face = 0;   // of a polygon: corners; face of a mesh, or axis of a box
  Real side = Real(1);       // end of a cylinder's or box's axis that is seen
  bool backwards = false;    // the corners of a polygon go round clockwise
  Vec3<Real> middle, along;  // centre of a disk; of a segment, and from there to its end, in world axes [m]

  ST_FN PlanePoint seen(const Vec3<Real>& p) const {
    const Vec3<Real> arm = p - origin;
    return {static_cast<double>(dot(x, arm)), static_cast<double>(dot(y, arm))};
  }
  ST_FN PlanePoint centre() const { return seen(middle); }
  ST_FN double radius() const { return static_cast<double>(shape->size.x); }
  /// Corner k, counter-clockwise.
  ST_FN PlanePoint corner(int k) const {
    const int i = backwards ? count - 1 - k : k;
    if (static_cast<GeomType>(shape->type) == GeomType::kMesh) {
      const int vertex = shape->face_verts[shape->face_vert_adr[face] + i];
      return seen(shape->position + shape->rotation * load3(shape->vertices + 3 * vertex));
    }
    const int u = (face + 1) % 3, v = (face + 2) % 3;
    Vec3<Real> local;
    local[face] = side * shape->size[face];
    local[u] = (i == 0 || i == 3 ? side : -side) * shape->size[u];
    local[v] = (i < 2 ? Real(1) : Real(-1)) * shape->size[v];
    return seen(shape->position + shape->rotation * local);
  }
};

namespace ecp_detail {

/// Writes what a cylinder or a capsule shows along `local`.
template <class Real>
ST_FN void see_round(const Vec3<Real>& local, SeenFace<Real>& out) {
  const PlacedShape<Real>& shape = *out.shape;
  const bool cap = static_cast<GeomType>(shape.type) == GeomType::kCylinder && local.z * local.z >= Real(0.5);
  out.kind = cap ? FaceKind::kDisk : FaceKind::kSegment;
  out.side = with_sign_of(Real(1), local.z);
  const Vec3<Real> half = {Real(0), Real(0), shape.size.y};
  const Vec3<Real> to_surface = cap ? out.side * half : shape.size.x * radial_direction(local);
  out.middle = shape.position + shape.rotation * to_surface;
  out.along = shape.rotation * half;
}

/// Writes what a box shows along `local`.
template <class Real>
ST_FN void see_box(const Vec3<Real>& local, SeenFace<Real>& out) {
  out.kind = FaceKind::kPolygon, out.count = 4, out.face = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(local[i]) > std::fabs(local[out.face]) + Real(kFaceTie)) out.face = i;
  out.side = with_sign_of(Real(1), local[out.face]);
}

}  // namespace ecp_detail

/// What `shape` shows along d in the plane through `origin` with the axes x, y; d is x × y, or `backwards`.
template <class Real>
ST_FN SeenFace<Real> see_face(const PlacedShape<Real>& shape, const Vec3<Real>& origin, const Vec3<Real>& x,
                              const Vec3<Real>& y, const Vec3<Real>& d, bool backwards) {
  SeenFace<Real> out;
  out.shape = &shape, out.origin = origin, out.x = x, out.y = y, out.backwards = backwards;
  const Vec3<Real> local = transpose_mul(shape.rotation, d);
  switch (static_cast<GeomType>(shape.type)) {
    case GeomType::kPlane:
      out.kind = FaceKind::kPlane;
      break;
    case GeomType::kBox:
      ecp_detail::see_box(local, out);
      break;
    case GeomType::kMesh:
      out.kind = FaceKind::kPolygon;
      out.face = facing_face(shape, local);
      out.count = shape.face_vert_num[out.face];
      break;
    case GeomType::kCylinder:
    case GeomType::kCapsule:
      ecp_detail::see_round(local, out);
      break;
    case GeomType::kSphere:
    case GeomType::kEllipsoid:
      break;
  }
  return out;
}

namespace ecp_detail {

template <class Real, class Border>
ST_FN void trace_whole(const SeenFace<Real>& face, Border& border) {
  constexpr double kTurn = 6.283185307179586;
  if (face.kind == FaceKind::kDisk) border.arc(face.centre(), face.radius(), 0.0, kTurn);
  for (int k = 0; k < face.count; ++k) border.line(face.corner(k), face.corner(k + 1 < face.count ? k + 1 : 0));
}

/// The arc of the first disk inside of the second; all of it if that is larger.
template <class Border>
ST_FN void trace_arc_within(PlanePoint o, double R, PlanePoint other, double other_R, bool counts_whole,
                            Border& border) {
  constexpr double kHalf = 3.141592653589793;
  const double apart = norm(other - o);
  if (apart >= R + other_R) return;
  if (apart <= std::fabs(R - other_R)) {
    if (counts_whole) border.arc(o, R, 0.0, 2.0 * kHalf);
    return;
  }
  const double cosine = (apart * apart + R * R - other_R * other_R) / (2.0 * apart * R);
  const double half = std::acos(clamped(cosine, -1.0, 1.0));
  border.arc(o, R, angle_of(other - o) - half, 2.0 * half);
}

/// The edges of P as far as they are at least `inside` [m] within Q.
template <class Real, class Border>
ST_FN void trace_edges_within(const SeenFace<Real>& P, const SeenFace<Real>& Q, double inside, Border& border) {
  for (int k = 0; k < P.count; ++k) {
    const PlanePoint p = P.corner(k), q = P.corner(k + 1 < P.count ? k + 1 : 0);
    Stretch stretch;
    for (int i = 0; i < Q.count && stretch.low < stretch.high; ++i) {
      const PlanePoint start = Q.corner(i), edge = Q.corner(i + 1 < Q.count ? i + 1 : 0) - start;
      const double length = norm(edge);
      if (!(length > 0.0)) continue;
      const double h_p = turn(edge, p - start) / length - inside, h_q = turn(edge, q - start) / length - inside;
      if (h_p < 0.0 && h_q < 0.0) stretch.high = 0.0;
      if (h_p < 0.0 && h_q >= 0.0) stretch.low = larger(stretch.low, h_p / (h_p - h_q));
      if (h_p >= 0.0 && h_q < 0.0) stretch.high = smaller(stretch.high, h_p / (h_p - h_q));
    }
    if (stretch.low < stretch.high) border.line(p + stretch.low * (q - p), p + stretch.high * (q - p));
  }
}

/// The arc around o under the way from p to q.
template <class Border>
ST_FN void trace_arc_under(PlanePoint p, PlanePoint q, PlanePoint o, double R, Border& border) {
  const PlanePoint from = p - o, to = q - o;
  border.arc(o, R, angle_of(from), std::atan2(turn(from, to), dot(from, to)));
}

template <class Real, class Border>
ST_FN void trace_disk_in_polygon(PlanePoint o, double R, const SeenFace<Real>& polygon, Border& border) {
  for (int k = 0; k < polygon.count; ++k) {
    const PlanePoint p = polygon.corner(k), q = polygon.corner(k + 1 < polygon.count ? k + 1 : 0);
    const Stretch within = stretch_in_disk(p, q, o, R);
    if (!(within.low < within.high)) {
      trace_arc_under(p, q, o, R, border);
      continue;
    }
    const PlanePoint enters = p + within.low * (q - p), leaves = p + within.high * (q - p);
    if (within.low > 0.0) trace_arc_under(p, enters, o, R, border);
    border.line(enters, leaves);
    if (within.high < 1.0) trace_arc_under(leaves, q, o, R, border);
  }
}

}  // namespace ecp_detail

/// Calls border.line and border.arc for the parts of the border of A ∩ B; for none if one of them has no area.
template <class Real, class Border>
ST_PHASE void trace_overlap(const SeenFace<Real>& A, const SeenFace<Real>& B, Border& border) {
  using namespace ecp_detail;
  const double slack = 0.5 * static_cast<double>(clip_slack<Real>());
  const auto is = [&](FaceKind a, FaceKind b) { return A.kind == a && B.kind == b; };
  if (A.kind == FaceKind::kPlane) return trace_whole(B, border);
  if (B.kind == FaceKind::kPlane) return trace_whole(A, border);
  if (is(FaceKind::kDisk, FaceKind::kPolygon)) return trace_disk_in_polygon(A.centre(), A.radius(), B, border);
  if (is(FaceKind::kPolygon, FaceKind::kDisk)) return trace_disk_in_polygon(B.centre(), B.radius(), A, border);
  if (is(FaceKind::kDisk, FaceKind::kDisk)) {
    const double a = A.radius(), b = B.radius();
    trace_arc_within(A.centre(), a, B.centre(), b, a <= b, border);
    trace_arc_within(B.centre(), b, A.centre(), a, b < a, border);
  }
  if (is(FaceKind::kPolygon, FaceKind::kPolygon)) {
    trace_edges_within(A, B, -slack, border);
    trace_edges_within(B, A, slack, border);
  }
}

}  // namespace stiction
