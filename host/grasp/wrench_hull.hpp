// The convex hull of wrenches, grown from inside only where it is nearest to the origin.
//
//   ε = min over unit n of h(n),  h(n) = max_i n·w_i             distance of the hull's border from the origin
//   inner polytope P of some of the w_i:   min over its facets of n_F·x_F  <=  ε  <=  h(n) for every n
//
//   1. the facet of P nearest to the origin says the lower bound; h of its normal is an upper one
//   2. the wrench that attains h joins P: the facets that it is above give way to facets through it, as in the
//      expanding polytope algorithm (van den Bergen, 2001)
//
// This ends when the nearest facet is one of the hull, or no wrench is above it and the origin is not inside.
//
// Wrenches that almost coincide, or almost lie in a plane of fewer dimensions, can fold the surface: a wrench that is a
// corner of P is then above a facet. The search begins anew with wrenches w_i + d_i, ‖d_i‖ <= δ (moved_points.hpp), for
// which such ties are gone; ε is at least the lower bound of these less δ, and at most h of the true ones.
#pragma once

#include <limits>
#include <vector>

#include "host/grasp/facets.hpp"
#include "host/grasp/moved_points.hpp"
#include "host/grasp/wrenches.hpp"

namespace stiction {

/// Bounds of ε; where the origin is not inside the hull, `upper` <= 0 or both are about 0.
struct Bracket {
  double lower, upper;
};

template <int D>
class WrenchHull {
 public:
  /// Distances up to kSame times the longest wrench are taken for rounding; edges of a facet are judged more finely.
  static constexpr double kSame = 1e-10, kSameEdge = 1e-12;
  /// By how much of the longest wrench each component is moved, one after the other until the surface does not fold.
  static constexpr double kMoves[] = {0.0, 1e-8, 1e-7, 1e-6};  // the last one for volumes only
  static constexpr int kMostFacets = 1 << 18;                  // that are made in one search

  /// The wrenches, fewer than 65536; whoever changes them calls `find_nearest` next.
  Points<D>& wrenches() { return points_; }

  /// Bounds of ε. They are apart by more than kSame of the longest wrench where wrenches had to be moved, and by any
  /// amount where P would need more than kMostFacets.
  Bracket find_nearest() {
    Bracket best = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    measure();
    for (std::size_t move = 0; move + 1 < std::size(kMoves); ++move) {
      if (!start(kMoves[move])) return {0.0, thickness_};
      const bool settled = grow_to_nearest(best);
      best.lower = std::min(best.lower, best.upper);
      if (settled) return best;
    }
    return best;
  }

