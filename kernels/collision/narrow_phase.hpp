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
#pragma once

#include "kernels/collision/box_box.hpp"
#include "kernels/collision/capsule_pairs.hpp"
#include "kernels/collision/plane_pairs.hpp"
#include "kernels/collision/sphere_pairs.hpp"

namespace stiction {

ST_FN bool sphere_has_formula(GeomType B) {
  return B == GeomType::kSphere || B == GeomType::kCapsule || B == GeomType::kCylinder || B == GeomType::kBox;
}

/// Contact manifold of A and B; out.count = 0 if their distance exceeds max_gap [m].
template <class Real>
ST_FN void collide(const PlacedShape<Real>& A, const PlacedShape<Real>& B, Real max_gap,
                   CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  const GeomType type_A = static_cast<GeomType>(A.type), type_B = static_cast<GeomType>(B.type);
  out.count = 0;
  if (type_A == GeomType::kPlane) return collide_plane(A, B, max_gap, scratch, out);
  if (type_A == GeomType::kSphere && sphere_has_formula(type_B)) return collide_sphere(A, B, max_gap, out);
  if (type_A == GeomType::kSphere && type_B == GeomType::kMesh && collide_sphere_inside_hull(A, B, max_gap, out))
    return;
  if (type_A == GeomType::kCapsule && type_B == GeomType::kCapsule)
    return collide_capsules(A, B, max_gap, scratch, out);
  if (type_A == GeomType::kCapsule && type_B == GeomType::kCylinder)
    return collide_capsule_cylinder(A, B, max_gap, scratch, out);
  if (type_A == GeomType::kBox && type_B == GeomType::kBox) return collide_boxes(A, B, max_gap, scratch, out);
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

}  // namespace stiction
