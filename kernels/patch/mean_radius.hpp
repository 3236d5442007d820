// The mean distance of a patch from its centroid: the radius of its friction about the normal under uniform pressure.
//
//   r̄ = ∫_P ‖x − c‖ dx / ∫_P dx
//
// P is the area in which the two faces lie over one another (face_overlap.hpp): 2/3 R for a disk of radius R, whatever
// the points of its manifold. A line of length l has l/4, a point 0.
//
// The points of the manifold say whether there is an area, a line or a point. Where they span an area but the faces
// that look at each other do not, as for bodies that met elsewhere within the step, P is the convex hull of the points:
//
//   r̄ = Σ_e ∫_{T_e} ‖x − c‖ dx / Σ_e |T_e|,     T_e: triangle of c and border edge e
//
// The hull of up to eight points is too small: its r̄ by 5.0 % for a disk, 4.2 % for a polygon of 12 sides.
//
// What a disk has in common with a face and is narrower than 2 % of R may lie between two points of its rim: it counts
// as a point or a line.
#pragma once

#include "kernels/collision/manifold.hpp"
#include "kernels/patch/face_overlap.hpp"

namespace stiction {

namespace ecp_detail {

/// The points of a manifold on B, in the order of the border, seen along the normal.
template <class Real>
struct PatchBorder {
  int count = 0;
  Vec3<Real> corner[kMaxManifold];
};

/// The convex hull of the manifold's points, by gift wrapping; two points if they lie on a line.
template <class Real>
ST_FN PatchBorder<Real> find_border(const Manifold<Real>& manifold) {
  const Vec3<Real> n = manifold.point[0].normal;
  int start = 0;
  for (int k = 1; k < manifold.count; ++k)  // the farthest from point 0 is a corner
    if (norm_squared(manifold.point[k].p_B - manifold.point[0].p_B) >
        norm_squared(manifold.point[start].p_B - manifold.point[0].p_B))
      start = k;
  PatchBorder<Real> border;
  int at = start;
  do {
    const Vec3<Real> p = manifold.point[at].p_B;
    border.corner[border.count++] = p;
    int next = -1;
    for (int k = 0; k < manifold.count; ++k) {
      const Vec3<Real> way = manifold.point[k].p_B - p;
      if (k == at || !(norm_squared(way) > Real(0))) continue;
      if (next < 0) {
        next = k;
        continue;
      }
      const Vec3<Real> best = manifold.point[next].p_B - p;
      const Real turn = dot(n, cross(best, way)), flat = Real(1e-9) * norm(best) * norm(way);
      if (turn < -flat || (turn <= flat && norm_squared(way) > norm_squared(best))) next = k;
    }
    at = next;
  } while (at >= 0 && at != start && border.count < manifold.count);
  return border;
}

/// ∫_T ‖x − c‖ dx of the triangle of c and the edge from p to q [m³]
template <class Real>
ST_FN Real moment_of_triangle(const Vec3<Real>& c, const Vec3<Real>& p, const Vec3<Real>& q) {
  const Vec3<Real> edge = q - p;
  const Real length = norm(edge);
  if (!(length > Real(0))) return Real(0);
  const Vec3<Real> along = (Real(1) / length) * edge;
  const Real s = dot(p - c, along), d = norm(p - c - s * along);
  if (!(d > Real(0))) return Real(0);
  return d / Real(6) * (moment_to(s + length, d) - moment_to(s, d));
}

/// r̄ of the hull of at least three points.
template <class Real>
ST_FN Real mean_radius_of_hull(const PatchBorder<Real>& border) {
  const Vec3<Real> first = border.corner[0];
  Vec3<Real> weighted = {Real(0), Real(0), Real(0)};
  Real area = Real(0);
  for (int k = 1; k + 1 < border.count; ++k) {
    const Vec3<Real> p = border.corner[k], q = border.corner[k + 1];
    const Real part = Real(0.5) * norm(cross(p - first, q - first));
    weighted += (part / Real(3)) * (first + p + q), area += part;
  }
  if (!(area > Real(0))) return Real(0);
  const Vec3<Real> centroid = (Real(1) / area) * weighted;
  Real moment = Real(0);
  for (int k = 0; k < border.count; ++k)
    moment += moment_of_triangle(centroid, border.corner[k], border.corner[k + 1 < border.count ? k + 1 : 0]);
  return moment / area;
}

/// An area that is smaller than this share of its border's square is a line [-].
constexpr double kThinPatch = 1e-7;
/// Where edges of two polygons cross, the border is open by about clip_slack(). It bounds no area if it is open by more
/// than this share of its length, and no reliable one if that is not many times longer than the slack [-].
constexpr double kOpenBorder = 1e-3, kSlacks = 100.0;

/// r̄ of the area that two faces share; negative if they share none.
template <class Real>
ST_FN Real mean_radius_of_overlap(const SeenFace<Real>& A, const SeenFace<Real>& B) {
  BorderSums sums;
  trace_overlap(A, B, sums);
  const double width = larger(kThinPatch * sums.length, kSlacks * static_cast<double>(clip_slack<Real>()));
  if (!(norm(sums.way) <= kOpenBorder * sums.length && sums.area > width * sums.length)) return Real(-1);
  BorderMoment moment;
  moment.c = (1.0 / sums.area) * sums.weighted;
  trace_overlap(A, B, moment);
  return static_cast<Real>(moment.moment / sums.area);
}

/// The length of a round side on a cap; negative if it is another line.
template <class Real>
ST_FN Real length_on_disk(const SeenFace<Real>& segment, const SeenFace<Real>& disk) {
  if (segment.kind != FaceKind::kSegment || disk.kind != FaceKind::kDisk) return Real(-1);
  const PlanePoint p = segment.seen(segment.middle - segment.along), q = segment.seen(segment.middle + segment.along);
  const Stretch within = stretch_in_disk(p, q, disk.centre(), disk.radius());
  return static_cast<Real>((within.high - within.low) * norm(q - p));
}

}  // namespace ecp_detail

/// r̄ of the patch of A and B with this manifold [m].
template <class Real>
ST_PHASE Real mean_radius(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const Manifold<Real>& manifold) {
  using namespace ecp_detail;
  const PatchBorder<Real> border = find_border(manifold);
  if (border.count < 2) return Real(0);
  const Vec3<Real> origin = manifold.point[0].p_B;
  const ContactFrame<Real> frame = make_contact_frame(manifold.point[0].normal);
  const SeenFace<Real> on_A = see_face(A, origin, frame.t, frame.o, frame.n, false);
  const SeenFace<Real> on_B = see_face(B, origin, frame.t, frame.o, -frame.n, true);
  if (border.count == 2) {
    const Real on_disk = larger(length_on_disk(on_A, on_B), length_on_disk(on_B, on_A));
    return Real(0.25) * (on_disk > Real(0) ? on_disk : norm(border.corner[1] - border.corner[0]));
  }
  const Real radius = mean_radius_of_overlap(on_A, on_B);
  return radius >= Real(0) ? radius : mean_radius_of_hull(border);
}

}  // namespace stiction
