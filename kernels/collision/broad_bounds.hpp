// Cheap lower bounds of the gap of two geoms: a pair that they exclude needs no narrow phase.
//
//   spheres   |c_B − c_A| − r_A − r_B
//   box A and sphere B   |max(|R_Aᵀ t| − half_A, 0)| − r_B,   t = c_B − c_A, outside of the box
//   boxes     max over axes a of  |a·t| − Σ_i half_A,i |a·x_A,i| − Σ_i half_B,i |a·x_B,i|,   t = c_B − c_A
//   plane     n·(c − p) − Σ_i half_i |n·x_i|
//
// Every unit axis gives a lower bound of the distance, so the largest one is the tightest of those tried.
#pragma once

#include <cmath>

#include "kernels/collision/scalar.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {

/// A box that bounds a geom, in the world.
template <class Real>
struct OrientedBox {
  Vec3<Real> center;    // [m]
  Vec3<Real> half;      // half lengths [m]
  Mat3<Real> rotation;  // columns: its axes
};

template <class Real>
ST_FN Real sphere_gap_bound(const Vec3<Real>& center_A, Real radius_A, const Vec3<Real>& center_B, Real radius_B) {
  return norm(center_B - center_A) - radius_A - radius_B;
}

/// Half the extent of a box along a unit axis [m].
template <class Real>
ST_FN Real half_extent(const OrientedBox<Real>& box, const Vec3<Real>& axis) {
  return box.half.x * std::fabs(dot(axis, box.rotation.column(0))) +
         box.half.y * std::fabs(dot(axis, box.rotation.column(1))) +
         box.half.z * std::fabs(dot(axis, box.rotation.column(2)));
}

/// A bound of the gap of a box and a sphere whose centre t is given in the box's axes, from its centre; none, −∞, if
/// the centre is inside: the way out may be longer than the radius.
template <class Real>
ST_FN Real box_sphere_gap_bound(const OrientedBox<Real>& box, const Vec3<Real>& t, Real radius) {
  Real square = Real(0);
  for (int i = 0; i < 3; ++i) {
    const Real beyond = larger(std::fabs(t[i]) - box.half[i], Real(0));
    square += beyond * beyond;
  }
  return square > Real(0) ? std::sqrt(square) - radius : -Real(INFINITY);
}

/// The larger of the bounds of each box and the other's sphere; if that is at most `enough`, of these and of the
/// separations along the six face normals.
template <class Real>
ST_FN Real box_gap_bound(const OrientedBox<Real>& A, Real radius_A, const OrientedBox<Real>& B, Real radius_B,
                         Real enough) {
  const Vec3<Real> t_W = B.center - A.center;
  const Vec3<Real> t_A = transpose_mul(A.rotation, t_W), t_B = transpose_mul(B.rotation, t_W);
  Real bound = larger(box_sphere_gap_bound(A, t_A, radius_B), box_sphere_gap_bound(B, t_B, radius_A));
  if (bound > enough) return bound;
  Real reach_A[3], reach_B[3];
  for (int i = 0; i < 3; ++i) reach_A[i] = A.half[i], reach_B[i] = B.half[i];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Real c = std::fabs(dot(A.rotation.column(i), B.rotation.column(j)));
      reach_A[i] += c * B.half[j];
      reach_B[j] += c * A.half[i];
    }
  }
  for (int i = 0; i < 3; ++i) bound = larger(bound, std::fabs(t_A[i]) - reach_A[i]);
  for (int i = 0; i < 3; ++i) bound = larger(bound, std::fabs(t_B[i]) - reach_B[i]);
  return bound;
}

/// Exact for a box above the plane through `point` with unit normal `n`.
template <class Real>
ST_FN Real plane_gap_bound(const Vec3<Real>& point, const Vec3<Real>& n, const OrientedBox<Real>& box) {
  return dot(n, box.center - point) - half_extent(box, n);
}

}  // namespace stiction
