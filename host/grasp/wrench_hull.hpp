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
#pragma once

#include <limits>
#include <vector>

#include "host/grasp/facets.hpp"
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
  static constexpr int kMostFacets = 1 << 20;

  /// The wrenches, fewer than 65536; whoever changes them calls `find_nearest` next.
  Points<D>& wrenches() { return points_; }

  /// ε of the wrenches.
  Bracket find_nearest() {
    if (!start()) return {0.0, thickness_};
    Bracket bracket = {0.0, std::numeric_limits<double>::infinity()};
    for (int round = 0;; ++round) {
      const int nearest = nearest_facet();
      bracket.lower = facets_[at(nearest)].offset;
      const Support support = support_of(facets_[at(nearest)]);
      bracket.upper = std::min(bracket.upper, support.height);
      const bool tight = bracket.upper <= bracket.lower + same_, outside = bracket.upper <= 0.0;
      if (tight || outside || round == most_rounds()) return bracket;
      insert(support.point, nearest);
    }
  }

  /// Volume of the hull of the wrenches of `find_nearest`; grows all of it. NaN if that takes more than kMostFacets.
  double volume() {
    for (int f = 0; f < static_cast<int>(facets_.size()); ++f) {
      if (!facets_[at(f)].alive) continue;
      if (f >= kMostFacets) return std::numeric_limits<double>::quiet_NaN();
      const Support support = support_of(facets_[at(f)]);
      if (support.height > facets_[at(f)].offset + same_) insert(support.point, f);
    }
    double content = 0.0;
    for (const Facet<D>& facet : facets_) content += facet.alive ? facet.content : 0.0;
    for (int d = 2; d <= D; ++d) content /= d;
    return content;
  }

  /// The longest wrench.
  double scale() const { return scale_; }

 private:
  struct Support {
    int point;
    double height;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int most_rounds() const { return 4 * points_.size() + 100; }

  bool start();
  bool choose_simplex(std::array<int, D + 1>& corner);
  Support support_of(const Facet<D>& facet);
  int nearest_facet();
  void insert(int point, int below);
  void see_from(int point, int below);
  void add_facet(const std::array<int, D>& vertex);

  bool is_below(const Facet<D>& facet, int point) const {
    double height = 0.0;
    for (int d = 0; d < D; ++d) height += facet.normal[at(d)] * points_.component[d][at(point)];
    return height > facet.offset + same_;
  }
  void link(RidgeOf a, RidgeOf b) {
    facets_[at(a.facet)].across[at(a.slot)] = b;
    facets_[at(b.facet)].across[at(b.slot)] = a;
  }

  Points<D> points_;
  std::array<double, D> inner_;  // a point inside P
  double scale_, same_, thickness_;
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
  const int n = points_.size();
  double basis[D][D];
  corner[0] = 0;
  for (int rank = 0; rank < D; ++rank) {
    double most = -1.0, first[D], away[D];
    points_.get(corner[0], first);
    for (int i = 0; i < n; ++i) {
      points_.get(i, away);
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

/// Makes P a simplex. False if there is none.
template <int D>
bool WrenchHull<D>::start() {
  facets_.clear(), by_offset_.clear();
  scale_ = thickness_ = 0.0;
  for (int i = 0; i < points_.size(); ++i) {
    double w[D];
    points_.get(i, w);
    scale_ = std::max(scale_, std::sqrt(grasp_detail::product(w, w)));
  }
  same_ = kSame * scale_;
  std::array<int, D + 1> corner;
  if (points_.size() == 0 || !choose_simplex(corner)) return false;
  std::sort(corner.begin(), corner.end());
  for (int d = 0; d < D; ++d) {
    inner_[at(d)] = 0.0;
    for (const int c : corner) inner_[at(d)] += points_.component[d][at(c)] / (D + 1);
  }
  for (int out = 0; out <= D; ++out) {
    std::array<int, D> vertex;
    for (int i = 0, k = 0; i <= D; ++i)
      if (i != out) vertex[at(k++)] = corner[at(i)];
    add_facet(vertex);
  }
  for (int a = 0; a <= D; ++a)  // facet a lacks corner a, which facet b has in slot a, or a − 1 if b is lower
    for (int b = 0; b < a; ++b) link({a, b}, {b, a - 1});
  return true;
}

template <int D>
void WrenchHull<D>::add_facet(const std::array<int, D>& vertex) {
  double point[D][D];
  for (int i = 0; i < D; ++i) {
    points_.get(vertex[at(i)], point[i]);
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

/// The wrench that is farthest along the facet's normal.
template <int D>
typename WrenchHull<D>::Support WrenchHull<D>::support_of(const Facet<D>& facet) {
  const std::size_t n = at(points_.size());
  heights_.assign(n, 0.0);
  for (int d = 0; d < D; ++d) {
    const double along = facet.normal[at(d)], *component = points_.component[d].data();
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
      if (is_below(other, point)) {
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
