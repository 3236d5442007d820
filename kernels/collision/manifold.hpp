// Up to four points of a pair from the features that face each other along the common normal n.
//
//   1. candidates   the incident feature cut by the reference polygon, each corner with the point it faces along n
//   2. choice       the deepest; the farthest from it; the one of the largest triangle; the one that adds most to it
//   3. order        that of the incident corners, with the deepest moved to the front
//
// Corners that are apart now but closer than max_gap stay: a step may be long enough to bring them down.
#pragma once

#include "kernels/collision/clip.hpp"
#include "kernels/collision/surface_feature.hpp"

namespace stiction {

enum class Side { kA, kB };

/// A reference polygon seen at a smaller cosine than this gives no manifold: its heights are too uncertain [-].
constexpr double kMinFacing = 0.1;
/// Two segments seen at a larger sine than this touch in a point [-].
constexpr double kParallelSegments = 0.05;

template <class Real>
ST_FN void add_candidate(const Vec3<Real>& p_A, const Vec3<Real>& p_B, const Vec3<Real>& n, Real max_gap,
                         ContactCandidates<Real>& out) {
  const Real gap = dot(n, p_B - p_A);
  if (gap > max_gap || out.count == kMaxClipped) return;
  out.p_A[out.count] = p_A, out.p_B[out.count] = p_B;
  out.gap[out.count++] = gap;
}

/// Candidates over a reference polygon; `incident` is cut in place.
template <class Real>
ST_FN void candidates_over_polygon(Side reference_side, const SurfaceFeature<Real>& reference, const Vec3<Real>& n,
                                   Real max_gap, SurfaceFeature<Real>& incident, SurfaceFeature<Real>& room,
                                   ContactCandidates<Real>& out) {
  const Vec3<Real> d = reference_side == Side::kA ? n : -n;
  const Real facing = dot(reference.normal, d);
  if (!(facing > Real(kMinFacing))) return;
  if (incident.count == 2)
    clip_segment(reference, d, incident);
  else
    clip_polygon(reference, d, incident, room);
  for (int k = 0; k < incident.count; ++k) {
    const Vec3<Real> q = incident.corner[k];
    const Vec3<Real> faced = q + (dot(reference.normal, reference.corner[0] - q) / facing) * d;
    if (reference_side == Side::kA)
      add_candidate(faced, q, n, max_gap, out);
    else
      add_candidate(q, faced, n, max_gap, out);
  }
}

/// Where the line through q along n leaves the round side of segment S, on the outer side of it; false if it does not
/// between the segment's ends.
template <class Real>
ST_FN bool point_on_round_side(const SurfaceFeature<Real>& S, const Vec3<Real>& q, const Vec3<Real>& n,
                               Vec3<Real>& out) {
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
  Vec3<Real> along;       // unit, across n
  Real sine;              // of the angle between the two
  Real low, high;         // of the common stretch [m]
  Real from_A, length_A;  // of A.corner[0], and to A.corner[1] [m]
  Real from_B, length_B;
};

/// False if they do not look parallel or share no stretch.
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

/// The points of both round sides that face each other midway between the two segments at `place` of their stretch,
/// `inwards` is the sign of the way to its other end. They stay so far from the end that neither lies beyond its own.
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
  const Vec3<Real> between = on_A - Real(0.5) * cross(n, offset);
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

/// Doubled area that a corner must add to its neighbours, as a share of the square of the longest distance between
/// the three: what is lost without it turns the border by less than 0.03 degrees [-].
constexpr double kFlatCorner = 5e-4;

/// Drops corners that are next to the line between their neighbours, two in one place among them, where there are more
/// than four. On flat sides gaps are linear, so that none of them is deeper than both neighbours; and as the first of
/// the chosen one of them would take the place of a corner.
template <class Real>
ST_FN void drop_flat_corners(const Vec3<Real>& n, ContactCandidates<Real>& c) {
  for (int k = 0; k < c.count && c.count > 4;) {
    const Vec3<Real>&before = c.p_B[k > 0 ? k - 1 : c.count - 1], &after = c.p_B[k + 1 < c.count ? k + 1 : 0];
    const Vec3<Real> e = c.p_B[k] - before, f = after - c.p_B[k];
    const Real size = larger(norm_squared(after - before), larger(norm_squared(e), norm_squared(f)));
    if (std::fabs(dot(n, cross(e, f))) > Real(kFlatCorner) * size) {
      ++k;
      continue;
    }
    --c.count;
    for (int j = k; j < c.count; ++j) c.p_A[j] = c.p_A[j + 1], c.p_B[j] = c.p_B[j + 1], c.gap[j] = c.gap[j + 1];
  }
}

/// Candidates of the features that A and B show each other along n, relative to `origin`.
template <class Real>
ST_FN void find_candidates(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const Vec3<Real>& n,
                           const Vec3<Real>& origin, Real max_gap, CollisionScratch<Real>& scratch) {
  SurfaceFeature<Real>&on_A = scratch.feature_A, &on_B = scratch.feature_B;
  ContactCandidates<Real>& out = scratch.candidates;
  out.count = 0;
  find_surface_feature(A, n, origin, on_A);
  if (on_A.count == 0) return;
  find_surface_feature(B, -n, origin, on_B);
  if (on_B.count == 0) return;
  if (on_A.count == 2 && on_B.count == 2) return candidates_on_segments(on_A, on_B, n, max_gap, out);
  const Real facing_A = on_A.count > 2 ? dot(on_A.normal, n) : Real(-1);
  const Real facing_B = on_B.count > 2 ? -dot(on_B.normal, n) : Real(-1);
  if (facing_A >= facing_B - Real(1e-3))
    candidates_over_polygon(Side::kA, on_A, n, max_gap, on_B, scratch.clipped, out);
  else
    candidates_over_polygon(Side::kB, on_B, n, max_gap, on_A, scratch.clipped, out);
  drop_flat_corners(n, out);
}

/// The first candidate within a tie of the deepest; -1 if there is none.
template <class Real>
ST_FN int deepest_candidate(const ContactCandidates<Real>& candidates) {
  int deepest = -1;
  for (int k = 0; k < candidates.count; ++k)
    if (deepest < 0 || candidates.gap[k] < candidates.gap[deepest]) deepest = k;
  for (int k = 0; k < deepest; ++k)
    if (candidates.gap[k] <= candidates.gap[deepest] + gap_tie<Real>()) return k;
  return deepest;
}

/// Do the two points of candidate k lie along n, as far apart as the closest ones?
template <class Real>
ST_FN bool attains(const ContactCandidates<Real>& c, int k, const Vec3<Real>& n, Real separation) {
  if (k < 0) return false;
  const Real tie = gap_tie<Real>();
  return c.gap[k] <= separation + tie && norm_squared(cross(n, c.p_B[k] - c.p_A[k])) <= tie * tie;
}

/// Twice the signed area of the triangle (p, q, r) seen against n.
template <class Real>
ST_FN Real doubled_area(const Vec3<Real>& p, const Vec3<Real>& q, const Vec3<Real>& r, const Vec3<Real>& n) {
  return dot(n, cross(q - p, r - p));
}

/// The candidate with the largest value > least; ties to the first; -1 if none.
template <class Value, class Real>
ST_FN int largest_of(int count, Real least, Value value) {
  int best = -1;
  Real largest = least;
  for (int k = 0; k < count; ++k) {
    const Real found = value(k);
    if (found > largest + Real(1e-6) * std::fabs(largest)) best = k, largest = found;
  }
  return best;
}

/// Four well-spread candidates beginning with `first`; returns how many there are.
template <class Real>
ST_FN int spread_candidates(const ContactCandidates<Real>& c, const Vec3<Real>& n, int first, int chosen[4]) {
  const Vec3<Real>* p = c.p_B;
  const Real same = clip_slack<Real>() * clip_slack<Real>();  // closer points are one [m²]
  chosen[0] = first;
  chosen[1] = largest_of(c.count, same, [&](int k) { return norm_squared(cross(n, p[k] - p[first])); });
  if (chosen[1] < 0) return 1;
  const Vec3<Real> p0 = p[first], p1 = p[chosen[1]];
  const Real flat = Real(1e-6) * norm_squared(p1 - p0);  // thinner triangles are segments [m²]
  chosen[2] = largest_of(c.count, flat, [&](int k) { return std::fabs(doubled_area(p0, p1, p[k], n)); });
  if (chosen[2] < 0) {  // all lie on a line: its other end, should the first lie between
    const Real beyond = clip_slack<Real>() * norm(p1 - p0);
    chosen[2] = largest_of(c.count, beyond, [&](int k) { return dot(p0 - p[k], p1 - p0); });
    return chosen[2] < 0 ? 2 : 3;
  }
  const Vec3<Real> p2 = p[chosen[2]];
  const Real turn = with_sign_of(Real(1), doubled_area(p0, p1, p2, n));
  chosen[3] = largest_of(c.count, flat, [&](int k) {
    const Real beyond_01 = -turn * doubled_area(p0, p1, p[k], n), beyond_12 = -turn * doubled_area(p1, p2, p[k], n);
    return larger(larger(beyond_01, beyond_12), -turn * doubled_area(p2, p0, p[k], n));
  });
  return chosen[3] < 0 ? 3 : 4;
}

/// Writes the chosen candidates in the order of their index, but `first` at the front.
template <class Real>
ST_FN void write_chosen(const ContactCandidates<Real>& c, const Vec3<Real>& n, const Vec3<Real>& origin, int first,
                        const int chosen[4], int count, Manifold<Real>& out) {
  out.count = 0;
  for (int k = 0; k < c.count; ++k) {
    bool is_chosen = false;
    for (int i = 0; i < count; ++i) is_chosen = is_chosen || chosen[i] == k;
    if (!is_chosen) continue;
    const int slot = out.count++;
    out.point[slot] = {origin + c.p_A[k], origin + c.p_B[k], n, c.gap[k]};
    if (k != first || slot == 0) continue;
    const ContactPoint<Real> front = out.point[0];
    out.point[0] = out.point[slot];
    out.point[slot] = front;
  }
}

template <class Real>
ST_FN void choose_points(const ContactCandidates<Real>& candidates, const Vec3<Real>& n, const Vec3<Real>& origin,
                         int first, Manifold<Real>& out) {
  int chosen[4];
  const int count = spread_candidates(candidates, n, first, chosen);
  write_chosen(candidates, n, origin, first, chosen, count, out);
}

/// Puts the closest pair in front of the candidates and drops those within `merge` of it, seen along n [m].
template <class Real>
ST_FN void put_first(const Vec3<Real>& p_A, const Vec3<Real>& p_B, const Vec3<Real>& n, Real merge,
                     ContactCandidates<Real>& c) {
  int kept = 1;
  Vec3<Real> next_A = p_A, next_B = p_B;
  Real next_gap = dot(n, p_B - p_A);
  for (int k = 0; k < c.count + 1; ++k) {  // each candidate moves one place up
    const Vec3<Real> here_A = next_A, here_B = next_B;
    const Real here_gap = next_gap;
    if (k < c.count) next_A = c.p_A[k], next_B = c.p_B[k], next_gap = c.gap[k];
    if (k > 0 && norm_squared(cross(n, here_B - p_B)) <= merge * merge) continue;
    const int place = k == 0 ? 0 : kept++;
    if (place >= kMaxClipped) break;
    c.p_A[place] = here_A, c.p_B[place] = here_B, c.gap[place] = here_gap;
  }
  c.count = kept < kMaxClipped ? kept : kMaxClipped;
}

}  // namespace stiction
