// Cutting one surface feature by another, as seen along the common normal n.
//
//   reference polygon R (outward direction d = ±n, corners r_i):   inside  (d × (r_{i+1} − r_i))·(q − r_i) ≥ 0
//   incident feature: a polygon (Sutherland and Hodgman) or a segment
//   a point q of the incident feature faces  q + n m·(r_0 − q) / (m·n)  on R's plane, whose normal is m
#pragma once

#include <cmath>

#include "kernels/collision/collision_scratch.hpp"
#include "kernels/collision/scalar.hpp"

namespace stiction {

/// No point of a manifold lies farther outside of a surface than this [m]. It lets two equal faces keep their corners
/// in spite of rounding.
template <class Real>
ST_FN constexpr Real clip_slack() {
  return sizeof(Real) == 4 ? Real(1e-6) : Real(1e-10);
}
/// The same for the manifolds of a step's end, which leave no overlap [m].
template <class Real>
ST_FN constexpr Real kept_tie() {
  return sizeof(Real) == 4 ? Real(1e-6) : Real(1e-12);
}

/// Gaps closer than this are equal [m].
template <class Real>
ST_FN constexpr Real gap_tie() {
  return sizeof(Real) == 4 ? Real(1e-6) : Real(1e-9);
}

template <class Real>
struct ClipEdge {
  Vec3<Real> inward, start;
  Real slack;
  ST_FN Real height(const Vec3<Real>& q) const { return dot(inward, q - start); }
  ST_FN bool keeps(Real height) const { return height >= -slack; }
  /// Where the line from a kept point to a discarded one crosses the edge, as a share of its length in [0, 1]. A kept
  /// point that lies outside of the edge, within the slack, is taken as the crossing itself: the ratio of two heights
  /// of the same sign could be anything.
  ST_FN Real crossing(Real h_kept, Real h_left) const { return larger(h_kept, Real(0)) / (h_kept - h_left); }
};

/// Edge i of the reference polygon. The slack is measured in the polygon's own plane: on a tilted polygon the point
/// that faces q is then no farther outside than q. Half of clip_slack() is used, because two borders that meet at 60
/// degrees and are both moved outwards meet twice as far out.
template <class Real>
ST_FN ClipEdge<Real> clip_edge(const SurfaceFeature<Real>& reference, int i, const Vec3<Real>& d) {
  const int next = i + 1 < reference.count ? i + 1 : 0;
  const Vec3<Real> edge = reference.corner[next] - reference.corner[i];
  return {cross(d, edge), reference.corner[i], Real(0.5) * clip_slack<Real>() * dot(reference.normal, d) * norm(edge)};
}

/// Sutherland and Hodgman's step; corners outside the edge by less than the slack stay where they are.
template <class Real>
ST_FN void clip_polygon_by_edge(const SurfaceFeature<Real>& polygon, const ClipEdge<Real>& edge,
                                SurfaceFeature<Real>& out) {
  out.count = 0;
  out.normal = polygon.normal;
  if (polygon.count == 0) return;
  Vec3<Real> from = polygon.corner[polygon.count - 1];
  Real h_from = edge.height(from);
  for (int k = 0; k < polygon.count && out.count < kMaxClipped - 1; ++k) {
    const Vec3<Real> to = polygon.corner[k];
    const Real h_to = edge.height(to);
    if (h_from > Real(0) && !edge.keeps(h_to))
      out.corner[out.count++] = from + edge.crossing(h_from, h_to) * (to - from);
    if (!edge.keeps(h_from) && h_to > Real(0)) out.corner[out.count++] = to + edge.crossing(h_to, h_from) * (from - to);
    if (edge.keeps(h_to)) out.corner[out.count++] = to;
    from = to, h_from = h_to;
  }
}

/// Cuts `polygon` down to the part that lies over the reference; `other` is working memory.
template <class Real>
ST_FN void clip_polygon(const SurfaceFeature<Real>& reference, const Vec3<Real>& d, SurfaceFeature<Real>& polygon,
                        SurfaceFeature<Real>& other) {
  SurfaceFeature<Real>*from = &polygon, *to = &other;
  for (int i = 0; i < reference.count && from->count > 0; ++i) {
    const ClipEdge<Real> edge = clip_edge(reference, i, d);
    bool cuts = false;
    for (int k = 0; k < from->count; ++k) cuts = cuts || !edge.keeps(edge.height(from->corner[k]));
    if (!cuts) continue;
    clip_polygon_by_edge(*from, edge, *to);
    SurfaceFeature<Real>* swapped = from;
    from = to, to = swapped;
  }
  if (from == &polygon) return;
  polygon.count = from->count;
  for (int k = 0; k < from->count; ++k) polygon.corner[k] = from->corner[k];
}

/// Cuts `segment` down to the part that lies over the reference.
template <class Real>
ST_FN void clip_segment(const SurfaceFeature<Real>& reference, const Vec3<Real>& d, SurfaceFeature<Real>& segment) {
  const Vec3<Real> p = segment.corner[0], e = segment.corner[1] - p;
  Real low = Real(0), high = Real(1);
  for (int i = 0; i < reference.count; ++i) {
    const ClipEdge<Real> edge = clip_edge(reference, i, d);
    const Real h0 = edge.height(p), h1 = edge.height(p + e);
    if (!edge.keeps(h0) && !edge.keeps(h1)) segment.count = 0;
    if (!edge.keeps(h0) && edge.keeps(h1)) low = larger(low, Real(1) - edge.crossing(h1, h0));
    if (edge.keeps(h0) && !edge.keeps(h1)) high = smaller(high, edge.crossing(h0, h1));
  }
  if (low > high) segment.count = 0;
  if (segment.count == 0) return;
  if (low > Real(0)) segment.corner[0] = p + low * e;
  if (high < Real(1)) segment.corner[1] = p + high * e;
}

}  // namespace stiction
