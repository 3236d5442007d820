// The narrow phase: signed distance and contact manifold of two shapes, at gaps up to max_gap and in penetration.
//
//   gap = n·(p_B − p_A), n from A to B, both witnesses on the surfaces
//   point[0]: the closest pair (shortest separating translation in penetration); the others share its normal
//
// One lane works on one pair. The shapes are in the order of GeomType: A's type is not after B's.
//
//              sphere    capsule   cylinder  ellipsoid box       mesh
//   plane      formula for all (plane_pairs.hpp)
//   sphere     formula   formula   formula   GJK       formula   GJK; formula inside       (sphere_pairs.hpp)
//   capsule              segments  segments on the cylinder's side, else GJK; others GJK   (capsule_pairs.hpp)
//   cylinder                       GJK       GJK       GJK       GJK                       (convex_pairs.hpp)
//   ellipsoid                                GJK       GJK       GJK
//   box                                                SAT       GJK                       (box_box.hpp)
//   mesh                                                         GJK
//
// GJK: a face of a box or a cylinder, if that tells the closest points; else GJK and the expanding polytope.
#pragma once

#include "kernels/collision/box_box.hpp"
#include "kernels/collision/capsule_pairs.hpp"
#include "kernels/collision/plane_pairs.hpp"
#include "kernels/collision/sphere_pairs.hpp"

namespace stiction {

/// How a pair of shapes is asked for its contacts.
enum class PairMethod {
  kPlane,            // plane_pairs.hpp
  kSphere,           // sphere_pairs.hpp
  kSphereInHull,     // the same where the centre is inside, else kConvex
  kCapsules,         // capsule_pairs.hpp
  kCapsuleCylinder,  // the same on the cylinder's side, else kConvex
  kBoxes,            // box_box.hpp
  kConvex,           // convex_pairs.hpp
};

/// The method of a pair, A's type not after B's; the list: pairs.inc.
ST_FN constexpr PairMethod method_of(GeomType A, GeomType B) {
  if (A == GeomType::kPlane) return PairMethod::kPlane;
#define ST_PAIR(first, second, method) \
  if (A == GeomType::first && B == GeomType::second) return PairMethod::method;
#include "kernels/collision/pairs.inc"
#undef ST_PAIR
  return PairMethod::kConvex;
}

/// Contact manifold of A and B; out.count = 0 if their distance exceeds max_gap [m].
template <template <class> class Shape, class Real>
ST_FN void collide(const Shape<Real>& A, const Shape<Real>& B, Real max_gap, CollisionScratch<Real>& scratch,
                   Manifold<Real>& out) {
  out.count = 0, out.dropped = 0u;
  switch (method_of(static_cast<GeomType>(A.type), static_cast<GeomType>(B.type))) {
    case PairMethod::kPlane:
      return collide_plane(A, B, max_gap, scratch, out);
    case PairMethod::kSphere:
      return collide_sphere(A, B, max_gap, out);
    case PairMethod::kCapsules:
      return collide_capsules(A, B, max_gap, scratch, out);
    case PairMethod::kCapsuleCylinder:
      return collide_capsule_cylinder(A, B, max_gap, scratch, out);
    case PairMethod::kBoxes:
      return collide_boxes(A, B, max_gap, scratch, out);
    case PairMethod::kSphereInHull:
      if (collide_sphere_inside_hull(A, B, max_gap, out)) return;
      break;
    case PairMethod::kConvex:
      break;
  }
  collide_convex(A, B, max_gap, scratch, out);
}

/// Collides the pair in the scratch; false if it is farther apart than max_gap. The normal found becomes the next
/// guess. It is compiled once, as it is called in many places.
template <class Real>
ST_APART bool collide_placed(Real max_gap, CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  collide(scratch.A, scratch.B, max_gap, scratch, out);
  if (out.count > 0) scratch.guess = out.point[0].normal;
  return out.count > 0;
}

/// Distance of the pair in the scratch [m]; infinite if it is above `farthest`.
template <class Real>
ST_FN Real distance_up_to(Real farthest, CollisionScratch<Real>& scratch) {
  return collide_placed(farthest, scratch, scratch.manifold) ? scratch.manifold.point[0].gap : Real(INFINITY);
}

}  // namespace stiction
