// Candidates for the contact points of a pair: the incident feature cut by the reference polygon, each corner with the
// point that it faces along the common normal n; of two segments the ends of their common stretch. manifold.hpp chooses
// among them.
//
// Corners that do not touch now but have a gap below max_gap are kept: they may touch before the step ends.
#pragma once

#include "kernels/collision/clip.hpp"
#include "kernels/collision/surface_feature.hpp"

namespace stiction {

enum class Side { kA, kB };

/// A reference polygon whose normal has a smaller cosine with n than this gives no manifold: the heights over it are
/// too uncertain [-].
constexpr double kMinFacing = 0.1;
/// Two segments at an angle with a larger sine than this, seen along n, touch in a point [-].
constexpr double kParallelSegments = 0.05;

template <class Real>
ST_FN void add_candidate(const Vec3<Real>& p_A, const Vec3<Real>& p_B, const Vec3<Real>& n, Real max_gap,
                         ContactCandidates<Real>& out) {
  const Real gap = dot(n, p_B - p_A);
  if (gap > max_gap || out.count == kMaxClipped) return;
  out.p_A[out.count] = p_A, out.p_B[out.count] = p_B;
  out.gap[out.count++] = gap;
}

/// Writes to `out` where the line through q along n leaves the round side of segment S, on its outer side; false if
/// that is not between the segment's ends. If S is an edge, q is on it, and `out` is q.
template <class Real>
ST_FN bool point_on_round_side(const SurfaceFeature<Real>& S, const Vec3<Real>& q, const Vec3<Real>& n,
                               Vec3<Real>& out) {
  out = q;
  if (S.radius == Real(0)) return true;
  const Vec3<Real> e = S.corner[1] - S.corner[0], from_axis = q - (S.corner[0] - S.radius * S.normal);
  const Real e_squared = norm_squared(e);
  const Vec3<Real> across_q = from_axis - (dot(from_axis, e) / e_squared) * e,
                   across_n = n - (dot(n, e) / e_squared) * e;
  const Real a = norm_squared(across_n), b = dot(across_q, across_n);
  const Real root = b * b - a * (norm_squared(across_q) - S.radius * S.radius);
  if (!(root >= Real(0) && a > Real(0))) return false;
  out = q + ((with_sign_of(std::sqrt(root), dot(n, S.normal)) - b) / a) * n;
  const Real along = dot(out - S.corner[0], e), slack = clip_slack<Real>() * std::sqrt(e_squared);
  return along >= -slack && along <= e_squared + slack;
}

/// Two segments in coordinates along their mean direction, seen along n.
template <class Real>
struct SegmentStretch {
  Vec3<Real> along;       // mean direction, unit, perpendicular to n
  Real sine;              // sine of the angle between the two segments
  Real low, high;         // ends of the stretch that both cover [m]
  Real from_A, length_A;  // coordinate of A.corner[0], and from it to A.corner[1] [m]
  Real from_B, length_B;  // the same for B [m]
};

/// False if the segments do not look parallel or have no stretch in common.
template <class Real>
ST_FN bool find_common_stretch(const SurfaceFeature<Real>& A, const SurfaceFeature<Real>& B, const Vec3<Real>& n,
                               SegmentStretch<Real>& out) {
  const Vec3<Real> eA = A.corner[1] - A.corner[0], eB = B.corner[1] - B.corner[0];
  const Vec3<Real> uA = eA - dot(eA, n) * n, uB = eB - dot(eB, n) * n;
  const Real length_A = norm(uA), length_B = norm(uB), along = dot(uA, uB);
  if (along == Real(0)) return false;
  out.sine = std::fabs(dot(n, cross(uA, uB))) / (length_A * length_B);
  if (!(out.sine <= Real(kParallelSegments))) return false;
  const Vec3<Real> both = (Real(1) / length_A) * uA + (with_sign_of(Real(1), along) / length_B) * uB;
  out.along = (Real(1) / norm(both)) * both;
  out.from_A = dot(out.along, A.corner[0]), out.length_A = dot(out.along, eA);
  out.from_B = dot(out.along, B.corner[0]), out.length_B = dot(out.along, eB);
  const Real to_B = out.from_B + out.length_B;
  out.low = larger(out.from_A, smaller(out.from_B, to_B));
  out.high = smaller(out.from_A + out.length_A, larger(out.from_B, to_B));
  return out.low <= out.high;
}

/// Adds the points of both round sides that face each other midway between the two segments, at the coordinate `place`
/// of their common stretch; if one of the segments is an edge, they lie on the edge. `inwards` is the sign of the
/// direction from `place` to the other end of the stretch: the points are moved that way until neither lies beyond the
/// end of its own segment.
template <class Real>
ST_FN void add_between_segments(const SurfaceFeature<Real>& A, const SurfaceFeature<Real>& B, const Vec3<Real>& n,
                                const SegmentStretch<Real>& stretch, Real place, Real inwards, Real max_gap,
                                ContactCandidates<Real>& out) {
  Vec3<Real> on_A, on_B, offset;
  for (int pass = 0; pass < 2; ++pass) {
    const Real t = clamped((place - stretch.from_A) / stretch.length_A, Real(0), Real(1));
    const Real s = clamped((place - stretch.from_B) / stretch.length_B, Real(0), Real(1));
    on_A = A.corner[0] + t * (A.corner[1] - A.corner[0]), on_B = B.corner[0] + s * (B.corner[1] - B.corner[0]);
    offset = cross(n, on_B - on_A);
    if (pass == 0) place += inwards * stretch.sine * norm(offset);
  }
  Vec3<Real> between = on_A - Real(0.5) * cross(n, offset);
  if (A.radius == Real(0)) between = on_A;
  if (B.radius == Real(0)) between = on_B;
  Vec3<Real> p_A, p_B;
  if (point_on_round_side(A, between, n, p_A) && point_on_round_side(B, between, n, p_B))
    add_candidate(p_A, p_B, n, max_gap, out);
}

/// Candidates of two segments that look parallel along n: the ends of their common stretch.
template <class Real>
ST_FN void candidates_on_segments(const SurfaceFeature<Real>& A, const SurfaceFeature<Real>& B, const Vec3<Real>& n,
                                  Real max_gap, ContactCandidates<Real>& out) {
  SegmentStretch<Real> stretch;
  if (!find_common_stretch(A, B, n, stretch)) return;
  add_between_segments(A, B, n, stretch, stretch.low, Real(1), max_gap, out);
  add_between_segments(A, B, n, stretch, stretch.high, Real(-1), max_gap, out);
}

/// True if q lies beyond side i of the polygon.
template <class Real>
ST_FN bool lies_beyond(const SurfaceFeature<Real>& polygon, int i, const Vec3<Real>& d, const Vec3<Real>& q) {
  const ClipEdge<Real> side = clip_edge(polygon, i, d);
  return !side.keeps(side.height(q));
}

/// Candidates of segment S and those edges of a polygon that it crosses at a small angle. A round side that lies along
/// an edge touches it over their whole common stretch, although the part beyond the edge does not face the polygon: the
/// ends of the stretch that do not lie inside of the edge by more than the slack become candidates: where the segment
/// crosses an edge in a corner, rounding may leave nothing of it over the polygon. In single precision, whose slack
/// tells three points of a line from a triangle, they lie outside by more than the slack. `edge` is working memory. The
/// loop computes values again that it could keep, because a lane has few registers.
template <class Real>
ST_FN void candidates_along_edges(Side reference_side, const SurfaceFeature<Real>& reference,
                                  const SurfaceFeature<Real>& S, const Vec3<Real>& n, Real max_gap,
                                  SurfaceFeature<Real>& edge, ContactCandidates<Real>& out) {
  const bool over_A = reference_side == Side::kA;
  const SurfaceFeature<Real>&A = over_A ? edge : S, &B = over_A ? S : edge;
  edge.count = 2, edge.normal = reference.normal, edge.radius = Real(0);
  for (int i = 0; i < reference.count; ++i) {
    edge.corner[0] = reference.corner[i], edge.corner[1] = reference.corner[i + 1 < reference.count ? i + 1 : 0];
    const Vec3<Real> s = S.corner[1] - S.corner[0], e = edge.corner[1] - edge.corner[0];
    const Real across = dot(n, cross(s, e));
    if (across * across > Real(kParallelSegments * kParallelSegments) * norm_squared(s) * norm_squared(e)) continue;
    SegmentStretch<Real> stretch;
    if (!find_common_stretch(A, B, n, stretch)) continue;
    for (int end = 0; end < 2; ++end) {
      const Real place = end == 0 ? stretch.low : stretch.high;
      const Real along =
          over_A ? (place - stretch.from_B) / stretch.length_B : (place - stretch.from_A) / stretch.length_A;
      const Vec3<Real> q = S.corner[0] + clamped(along, Real(0), Real(1)) * (S.corner[1] - S.corner[0]);
      const ClipEdge<Real> side = clip_edge(reference, i, over_A ? n : -n);
      const Real inside = sizeof(Real) == 4 ? -side.slack : side.slack;
      if (!(side.height(q) >= inside))
        add_between_segments(A, B, n, stretch, place, end == 0 ? Real(1) : Real(-1), max_gap, out);
    }
  }
}

/// Candidates over a reference polygon; `incident` is cut in place.
template <class Real>
ST_FN void candidates_over_polygon(Side reference_side, const SurfaceFeature<Real>& reference, const Vec3<Real>& n,
                                   Real max_gap, SurfaceFeature<Real>& incident, SurfaceFeature<Real>& room,
                                   ContactCandidates<Real>& out) {
  const Vec3<Real> d = reference_side == Side::kA ? n : -n;
  const Real facing = dot(reference.normal, d);
  if (!(facing > Real(kMinFacing))) return;
  if (incident.count == 2) {
    candidates_along_edges(reference_side, reference, incident, n, max_gap, room, out);
    clip_segment(reference, d, incident);
  } else {
    clip_polygon(reference, d, incident, room);
  }
  for (int k = 0; k < incident.count; ++k) {
    const Vec3<Real> q = incident.corner[k];
    const Vec3<Real> faced = q + (dot(reference.normal, reference.corner[0] - q) / facing) * d;
    if (reference_side == Side::kA)
      add_candidate(faced, q, n, max_gap, out);
    else
      add_candidate(q, faced, n, max_gap, out);
  }
}

/// Calls add(p) for a point that carried in the last round, unless a candidate's point on B or A is next to it.
template <class Real, class Add>
ST_FN void add_kept(const Vec3<Real>& p, Add add, ContactCandidates<Real>& out) {
  const Real near = clip_slack<Real>() * clip_slack<Real>();
  for (int k = 0; k < out.count; ++k)
    if (norm_squared(out.p_B[k] - p) <= near || norm_squared(out.p_A[k] - p) <= near) return;
  add(p);
}

/// True if the world point p is a corner of the shape, up to rounding. Other points of a patch, where borders cross,
/// move on their shapes.
template <class Real>
ST_FN bool is_corner(const PlacedShape<Real>& shape, const Vec3<Real>& p) {
  const Real near = clip_slack<Real>();
  const Vec3<Real> local = transpose_mul(shape.rotation, p - shape.position);
  if (static_cast<GeomType>(shape.type) == GeomType::kBox) {
    Real off = Real(0);
    for (int i = 0; i < 3; ++i) off = larger(off, std::fabs(std::fabs(local[i]) - shape.size[i]));
    return off <= near;
  }
  if (static_cast<GeomType>(shape.type) != GeomType::kMesh) return false;
  for (int v = 0; v < shape.num_vertices; ++v)
    if (norm_squared(load3(shape.vertices + 3 * v) - local) <= near * near) return true;
  return false;
}

/// Makes the points of the incident shape that carried in the last round candidates, as far as they lie over the
/// reference polygon: they may belong to a face next to the incident feature. All is relative to `origin`.
template <template <class> class Shape, class Real>
ST_FN void add_kept_over_polygon(Side reference_side, const SurfaceFeature<Real>& reference, const Vec3<Real>& n,
                                 const Shape<Real>& incident, const Vec3<Real>& origin, Real max_gap,
                                 ContactCandidates<Real>& out) {
  const Vec3<Real> d = reference_side == Side::kA ? n : -n;
  const Real facing = dot(reference.normal, d);
  if (!(facing > Real(kMinFacing))) return;
  for (int i = 0; i < kept_of(incident)->count; ++i) {
    const Vec3<Real> q = kept_of(incident)->point[i] - origin;
    bool beyond = !is_corner(incident, kept_of(incident)->point[i]);
    for (int k = 0; k < reference.count && !beyond; ++k) beyond = lies_beyond(reference, k, d, q);
    if (beyond) continue;
    const Vec3<Real> faced = q + (dot(reference.normal, reference.corner[0] - q) / facing) * d;
    const auto add = [&](const Vec3<Real>& p) {
      reference_side == Side::kA ? add_candidate(faced, p, n, max_gap, out) : add_candidate(p, faced, n, max_gap, out);
    };
    add_kept(q, add, out);
  }
}

/// A corner counts only if the doubled area of the triangle with its neighbours is at least this share of the square of
/// the longest distance between the three; dropping any other turns the border by less than 0.03 degrees [-].
constexpr double kFlatCorner = 5e-4;

/// Drops corners that lie next to the line between their neighbours, including two corners in one place, while there
/// are more than four. On flat sides gaps are linear, so none of them is deeper than both of its neighbours; and one of
/// them, chosen first, would take the place of a corner.
template <class Real>
ST_FN void drop_flat_corners(const Vec3<Real>& n, ContactCandidates<Real>& candidates) {
  for (int k = 0; k < candidates.count && candidates.count > 4;) {
    const Vec3<Real>&before = candidates.p_B[k > 0 ? k - 1 : candidates.count - 1],
          &after = candidates.p_B[k + 1 < candidates.count ? k + 1 : 0];
    const Vec3<Real> e = candidates.p_B[k] - before, f = after - candidates.p_B[k];
    const Real size = larger(norm_squared(after - before), larger(norm_squared(e), norm_squared(f)));
    if (std::fabs(dot(n, cross(e, f))) > Real(kFlatCorner) * size) {
      ++k;
      continue;
    }
    --candidates.count;
    for (int j = k; j < candidates.count; ++j)
      candidates.p_A[j] = candidates.p_A[j + 1], candidates.p_B[j] = candidates.p_B[j + 1],
      candidates.gap[j] = candidates.gap[j + 1];
  }
}

/// Of two features, the polygon that faces along n. If both are and do, the one with fewer corners: each of its sides
/// may cut the other. If neither is, it does not matter.
template <class Real>
ST_FN bool reference_is_A(const SurfaceFeature<Real>& on_A, const SurfaceFeature<Real>& on_B, const Vec3<Real>& n) {
  constexpr double kAsWell = 1e-3;  // [-]
  const Real facing_A = on_A.count > 2 ? dot(on_A.normal, n) : Real(-1);
  const Real facing_B = on_B.count > 2 ? -dot(on_B.normal, n) : Real(-1);
  if (std::fabs(facing_A - facing_B) > Real(kAsWell)) return facing_A > facing_B;
  return on_A.count <= on_B.count;
}

/// The features that A and B show each other along n, relative to `origin`, in the scratch.
template <template <class> class Shape, class Real>
ST_FN void find_features(const Shape<Real>& A, const Shape<Real>& B, Vec3<Real> n, Vec3<Real> origin,
                         CollisionScratch<Real>& scratch) {
  find_surface_feature(A, n, origin, scratch.feature_A);
  find_surface_feature(B, -n, origin, scratch.feature_B);
  scratch.over_A = reference_is_A(scratch.feature_A, scratch.feature_B, n);
}

/// The candidates of the shapes that the reference polygon faces, from the last round.
template <template <class> class Shape, class Real>
ST_PHASE void add_kept_candidates(const Shape<Real>& A, const Shape<Real>& B, Vec3<Real> n, Real max_gap,
                                  CollisionScratch<Real>& scratch) {
  const SurfaceFeature<Real>&on_A = scratch.feature_A, &on_B = scratch.feature_B;
  if (on_A.count > 2 && scratch.over_A)
    add_kept_over_polygon(Side::kA, on_A, n, B, A.position, max_gap, scratch.candidates);
  else if (on_B.count > 2)
    add_kept_over_polygon(Side::kB, on_B, n, A, A.position, max_gap, scratch.candidates);
}

/// Candidates of the features in the scratch, which it may cut.
template <class Real>
ST_PHASE void find_candidates(Vec3<Real> n, Real max_gap, CollisionScratch<Real>& scratch) {
  SurfaceFeature<Real>&on_A = scratch.feature_A, &on_B = scratch.feature_B;
  ContactCandidates<Real>& out = scratch.candidates;
  out.count = 0;
  if (on_A.count == 0 || on_B.count == 0) return;
  if (on_A.count == 2 && on_B.count == 2) return candidates_on_segments(on_A, on_B, n, max_gap, out);
  const bool over_A = scratch.over_A;
  const bool segment = on_A.count == 2 || on_B.count == 2;  // its candidates lie on a line, in no order
  candidates_over_polygon(over_A ? Side::kA : Side::kB, over_A ? on_A : on_B, n, max_gap, over_A ? on_B : on_A,
                          scratch.clipped, out);
  if (!segment) drop_flat_corners(n, out);
}

}  // namespace stiction
