// The points of a pair from the features that face each other along the common normal n.
//
//   1. candidates   the incident feature cut by the reference polygon, each corner with the point it faces along n
//   2. choice       the deepest; the farthest from it; the one that spans the largest triangle with these two; where
//                   the bodies would tip over the border; those that add most to the spanned area, up to four points in
//                   all, or eight with a round or many-sided foot (ADR 0304)
//   3. order        that of the incident corners, with the deepest moved to the front
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
/// ends of the stretch that lie beyond the edge become candidates. `edge` is working memory. The loop computes values
/// again that it could keep, because a lane has few registers.
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
      if (lies_beyond(reference, i, over_A ? n : -n, q))
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

/// A corner counts only if the doubled area of the triangle with its neighbours is at least this share of the square of
/// the longest distance between the three; dropping any other turns the border by less than 0.03 degrees [-].
constexpr double kFlatCorner = 5e-4;

/// Drops corners that lie next to the line between their neighbours, including two corners in one place, while there
/// are more than four. On flat sides gaps are linear, so none of them is deeper than both of its neighbours; and one of
/// them, chosen first, would take the place of a corner.
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
ST_PHASE void find_candidates(const PlacedShape<Real>& A, const PlacedShape<Real>& B, Vec3<Real> n, Vec3<Real> origin,
                              Real max_gap, CollisionScratch<Real>& scratch) {
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
  const bool over_A = facing_A >= facing_B - Real(1e-3);
  const bool segment = on_A.count == 2 || on_B.count == 2;  // its candidates lie on a line, in no order
  candidates_over_polygon(over_A ? Side::kA : Side::kB, over_A ? on_A : on_B, n, max_gap, over_A ? on_B : on_A,
                          scratch.clipped, out);
  if (!segment) drop_flat_corners(n, out);
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

/// True if the two points of candidate k lie on a line along n and are as far apart as the closest points.
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

/// Doubled area below which a triangle over the side from p to q counts as a segment [m²].
template <class Real>
ST_FN Real thinnest_triangle(const Vec3<Real>& p, const Vec3<Real>& q) {
  return Real(1e-6) * norm_squared(q - p);
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

/// Candidates that have been chosen. Once there are three, they are in order around n, in one sense or the other.
struct ChosenPoints {
  int count = 0;
  int index[kMaxManifold];
};

/// How much area a candidate adds to the chosen points, and where in their order it belongs.
template <class Real>
struct AddedCorner {
  Real area;  // doubled area [m²]
  int after;  // index of the chosen point that it follows
};

template <class Real>
ST_FN AddedCorner<Real> added_corner(const ContactCandidates<Real>& c, const Vec3<Real>& n, Real turn,
                                     const ChosenPoints& chosen, int k) {
  AddedCorner<Real> added = {Real(-1e30), 0};
  for (int i = 0; i < chosen.count; ++i) {
    const Vec3<Real>&p = c.p_B[chosen.index[i]], &q = c.p_B[chosen.index[i + 1 < chosen.count ? i + 1 : 0]];
    const Real beyond = -turn * doubled_area(p, q, c.p_B[k], n);
    if (beyond > added.area) added = {beyond, i};
  }
  return added;
}

ST_FN void insert_after(int place, int k, ChosenPoints& chosen) {
  for (int i = chosen.count++; i > place + 1; --i) chosen.index[i] = chosen.index[i - 1];
  chosen.index[place + 1] = k;
}

/// Chooses the deepest candidate `first`, the farthest from it, and the one that spans the largest triangle with these
/// two; if all lie on a line, the other end of it.
template <class Real>
ST_FN ChosenPoints choose_triangle(const ContactCandidates<Real>& c, const Vec3<Real>& n, int first) {
  const Vec3<Real>* p = c.p_B;
  const Real same = clip_slack<Real>() * clip_slack<Real>();  // closer points count as one [m²]
  ChosenPoints chosen;
  const auto choose = [&](int k) {
    if (k >= 0) chosen.index[chosen.count++] = k;
    return k >= 0;
  };
  choose(first);
  if (!choose(largest_of(c.count, same, [&](int k) { return norm_squared(cross(n, p[k] - p[first])); }))) return chosen;
  const Vec3<Real> p0 = p[first], p1 = p[chosen.index[1]];
  const Real flat = thinnest_triangle(p0, p1);
  if (choose(largest_of(c.count, flat, [&](int k) { return std::fabs(doubled_area(p0, p1, p[k], n)); }))) return chosen;
  const Real beyond = clip_slack<Real>() * norm(p1 - p0);
  choose(largest_of(c.count, beyond, [&](int k) { return dot(p0 - p[k], p1 - p0); }));
  return chosen;
}

/// At most `most` well-spread candidates beginning with `first`. The `num_kept` candidates `kept` are among them if
/// they add area to the others.
template <class Real>
ST_FN ChosenPoints spread_candidates(const ContactCandidates<Real>& c, const Vec3<Real>& n, int first, const int* kept,
                                     int num_kept, int most) {
  ChosenPoints chosen = choose_triangle(c, n, first);
  if (chosen.count < 3) return chosen;
  const Vec3<Real> p0 = c.p_B[first], p1 = c.p_B[chosen.index[1]];
  const Real area = doubled_area(p0, p1, c.p_B[chosen.index[2]], n), turn = with_sign_of(Real(1), area);
  const Real flat = thinnest_triangle(p0, p1);
  if (!(std::fabs(area) > flat)) return chosen;  // a line
  for (int i = 0; i < num_kept; ++i) {
    const AddedCorner<Real> added = added_corner(c, n, turn, chosen, kept[i]);
    if (added.area > flat) insert_after(added.after, kept[i], chosen);
  }
  while (chosen.count < most) {
    const Real least = chosen.count < kFewPoints ? flat : Real(kFlatCorner) * norm_squared(p1 - p0);
    const int k = largest_of(c.count, least, [&](int i) { return added_corner(c, n, turn, chosen, i).area; });
    if (k < 0) break;
    insert_after(added_corner(c, n, turn, chosen, k).after, k, chosen);
  }
  return chosen;
}

/// A new candidate at the share w of the way from i to j. If that is closer than `close` [m] to i or j, or if there is
/// no room for it, the nearer of the two.
template <class Real>
ST_FN int add_between(int i, int j, Real w, Real close, ContactCandidates<Real>& c) {
  const Real length = norm(c.p_B[j] - c.p_B[i]);
  if (c.count == kMaxClipped || w * length <= close || (Real(1) - w) * length <= close) return w < Real(0.5) ? i : j;
  c.p_A[c.count] = c.p_A[i] + w * (c.p_A[j] - c.p_A[i]);
  c.p_B[c.count] = c.p_B[i] + w * (c.p_B[j] - c.p_B[i]);
  c.gap[c.count] = c.gap[i] + w * (c.gap[j] - c.gap[i]);
  return c.count++;
}

/// The candidate where a lean from `from` along the unit vector u leaves the area that the candidates span; it is added
/// if there is none. If the lean does not cross that area, the candidate that is farthest along u.
template <class Real>
ST_FN int border_candidate(const Vec3<Real>& from, const Vec3<Real>& u, const Vec3<Real>& n,
                           ContactCandidates<Real>& c) {
  constexpr double kClose = 1e-3;  // a corner this close will do, as a share of the distance to the border [-]
  const Vec3<Real> left = cross(n, u);
  int on_left = -1, on_right = -1;
  Real farthest = Real(0), share = Real(0);
  for (int i = 0; i < c.count; ++i) {
    const Real h_i = dot(left, c.p_B[i] - from);
    if (!(h_i > Real(0))) continue;
    for (int j = 0; j < c.count; ++j) {
      const Real h_j = dot(left, c.p_B[j] - from);
      if (h_j > Real(0)) continue;
      const Real w = h_i / (h_i - h_j), ahead = dot(u, c.p_B[i] + w * (c.p_B[j] - c.p_B[i]) - from);
      if (ahead > farthest) farthest = ahead, share = w, on_left = i, on_right = j;
    }
  }
  if (on_left >= 0) return add_between(on_left, on_right, share, Real(kClose) * farthest, c);
  return largest_of(c.count, Real(-1e30), [&](int k) { return dot(u, c.p_B[k] - from); });
}

/// Finds the candidates over which the bodies of A and B would tip, one per lean; returns how many there are.
template <class Real>
ST_FN int find_tipping_points(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const Vec3<Real>& n,
                              ContactCandidates<Real>& c, int points[2]) {
  int count = 0;
  const PlacedShape<Real>* shapes[2] = {&A, &B};
  for (int side = 0; side < 2 && c.count > 3; ++side) {
    const Lean<Real>& lean = shapes[side]->lean;
    const Vec3<Real> u = lean_across(lean.along, n);
    if (norm_squared(u) > Real(0)) points[count++] = border_candidate(lean.from - A.position, u, n, c);
  }
  return count;
}

/// Writes the chosen candidates in the order of their index, except that `first` comes first.
template <class Real>
ST_FN void write_chosen(const ContactCandidates<Real>& c, const Vec3<Real>& n, const Vec3<Real>& origin, int first,
                        const ChosenPoints& chosen, Manifold<Real>& out) {
  out.count = 0;
  for (int k = 0; k < c.count; ++k) {
    bool is_chosen = false;
    for (int i = 0; i < chosen.count; ++i) is_chosen = is_chosen || chosen.index[i] == k;
    if (!is_chosen) continue;
    const int slot = out.count++;
    out.point[slot] = {origin + c.p_A[k], origin + c.p_B[k], n, c.gap[k]};
    if (k != first || slot == 0) continue;
    const ContactPoint<Real> front = out.point[0];
    out.point[0] = out.point[slot];
    out.point[slot] = front;
  }
}

/// Writes the manifold of A and B from their candidates, which are relative to A's position.
template <class Real>
ST_PHASE void choose_points(const PlacedShape<Real>& A, const PlacedShape<Real>& B, Vec3<Real> n, int first,
                            ContactCandidates<Real>& candidates, Manifold<Real>& out) {
  const int most = most_points(static_cast<GeomType>(A.type), static_cast<GeomType>(B.type));
  int kept[2];
  const int num_kept = most > kFewPoints ? find_tipping_points(A, B, n, candidates, kept) : 0;
  write_chosen(candidates, n, A.position, first, spread_candidates(candidates, n, first, kept, num_kept, most), out);
}

/// Puts the closest pair in front of the candidates and drops those within `merge` of it, seen along n [m].
template <class Real>
ST_PHASE void put_first(Vec3<Real> p_A, Vec3<Real> p_B, Vec3<Real> n, Real merge, ContactCandidates<Real>& c) {
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
