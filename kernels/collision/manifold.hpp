// The points of a pair from the features that face each other along the common normal n.
//
//   1. candidates   corners of the features that face each other (candidates.hpp)
//   2. choice       the deepest; the farthest from it; the one that spans the largest triangle with these two; where
//                   the bodies would tip over the border; those that add most to the spanned area, up to four points in
//                   all, or eight with a round or many-sided foot (ADR 0304)
//   3. order        that of the incident corners, with the deepest moved to the front
#pragma once

#include "kernels/collision/candidates.hpp"

namespace stiction {

/// The first candidate within `tie` of the deepest [m]; -1 if there is none.
template <class Real>
ST_FN int deepest_candidate(const ContactCandidates<Real>& candidates, Real tie = gap_tie<Real>()) {
  int deepest = -1;
  for (int k = 0; k < candidates.count; ++k)
    if (deepest < 0 || candidates.gap[k] < candidates.gap[deepest]) deepest = k;
  for (int k = 0; k < deepest; ++k)
    if (candidates.gap[k] <= candidates.gap[deepest] + tie) return k;
  return deepest;
}

/// Gaps of the shape's points that are closer than this are equal [m]. At a step's end, the point of a rim that was
/// chosen counts as the deepest until another is deeper by what can be told apart.
template <template <class> class Shape, class Real>
ST_FN Real tie_of(const Shape<Real>& shape) {
  if (!kept_of(shape)) return gap_tie<Real>();
  return kept_of(shape)->on_rim ? kept_of(shape)->rim_tie : kept_tie<Real>();
}

/// True if the two points of candidate k lie on a line along n and are as far apart as the closest points.
template <class Real>
ST_FN bool attains(const ContactCandidates<Real>& candidates, int k, const Vec3<Real>& n, Real separation,
                   Real tie = gap_tie<Real>()) {
  if (k < 0) return false;
  return candidates.gap[k] <= separation + tie &&
         norm_squared(cross(n, candidates.p_B[k] - candidates.p_A[k])) <= tie * tie;
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

/// Candidates that have been chosen. Once three span a triangle, they are the corners of a border: side i goes from
/// index[i] to to[i].
struct ChosenPoints {
  int count = 0;
  int index[kMaxManifold], to[kMaxManifold];
};

ST_FN bool is_chosen(const ChosenPoints& chosen, int k) {
  bool found = false;
  for (int i = 0; i < chosen.count; ++i) found = found || chosen.index[i] == k;
  return found;
}

/// True if a chosen point lies where candidate k does, seen along n.
template <class Real>
ST_PHASE bool has_place(const ContactCandidates<Real>& candidates, const ChosenPoints& chosen, const Vec3<Real>& n,
                        int k) {
  const Real same = clip_slack<Real>() * clip_slack<Real>();  // closer points count as one [m²]
  bool found = false;
  for (int i = 0; i < chosen.count; ++i)
    found = found || norm_squared(cross(n, candidates.p_B[k] - candidates.p_B[chosen.index[i]])) <= same;
  return found;
}

/// Doubled area that candidate k adds to the chosen points over side i of their border [m²].
template <class Real>
ST_FN Real added_area(const ContactCandidates<Real>& candidates, const Vec3<Real>& n, Real turn,
                      const ChosenPoints& chosen, int i, int k) {
  const Vec3<Real>* p = candidates.p_B;
  return -turn * doubled_area(p[chosen.index[i]], p[chosen.to[i]], p[k], n);
}

/// Makes a border of three chosen points, and finds the side beyond which each candidate lies.
template <class Real>
ST_FN void begin_border(const Vec3<Real>& n, Real turn, ChosenPoints& chosen, ContactCandidates<Real>& candidates) {
  for (int i = 0; i < 3; ++i) chosen.to[i] = chosen.index[i < 2 ? i + 1 : 0];
  for (int k = 0; k < candidates.count; ++k) {
    candidates.area[k] = Real(-1e30), candidates.side[k] = 0;
    for (int i = 0; i < 3; ++i) {
      const Real area = added_area(candidates, n, turn, chosen, i, k);
      if (area > candidates.area[k]) candidates.area[k] = area, candidates.side[k] = i;
    }
  }
}

/// Chooses candidate k: two sides take the place of the one beyond which it lies. As long as all candidates are corners
/// of one convex polygon, what lies beyond one of the sides never comes to lie beyond another.
template <class Real>
ST_FN void choose_corner(const Vec3<Real>& n, Real turn, int k, ChosenPoints& chosen,
                         ContactCandidates<Real>& candidates) {
  const int side = candidates.side[k], added = chosen.count++;
  chosen.index[added] = k, chosen.to[added] = chosen.to[side], chosen.to[side] = k;
  for (int j = 0; j < candidates.count; ++j) {
    if (candidates.side[j] != side) continue;
    const Real before = added_area(candidates, n, turn, chosen, side, j),
               after = added_area(candidates, n, turn, chosen, added, j);
    candidates.area[j] = larger(before, after);
    if (after > before) candidates.side[j] = added;
  }
}

/// Chooses the deepest candidate `first`, the farthest from it, and the one that spans the largest triangle with these
/// two; if all lie on a line, the other end of it.
template <class Real>
ST_FN ChosenPoints choose_triangle(const ContactCandidates<Real>& candidates, const Vec3<Real>& n, int first) {
  const Vec3<Real>* p = candidates.p_B;
  const Real same = clip_slack<Real>() * clip_slack<Real>();  // closer points count as one [m²]
  ChosenPoints chosen;
  const auto choose = [&](int k) {
    if (k >= 0) chosen.index[chosen.count++] = k;
    return k >= 0;
  };
  choose(first);
  if (!choose(largest_of(candidates.count, same, [&](int k) { return norm_squared(cross(n, p[k] - p[first])); })))
    return chosen;
  const Vec3<Real> p0 = p[first], p1 = p[chosen.index[1]];
  const Real flat = thinnest_triangle(p0, p1);
  if (choose(largest_of(candidates.count, flat, [&](int k) { return std::fabs(doubled_area(p0, p1, p[k], n)); })))
    return chosen;
  const Real beyond = clip_slack<Real>() * norm(p1 - p0);
  choose(largest_of(candidates.count, beyond, [&](int k) { return dot(p0 - p[k], p1 - p0); }));
  return chosen;
}

/// At most `most` well-spread candidates beginning with `first`. The `num_kept` candidates `kept` are among them unless
/// they lie inside of the border of the others.
template <class Real>
ST_PHASE ChosenPoints spread_candidates(const Vec3<Real>& n, int first, const int* kept, int num_kept, int most,
                                        ContactCandidates<Real>& candidates) {
  ChosenPoints chosen = choose_triangle(candidates, n, first);
  if (chosen.count < 3) return chosen;
  const Vec3<Real> p0 = candidates.p_B[first], p1 = candidates.p_B[chosen.index[1]];
  const Real area = doubled_area(p0, p1, candidates.p_B[chosen.index[2]], n), turn = with_sign_of(Real(1), area);
  const Real flat = thinnest_triangle(p0, p1);
  if (!(std::fabs(area) > flat)) return chosen;  // a line
  begin_border(n, turn, chosen, candidates);
  for (int i = 0; i < num_kept; ++i)
    if (candidates.area[kept[i]] > -flat && !has_place(candidates, chosen, n, kept[i]))
      choose_corner(n, turn, kept[i], chosen, candidates);
  while (chosen.count < most) {
    const Real least = chosen.count < kFewPoints ? flat : Real(kFlatCorner) * norm_squared(p1 - p0);
    const int k = largest_of(candidates.count, least, [&](int i) { return candidates.area[i]; });
    if (k < 0) break;
    choose_corner(n, turn, k, chosen, candidates);
  }
  return chosen;
}

/// A new candidate at the share w of the way from i to j. If that is closer than `close` [m] to i or j, or if there is
/// no room for it, the nearer of the two.
template <class Real>
ST_FN int add_between(int i, int j, Real w, Real close, ContactCandidates<Real>& candidates) {
  const Real length = norm(candidates.p_B[j] - candidates.p_B[i]);
  if (candidates.count == kMaxClipped || w * length <= close || (Real(1) - w) * length <= close)
    return w < Real(0.5) ? i : j;
  candidates.p_A[candidates.count] = candidates.p_A[i] + w * (candidates.p_A[j] - candidates.p_A[i]);
  candidates.p_B[candidates.count] = candidates.p_B[i] + w * (candidates.p_B[j] - candidates.p_B[i]);
  candidates.gap[candidates.count] = candidates.gap[i] + w * (candidates.gap[j] - candidates.gap[i]);
  return candidates.count++;
}

/// The candidate where a lean from `from` along the unit vector u leaves the area that the candidates span; it is added
/// if there is none. If the lean does not cross that area, the candidate that is farthest along u.
template <class Real>
ST_FN int border_candidate(const Vec3<Real>& from, const Vec3<Real>& u, const Vec3<Real>& n,
                           ContactCandidates<Real>& candidates) {
  constexpr double kClose = 1e-3;  // a corner this close will do, as a share of the distance to the border [-]
  const Vec3<Real> left = cross(n, u);
  int on_left = -1, on_right = -1;
  Real farthest = Real(0), share = Real(0);
  for (int i = 0; i < candidates.count; ++i) {
    const Real h_i = dot(left, candidates.p_B[i] - from);
    if (!(h_i > Real(0))) continue;
    for (int j = 0; j < candidates.count; ++j) {
      const Real h_j = dot(left, candidates.p_B[j] - from);
      if (h_j > Real(0)) continue;
      const Real w = h_i / (h_i - h_j),
                 ahead = dot(u, candidates.p_B[i] + w * (candidates.p_B[j] - candidates.p_B[i]) - from);
      if (ahead > farthest) farthest = ahead, share = w, on_left = i, on_right = j;
    }
  }
  if (on_left >= 0) return add_between(on_left, on_right, share, Real(kClose) * farthest, candidates);
  return largest_of(candidates.count, Real(-1e30), [&](int k) { return dot(u, candidates.p_B[k] - from); });
}

/// Finds the candidates over which the bodies of A and B would tip, one per lean; returns how many there are.
template <class Real>
ST_FN int find_tipping_points(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const Vec3<Real>& n,
                              ContactCandidates<Real>& candidates, int points[2]) {
  int count = 0;
  const PlacedShape<Real>* shapes[2] = {&A, &B};
  for (int side = 0; side < 2 && candidates.count > 3; ++side) {
    const Lean<Real>& lean = shapes[side]->lean;
    const Vec3<Real> u = lean_across(lean.along, n);
    if (norm_squared(u) > Real(0)) points[count++] = border_candidate(lean.from - A.position, u, n, candidates);
  }
  return count;
}

/// At most `most` candidates: `first`, those that carried in the last round, and then each time the one farthest from
/// all chosen ones.
template <class Real>
ST_FN ChosenPoints keep_candidates(const ContactCandidates<Real>& candidates, const Vec3<Real>& n, int first,
                                   const int* kept, int num_kept, int most) {
  ChosenPoints chosen;
  const auto distance = [&](int k) {
    Real least = Real(INFINITY);
    for (int i = 0; i < chosen.count; ++i)
      least = smaller(least, norm_squared(cross(n, candidates.p_B[k] - candidates.p_B[chosen.index[i]])));
    return least;
  };
  const Real same = clip_slack<Real>() * clip_slack<Real>();  // closer points count as one [m²]
  chosen.index[chosen.count++] = first;
  for (int i = 0; i < num_kept && chosen.count < most; ++i)
    if (distance(kept[i]) > same) chosen.index[chosen.count++] = kept[i];
  while (chosen.count < most) {
    const int k = largest_of(candidates.count, same, distance);
    if (k < 0) break;
    chosen.index[chosen.count++] = k;
  }
  return chosen;
}

/// The candidate next to p, seen along n.
template <class Real>
ST_FN int nearest_candidate(const ContactCandidates<Real>& candidates, const Vec3<Real>& p, const Vec3<Real>& n) {
  return largest_of(candidates.count, Real(-1e30),
                    [&](int k) { return -norm_squared(cross(n, candidates.p_B[k] - p)); });
}

/// The candidate that takes the place of the deepest one: the first of those that carried in the last round and are as
/// deep up to rounding, so that a flat patch keeps its points, and their order.
template <class Real>
ST_FN int deepest_kept(const ContactCandidates<Real>& candidates, int first, const int* kept, int num_kept) {
  int chosen = -1;
  for (int i = 0; i < num_kept; ++i)
    if (candidates.gap[kept[i]] <= candidates.gap[first] + kept_tie<Real>() && (chosen < 0 || kept[i] < chosen))
      chosen = kept[i];
  return chosen < 0 ? first : chosen;
}

/// Finds the candidates next to the points that carried in the last round; returns how many there are.
template <class Real>
ST_FN int find_kept_points(const KeptPoints<Real>& kept, const Vec3<Real>& origin, const Vec3<Real>& n,
                           const ContactCandidates<Real>& candidates, int points[kMaxManifold]) {
  for (int i = 0; i < kept.count; ++i) points[i] = nearest_candidate(candidates, kept.point[i] - origin, n);
  return kept.count;
}

/// Writes the chosen candidates in the order of their index, except that `first` comes first.
template <class Real>
ST_FN void write_chosen(const ContactCandidates<Real>& candidates, const Vec3<Real>& n, const Vec3<Real>& origin,
                        int first, const ChosenPoints& chosen, Manifold<Real>& out) {
  out.count = 0;
  for (int k = 0; k < candidates.count; ++k) {
    if (!is_chosen(chosen, k)) continue;
    const int slot = out.count++;
    out.point[slot] = {origin + candidates.p_A[k], origin + candidates.p_B[k], n, candidates.gap[k]};
    if (k != first || slot == 0) continue;
    const ContactPoint<Real> front = out.point[0];
    out.point[0] = out.point[slot];
    out.point[slot] = front;
  }
}

/// Writes the manifold of A and B from their candidates, which are relative to A's position.
template <template <class> class Shape, class Real>
ST_PHASE void choose_points(const Shape<Real>& A, const Shape<Real>& B, Vec3<Real> n, int first,
                            ContactCandidates<Real>& candidates, Manifold<Real>& out) {
  int kept[kMaxManifold];
  if (kept_of(B)) {
    const int num_kept = find_kept_points(*kept_of(B), A.position, n, candidates, kept);
    first = deepest_kept(candidates, first, kept, num_kept);
    const ChosenPoints chosen = keep_candidates(candidates, n, first, kept, num_kept, kept_of(B)->most);
    return write_chosen(candidates, n, A.position, first, chosen, out);
  }
  const int most = most_points(static_cast<GeomType>(A.type), static_cast<GeomType>(B.type));
  const int num_kept = most > kFewPoints ? find_tipping_points(A, B, n, candidates, kept) : 0;
  write_chosen(candidates, n, A.position, first, spread_candidates(n, first, kept, num_kept, most, candidates), out);
}

/// Puts the closest pair in front of the candidates and drops those within `merge` of it, seen along n [m].
template <class Real>
ST_PHASE void put_first(Vec3<Real> p_A, Vec3<Real> p_B, Vec3<Real> n, Real merge, ContactCandidates<Real>& candidates) {
  int kept = 1;
  Vec3<Real> next_A = p_A, next_B = p_B;
  Real next_gap = dot(n, p_B - p_A);
  for (int k = 0; k < candidates.count + 1; ++k) {  // each candidate moves one place up
    const Vec3<Real> here_A = next_A, here_B = next_B;
    const Real here_gap = next_gap;
    if (k < candidates.count) next_A = candidates.p_A[k], next_B = candidates.p_B[k], next_gap = candidates.gap[k];
    if (k > 0 && norm_squared(cross(n, here_B - p_B)) <= merge * merge) continue;
    const int place = k == 0 ? 0 : kept++;
    if (place >= kMaxClipped) break;
    candidates.p_A[place] = here_A, candidates.p_B[place] = here_B, candidates.gap[place] = here_gap;
  }
  candidates.count = kept < kMaxClipped ? kept : kMaxClipped;
}

}  // namespace stiction
