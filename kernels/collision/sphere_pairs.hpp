// A sphere against shapes for which a formula gives the nearest surface point.
//
//   x nearest point of B's surface to the centre c, m outward normal there, s = m·(c − x) the signed distance
//   n = −m,  gap = s − r,  p_A = c + r n,  p_B = x
//
// If the centre is on the surface or inside, the nearest side counts; of several equally near sides, always the same.
#pragma once

#include "kernels/collision/manifold.hpp"

namespace stiction {

/// Nearest surface point in the frame of a shape.
template <class Real>
struct SurfacePoint {
  Vec3<Real> point, normal;  // [m], outward unit
  Real distance;             // signed [m]
};

/// The one contact of a sphere of radius r centred at `center` (in B's frame).
template <class Real>
ST_FN void emit_sphere_contact(const PlacedShape<Real>& sphere, const PlacedShape<Real>& B,
                               const SurfacePoint<Real>& on_B, Real max_gap, Manifold<Real>& out) {
  const Real gap = on_B.distance - sphere.size.x;
  if (gap > max_gap) return;
  const Vec3<Real> n = -(B.rotation * on_B.normal);
  out.count = 1;
  out.point[0] = {sphere.position + sphere.size.x * n, B.position + B.rotation * on_B.point, n, gap};
}

/// Nearest surface point of a ball of radius r about `middle`; `fallback` where the centres coincide.
template <class Real>
ST_FN SurfacePoint<Real> nearest_on_ball(const Vec3<Real>& c, const Vec3<Real>& middle, Real r,
                                         const Vec3<Real>& fallback) {
  const Vec3<Real> away = c - middle;
  const Real distance = norm(away);
  const Vec3<Real> normal = distance > direction_floor<Real>() ? (Real(1) / distance) * away : fallback;
  return {middle + r * normal, normal, distance - r};
}

template <class Real>
ST_FN SurfacePoint<Real> nearest_on_capsule(const Vec3<Real>& c, const Vec3<Real>& size) {
  const Vec3<Real> middle = {Real(0), Real(0), clamped(c.z, -size.y, size.y)};
  return nearest_on_ball(c, middle, size.x, Vec3<Real>{Real(1), Real(0), Real(0)});
}

template <class Real>
ST_FN SurfacePoint<Real> nearest_on_cylinder(const Vec3<Real>& c, const Vec3<Real>& size) {
  const Real radial = std::sqrt(c.x * c.x + c.y * c.y);
  const Vec3<Real> u = radial > direction_floor<Real>() ? Vec3<Real>{c.x / radial, c.y / radial, Real(0)}
                                                        : Vec3<Real>{Real(1), Real(0), Real(0)};
  const Vec3<Real> up = {Real(0), Real(0), with_sign_of(Real(1), c.z)};
  const Real beyond_side = radial - size.x, beyond_cap = std::fabs(c.z) - size.y;
  const Vec3<Real> foot = smaller(radial, size.x) * u + smaller(std::fabs(c.z), size.y) * up;
  if (beyond_side > Real(0) && beyond_cap > Real(0)) {
    const Real distance = std::sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
    return {foot, (beyond_side / distance) * u + (beyond_cap / distance) * up, distance};
  }
  if (beyond_side > beyond_cap)
    return {foot - beyond_side * u * (beyond_side < Real(0) ? Real(1) : Real(0)), u, beyond_side};
  return {foot - beyond_cap * up * (beyond_cap < Real(0) ? Real(1) : Real(0)), up, beyond_cap};
}

template <class Real>
ST_FN SurfacePoint<Real> nearest_on_box(const Vec3<Real>& c, const Vec3<Real>& half) {
  Vec3<Real> foot = {clamped(c.x, -half.x, half.x), clamped(c.y, -half.y, half.y), clamped(c.z, -half.z, half.z)};
  const Vec3<Real> away = c - foot;
  const Real distance = norm(away);
  if (distance > direction_floor<Real>()) return {foot, (Real(1) / distance) * away, distance};
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(c[i]) - half[i] > std::fabs(c[axis]) - half[axis]) axis = i;
  Vec3<Real> normal = {Real(0), Real(0), Real(0)};
  normal[axis] = with_sign_of(Real(1), c[axis]);
  foot[axis] = half[axis] * normal[axis];
  return {foot, normal, std::fabs(c[axis]) - half[axis]};
}

/// The face of a hull below which the point is least deep; false if it is outside of any.
template <class Real>
ST_FN bool nearest_hull_face(const Vec3<Real>& c, const PlacedShape<Real>& mesh, SurfacePoint<Real>& best) {
  best = {};
  for (int face = 0; face < mesh.num_faces; ++face) {
    const Vec3<Real> normal = load3(mesh.face_normals + 3 * face);
    const Vec3<Real> corner = load3(mesh.vertices + 3 * mesh.face_verts[mesh.face_vert_adr[face]]);
    const Real height = dot(normal, c - corner);
    if (height > Real(0)) return false;
    if (face == 0 || height > best.distance) best = {c - height * normal, normal, height};
  }
  return true;
}

/// Sphere against sphere, capsule, cylinder or box.
template <class Real>
ST_FN void collide_sphere(const PlacedShape<Real>& sphere, const PlacedShape<Real>& B, Real max_gap,
                          Manifold<Real>& out) {
  const Vec3<Real> c = transpose_mul(B.rotation, sphere.position - B.position);
  const Vec3<Real> origin = {Real(0), Real(0), Real(0)}, up = {Real(0), Real(0), Real(1)};
  SurfacePoint<Real> nearest;
  if (static_cast<GeomType>(B.type) == GeomType::kSphere)
    nearest = nearest_on_ball(c, origin, B.size.x, up);
  else if (static_cast<GeomType>(B.type) == GeomType::kCapsule)
    nearest = nearest_on_capsule(c, B.size);
  else if (static_cast<GeomType>(B.type) == GeomType::kCylinder)
    nearest = nearest_on_cylinder(c, B.size);
  else
    nearest = nearest_on_box(c, B.size);
  emit_sphere_contact(sphere, B, nearest, max_gap, out);
}

/// The contact of a sphere whose centre is inside a hull, on the face below which it is least deep. False if the centre
/// is outside.
template <class Real>
ST_FN bool collide_sphere_inside_hull(const PlacedShape<Real>& sphere, const PlacedShape<Real>& mesh, Real max_gap,
                                      Manifold<Real>& out) {
  const Vec3<Real> c = transpose_mul(mesh.rotation, sphere.position - mesh.position);
  SurfacePoint<Real> nearest;
  if (!nearest_hull_face(c, mesh, nearest)) return false;
  emit_sphere_contact(sphere, mesh, nearest, max_gap, out);
  return true;
}

}  // namespace stiction
