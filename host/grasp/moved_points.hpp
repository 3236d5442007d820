// Points that are moved a little, so that none almost coincide, and few almost lie in a plane with many others.
//
//   w'_i = w'_j                     if an earlier point j that is kept is within 3 b of w_i
//   w'_i = w_i + b u_i              else; the components of u_i are fixed numbers in [-1, 1]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "host/grasp/wrenches.hpp"

namespace stiction {

template <int D>
class MovedPoints {
 public:
  /// No point moves by more than this times b: 3 + √6, D being at most 6.
  static constexpr double kFarthest = 5.5;

  Points<D> points;

  /// Writes `points`.
  void move(double b, const Points<D>& from) {
    points = from;
    add_numbers(b);
    merge(3.0 * b, from);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void add_numbers(double b) {
    std::uint64_t state = 1;
    for (std::vector<double>& component : points.component)
      for (double& value : component) {
        state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's linear congruences
        value += b * (static_cast<double>(state >> 11) / double(std::uint64_t{1} << 52) - 1.0);
      }
  }

  /// Gives a point that is within `distance` of one that is kept the place of that; in the order of the first
  /// component.
  void merge(double distance, const Points<D>& from) {
    const int n = from.size();
    order_.resize(at(n)), kept_.assign(at(n), 1);
    for (int i = 0; i < n; ++i) order_[at(i)] = i;
    const std::vector<double>& first = from.component[0];
    std::stable_sort(order_.begin(), order_.end(), [&](int i, int j) { return first[at(i)] < first[at(j)]; });
    for (int a = 0; a < n; ++a)
      for (int b = a - 1; b >= 0 && first[at(order_[at(a)])] - first[at(order_[at(b)])] <= distance; --b) {
        const int i = order_[at(a)], j = order_[at(b)];
        if (!kept_[at(j)] || !is_within(distance, from, i, j)) continue;
        for (std::vector<double>& component : points.component) component[at(i)] = component[at(j)];
        kept_[at(i)] = 0;
        break;
      }
  }

  static bool is_within(double distance, const Points<D>& from, int i, int j) {
    double square = 0.0;
    for (const std::vector<double>& component : from.component) {
      const double apart = component[at(i)] - component[at(j)];
      square += apart * apart;
    }
    return square <= distance * distance;
  }

  std::vector<int> order_;
  std::vector<char> kept_;
};

}  // namespace stiction