  /// Volume of the hull. NaN if it has more than kMostFacets, or folds wherever the wrenches are moved to.
  double volume() {
    measure();
    for (const double share : kMoves) {
      if (!start(share)) return 0.0;
      if (!grow_whole() || !is_convex()) continue;
      double content = 0.0;
      for (const Facet<D>& facet : facets_) content += facet.alive ? facet.content : 0.0;
      for (int d = 2; d <= D; ++d) content /= d;
      return content;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// The longest wrench.
  double scale() const { return scale_; }

 private:
  struct Support {
    int point;
    double height;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void measure();
  bool start(double share);
  bool choose_simplex(std::array<int, D + 1>& corner);
  bool grow_to_nearest(Bracket& best);
  bool grow_whole();
  bool is_convex() const;
  Support support_of(const Facet<D>& facet, const Points<D>& points);
  int nearest_facet();
  void insert(int point, int below);
  void see_from(int point, int below);
  void add_facet(const std::array<int, D>& vertex);

  /// The points that P is made of.
  const Points<D>& used() const { return moved_by_ > 0.0 ? moved_.points : points_; }
  /// How far a point is above the plane of a facet.
  double height_above(const Facet<D>& facet, int point) const {
    double height = -facet.offset;
    for (int d = 0; d < D; ++d) height += facet.normal[at(d)] * used().component[d][at(point)];
    return height;
  }
  void link(RidgeOf a, RidgeOf b) {
    facets_[at(a.facet)].across[at(a.slot)] = b;
    facets_[at(b.facet)].across[at(b.slot)] = a;
  }

  Points<D> points_;
  MovedPoints<D> moved_;
  std::array<double, D> inner_;  // a point inside P
  double scale_, same_, thickness_;
  double moved_by_;           // δ
  std::vector<char> corner_;  // points that are or were corners of P
  std::vector<Facet<D>> facets_;
  std::vector<std::pair<double, int>> by_offset_;  // a heap, of those that are gone too
  std::vector<int> seen_;                          // facets below a new point
  std::vector<RidgeOf> border_;                    // of these, as the facets that stay see it
  std::vector<double> heights_;
  RidgePairs pairs_;
};

/// Corners of a simplex, each the farthest point from what those before it span. False if the points lie within
/// `thickness_` of a plane.
template <int D>
bool WrenchHull<D>::choose_simplex(std::array<int, D + 1>& corner) {
  using namespace grasp_detail;
  const int n = used().size();
  double basis[D][D];
  corner[0] = 0;
  for (int rank = 0; rank < D; ++rank) {
    double most = -1.0, first[D], away[D];
    used().get(corner[0], first);
    for (int i = 0; i < n; ++i) {
      used().get(i, away);
      for (int d = 0; d < D; ++d) away[d] -= first[d];
      for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < rank; ++k) remove_part(basis[k], away);
      const double distance = std::sqrt(product(away, away));
      if (distance <= most) continue;
      most = distance, corner[at(rank + 1)] = i;
      for (int d = 0; d < D; ++d) basis[rank][d] = away[d];
    }
    thickness_ = std::max(most, 0.0);
    if (thickness_ <= same_) return false;
    for (int d = 0; d < D; ++d) basis[rank][d] /= most;
  }
  return true;
}

template <int D>
void WrenchHull<D>::measure() {
  scale_ = 0.0;
  for (int i = 0; i < points_.size(); ++i) {
    double w[D];
    points_.get(i, w);
    scale_ = std::max(scale_, std::sqrt(grasp_detail::product(w, w)));
  }
  same_ = kSame * scale_;
}

/// Makes P a simplex of points whose components are moved by up to `share` of the longest wrench. False if they lie
/// within `thickness_` of a plane.
template <int D>
bool WrenchHull<D>::start(double share) {
  facets_.clear(), by_offset_.clear();
  thickness_ = 0.0, moved_by_ = share * scale_ * MovedPoints<D>::kFarthest;
  corner_.assign(at(points_.size()), 0);
  std::array<int, D + 1> corner;
  if (moved_by_ > 0.0) moved_.move(share * scale_, points_);
  if (points_.size() == 0 || !choose_simplex(corner)) return false;
  std::sort(corner.begin(), corner.end());
  for (int d = 0; d < D; ++d) {
    inner_[at(d)] = 0.0;
    for (const int c : corner) inner_[at(d)] += used().component[d][at(c)] / (D + 1);
  }
  for (int out = 0; out <= D; ++out) {
    std::array<int, D> vertex;
    for (int i = 0, k = 0; i <= D; ++i)
      if (i != out) vertex[at(k++)] = corner[at(i)];
    add_facet(vertex);
    corner_[at(corner[at(out)])] = 1;
  }
  for (int a = 0; a <= D; ++a)  // facet a lacks corner a, which facet b has in slot a, or a − 1 if b is lower
    for (int b = 0; b < a; ++b) link({a, b}, {b, a - 1});
  return true;
}

/// Narrows the bracket; false if the surface folds, or needs too many facets.
template <int D>
bool WrenchHull<D>::grow_to_nearest(Bracket& best) {
  while (static_cast<int>(facets_.size()) < kMostFacets) {
    const int nearest = nearest_facet();
    const double offset = facets_[at(nearest)].offset;
    const Support support = support_of(facets_[at(nearest)], used());
    const double true_height = moved_by_ > 0.0 ? support_of(facets_[at(nearest)], points_).height : support.height;
    best.upper = std::min(best.upper, true_height);
    const bool tight = support.height <= offset + same_;
    if (tight || best.upper <= 0.0 || best.upper <= offset - moved_by_ + same_) {
      best.lower = std::max(best.lower, offset - moved_by_);
      return true;
    }
    if (corner_[at(support.point)]) return false;
    best.lower = std::max(best.lower, offset - moved_by_);
    insert(support.point, nearest);
  }
  return false;
}

/// Makes P the whole hull; false as above.
template <int D>
bool WrenchHull<D>::grow_whole() {
  for (int f = 0; f < static_cast<int>(facets_.size()); ++f) {
    if (!facets_[at(f)].alive) continue;
    if (static_cast<int>(facets_.size()) >= kMostFacets) return false;
    const Support support = support_of(facets_[at(f)], used());
    if (support.height <= facets_[at(f)].offset + same_) continue;
    if (corner_[at(support.point)]) return false;
    insert(support.point, f);
  }
  return true;
}

/// True if no facet is below the next one: a closed surface that is convex at every ridge is convex.
template <int D>
bool WrenchHull<D>::is_convex() const {
  for (const Facet<D>& facet : facets_)
    for (int i = 0; i < D && facet.alive; ++i) {
      const RidgeOf& beyond = facet.across[at(i)];
      if (height_above(facet, facets_[at(beyond.facet)].vertex[at(beyond.slot)]) > 10.0 * same_) return false;
    }
  return true;
}

template <int D>
void WrenchHull<D>::add_facet(const std::array<int, D>& vertex) {
  double point[D][D];
  for (int i = 0; i < D; ++i) {
    used().get(vertex[at(i)], point[i]);
    for (int d = 0; d < D; ++d) point[i][d] -= inner_[at(d)];
  }
  const FacetPlane<D> plane = plane_through<D>(point, kSameEdge * scale_);
  Facet<D> facet;
  facet.vertex = vertex;
  facet.offset = plane.height, facet.content = plane.content;
  for (int d = 0; d < D; ++d) {
    facet.normal[at(d)] = plane.normal[d];
    facet.offset += plane.normal[d] * inner_[at(d)];
  }
  facet.alive = true, facet.seen = false;
  by_offset_.emplace_back(-facet.offset, static_cast<int>(facets_.size()));
  std::push_heap(by_offset_.begin(), by_offset_.end());
  facets_.push_back(facet);
}

template <int D>
int WrenchHull<D>::nearest_facet() {
  while (!facets_[at(by_offset_.front().second)].alive) {
    std::pop_heap(by_offset_.begin(), by_offset_.end());
    by_offset_.pop_back();
  }
  return by_offset_.front().second;
}

/// The point that is farthest along the facet's normal.
template <int D>
typename WrenchHull<D>::Support WrenchHull<D>::support_of(const Facet<D>& facet, const Points<D>& points) {
  const std::size_t n = at(points.size());
  heights_.assign(n, 0.0);
  for (int d = 0; d < D; ++d) {
    const double along = facet.normal[at(d)], *component = points.component[d].data();
    for (std::size_t i = 0; i < n; ++i) heights_[i] += along * component[i];
  }
  const auto highest = std::max_element(heights_.begin(), heights_.end());
  return {static_cast<int>(highest - heights_.begin()), *highest};
}

/// Lists the facets below a point, from one of them on, and the border of their part of the surface.
template <int D>
void WrenchHull<D>::see_from(int point, int below) {
  seen_.assign(1, below), border_.clear();
  facets_[at(below)].seen = true;
  for (std::size_t next = 0; next < seen_.size(); ++next)
    for (const RidgeOf& beyond : facets_[at(seen_[next])].across) {
      Facet<D>& other = facets_[at(beyond.facet)];
      if (other.seen) continue;
      if (height_above(other, point) > same_) {
        other.seen = true;
        seen_.push_back(beyond.facet);
      }
    }
  for (const int f : seen_)
    for (const RidgeOf& beyond : facets_[at(f)].across)
      if (!facets_[at(beyond.facet)].seen) border_.push_back(beyond);
}

/// Replaces the facets below a point by facets through it.
template <int D>
void WrenchHull<D>::insert(int point, int below) {
  corner_[at(point)] = 1;
  see_from(point, below);
  for (const int f : seen_) facets_[at(f)].alive = false;
  pairs_.reset(border_.size() * (D - 1));
  for (const RidgeOf& outside : border_) {
    const Facet<D>& stays = facets_[at(outside.facet)];
    std::array<int, D> vertex;
    int slot = 0;
    for (int i = 0, k = 0; i < D; ++i)
      if (i != outside.slot) vertex[at(k++)] = stays.vertex[at(i)];
    vertex[D - 1] = point;
    for (slot = D - 1; slot > 0 && vertex[at(slot - 1)] > point; --slot)
      std::swap(vertex[at(slot)], vertex[at(slot - 1)]);
    const int made = static_cast<int>(facets_.size());
    add_facet(vertex);
    link({made, slot}, outside);
    for (int i = 0; i < D; ++i)
      if (i != slot)
        pairs_.match(key_without(facets_[at(made)], slot, i), {made, i}, [&](RidgeOf other) {
          link({made, i}, other);
        });
  }
}

}  // namespace stiction
