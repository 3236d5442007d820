// The plane of D points, seen from the origin: its normal points away from the origin.
//
//   x* = the point of their affine hull that is nearest to the origin,   n = x*/|x*|,   n·p = |x*|
//
// by Gram and Schmidt with the longest remaining edge next. Where the points lie in less than a plane, x* still is what
// it says, and of all planes through them that of n is the farthest from the origin.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {

template <int D>
struct FacetPlane {
  double normal[D];  // unit
  double height;     // distance from the origin
  double content;    // |det| of the points; 0 if they lie in less than a plane
};

namespace grasp_detail {

template <int D>
double product(const double (&a)[D], const double (&b)[D]) {
  double sum = 0.0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

/// Takes from v its part along the unit vector u, and returns that.
template <int D>
double remove_part(const double (&u)[D], double (&v)[D]) {
  const double part = product(u, v);
  for (int d = 0; d < D; ++d) v[d] -= part * u[d];
  return part;
}

/// Edges from one point of a facet to the others; the first `rank` of them are an orthonormal basis of what they span,
/// the others lie at right angles to it.
template <int D>
struct EdgeBasis {
  static constexpr double kMuchShorter = 1e-6;  // of the square: what is left then has lost digits

  double edge[D - 1][D];
  double square[D - 1];  // of their lengths
  double whole[D - 1];   // of their lengths before any part was taken away
  int rank = 0;

  explicit EdgeBasis(const double (&point)[D][D]) {
    for (int i = 0; i < D - 1; ++i) {
      for (int d = 0; d < D; ++d) edge[i][d] = point[i + 1][d] - point[0][d];
      square[i] = whole[i] = product(edge[i], edge[i]);
    }
  }

  /// Makes the longest of the other edges one of the basis and returns its length; 0 if that is at most `least`.
  double take_longest(double least) {
    const int next = static_cast<int>(std::max_element(square + rank, square + D - 1) - square);
    std::swap(square[rank], square[next]);
    std::swap(whole[rank], whole[next]);
    for (int d = 0; d < D; ++d) std::swap(edge[rank][d], edge[next][d]);
    if (square[rank] < kMuchShorter * whole[rank])
      for (int i = 0; i < rank; ++i) remove_part(edge[i], edge[rank]);
    const double length = std::sqrt(product(edge[rank], edge[rank]));
    if (!(length > least)) return 0.0;
    for (int d = 0; d < D; ++d) edge[rank][d] /= length;
    for (int i = rank + 1; i < D - 1; ++i) {
      const double part = remove_part(edge[rank], edge[i]);
      square[i] -= part * part;
    }
    ++rank;
    return length;
  }
};

}  // namespace grasp_detail

/// `point` are the D points; edges that leave what is spanned by the others by at most `least` count as in it.
template <int D>
FacetPlane<D> plane_through(const double (&point)[D][D], double least) {
  using namespace grasp_detail;
  FacetPlane<D> plane;
  plane.content = 1.0;
  for (int d = 0; d < D; ++d) plane.normal[d] = point[0][d];
  EdgeBasis<D> basis(point);
  while (basis.rank < D - 1 && plane.content > 0.0) {
    plane.content *= basis.take_longest(least);
    if (plane.content > 0.0) remove_part(basis.edge[basis.rank - 1], plane.normal);
  }
  for (int i = 0; i < basis.rank; ++i) remove_part(basis.edge[i], plane.normal);
  plane.height = std::sqrt(product(plane.normal, plane.normal));
  plane.content *= plane.height;
  for (int d = 0; d < D; ++d) plane.normal[d] /= plane.height;
  return plane;
}

}  // namespace stiction
