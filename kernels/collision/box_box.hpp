// Box against box: separating axes first, in A's frame (Gottschalk).
//
//   C = R_Aᵀ R_B,  t = R_Aᵀ (p_B − p_A),  axes: 3 of A, 3 of B, 9 edge × edge
//   separation along a unit axis l:   |l·t| − Σ h_A,i |l·e_i| − Σ h_B,j |l·c_j|
//
// The largest separation is a lower bound of the distance. For overlapping boxes it is exactly −depth. For separated
// boxes it is the distance if a pair of points attains it; otherwise the closest features involve an edge or a vertex,
// and GJK finds them. Near-ties go to the earlier axis, and face axes are tried before edge axes: parallel faces then
// give the face normal, and not the slightly tilted normal of an edge pair that is nearly as good.
#pragma once

#include "kernels/collision/convex_pairs.hpp"

namespace stiction {

/// A later axis replaces the best one only if it wins by gap_tie() plus this share of the separation [-].
constexpr double kAxisShare = 1e-7;

template <class Real>
struct BoxAxis {
  Real separation;  // [m]
  int i, j;         // face i of A: (i, -1); face j of B: (-1, j); edges i × j
  Real sign;        // ±1: makes the axis point from A to B
};

template <class Real>
struct BoxPairFrame {
  Mat3<Real> C;         // columns: B's axes in A's frame
  Mat3<Real> C_abs;     // |C|
  Vec3<Real> t;         // p_B − p_A in A's frame [m]
  Vec3<Real> h_A, h_B;  // half lengths [m]
};

template <class Real>
ST_FN BoxPairFrame<Real> box_pair_frame(const PlacedShape<Real>& A, const PlacedShape<Real>& B) {
  BoxPairFrame<Real> frame;
  for (int i = 0; i < 3; ++i) {
    const Vec3<Real> row = transpose_mul(B.rotation, A.rotation.column(i));
    for (int j = 0; j < 3; ++j) frame.C(i, j) = row[j], frame.C_abs(i, j) = std::fabs(row[j]);
  }
  frame.t = transpose_mul(A.rotation, B.position - A.position);
  frame.h_A = A.size, frame.h_B = B.size;
  return frame;
}

template <class Real>
ST_FN void keep_better_axis(const BoxAxis<Real>& axis, BoxAxis<Real>& best) {
  const Real tie = gap_tie<Real>();
  if (axis.separation > best.separation + tie + Real(kAxisShare) * std::fabs(best.separation)) best = axis;
}

template <class Real>
ST_FN void try_box_faces(const BoxPairFrame<Real>& frame, BoxAxis<Real>& best) {
  for (int i = 0; i < 3; ++i) {
    const Real reach = frame.h_A[i] + dot(frame.h_B, frame.C_abs.row(i));
    keep_better_axis({std::fabs(frame.t[i]) - reach, i, -1, with_sign_of(Real(1), frame.t[i])}, best);
  }
  for (int j = 0; j < 3; ++j) {
    const Real along = dot(frame.t, frame.C.column(j)), reach = frame.h_B[j] + dot(frame.h_A, frame.C_abs.column(j));
    keep_better_axis({std::fabs(along) - reach, -1, j, with_sign_of(Real(1), along)}, best);
  }
}

template <class Real>
ST_FN void try_box_edges(const BoxPairFrame<Real>& frame, BoxAxis<Real>& best) {
  constexpr Real kParallel = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-12);  // least sin²: below, i × j is rounding
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const Real sine_squared = frame.C(i1, j) * frame.C(i1, j) + frame.C(i2, j) * frame.C(i2, j);
      if (sine_squared < kParallel) continue;
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const Real along = frame.t[i2] * frame.C(i1, j) - frame.t[i1] * frame.C(i2, j);
      const Real reach = frame.h_A[i1] * frame.C_abs(i2, j) + frame.h_A[i2] * frame.C_abs(i1, j) +
                         frame.h_B[j1] * frame.C_abs(i, j2) + frame.h_B[j2] * frame.C_abs(i, j1);
      const Real separation = (std::fabs(along) - reach) / std::sqrt(sine_squared);
      keep_better_axis({separation, i, j, with_sign_of(Real(1), along)}, best);
    }
  }
}

template <class Real>
ST_FN Vec3<Real> box_normal(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const BoxAxis<Real>& axis) {
  if (axis.j < 0) return axis.sign * A.rotation.column(axis.i);
  if (axis.i < 0) return axis.sign * B.rotation.column(axis.j);
  const Vec3<Real> c = cross(A.rotation.column(axis.i), B.rotation.column(axis.j));
  return (axis.sign / norm(c)) * c;
}

/// Midpoint of the edge that is parallel to axis i and farthest along d, of a box whose centre is at `center`.
template <class Real>
ST_FN Vec3<Real> edge_middle(const PlacedShape<Real>& box, int i, const Vec3<Real>& d, const Vec3<Real>& center) {
  Vec3<Real> p = center;
  for (int k = 0; k < 3; ++k)
    if (k != i) p += with_sign_of(box.size[k], dot(box.rotation.column(k), d)) * box.rotation.column(k);
  return p;
}

/// Puts the closest points of the two edges that cross in front of the candidates.
template <class Real>
ST_FN void put_crossing_first(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const BoxAxis<Real>& axis,
                              const Vec3<Real>& n, ContactCandidates<Real>& candidates) {
  const Vec3<Real> a = A.rotation.column(axis.i), b = B.rotation.column(axis.j), zero = {Real(0), Real(0), Real(0)};
  const Vec3<Real> p = edge_middle(A, axis.i, n, zero), q = edge_middle(B, axis.j, -n, B.position - A.position);
  const Real ab = dot(a, b), ad = dot(a, q - p), bd = dot(b, q - p);
  const Real s = clamped((ad - ab * bd) / norm_squared(cross(a, b)), -A.size[axis.i], A.size[axis.i]);
  const Real t = clamped(ab * s - bd, -B.size[axis.j], B.size[axis.j]);
  put_first(p + s * a, q + t * b, n, clip_slack<Real>(), candidates);
}

template <template <class> class Shape, class Real>
ST_FN void collide_boxes(const Shape<Real>& A, const Shape<Real>& B, Real max_gap, CollisionScratch<Real>& scratch,
                         Manifold<Real>& out) {
  const BoxPairFrame<Real> frame = box_pair_frame(A, B);
  BoxAxis<Real> axis = {Real(-1e30), -1, -1, Real(1)};
  try_box_faces(frame, axis);
  if (axis.separation > max_gap) return;
  try_box_edges(frame, axis);
  if (axis.separation > max_gap) return;
  const Vec3<Real> n = box_normal(A, B, axis);
  find_features(A, B, n, A.position, scratch);
  find_candidates(n, max_gap, scratch);
  if (kept_of(A) && kept_of(B)) add_kept_candidates(A, B, n, max_gap, scratch);
  const Real tie = larger(tie_of(A), tie_of(B));
  int first = deepest_candidate(scratch.candidates, tie);
  if (axis.i >= 0 && axis.j >= 0 && !attains(scratch.candidates, first, n, axis.separation, tie)) {
    put_crossing_first(A, B, axis, n, scratch.candidates);
    first = 0;
  }
  if (attains(scratch.candidates, first, n, axis.separation))
    choose_points(A, B, n, first, scratch.candidates, out);
  else
    collide_convex(A, B, max_gap, scratch, out);
}

}  // namespace stiction
