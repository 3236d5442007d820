// Which part of a shape's surface faces along a direction d. Manifolds are cut from these parts.
//
//   box       the face whose normal is nearest to d          mesh      the same, on the hull
//   cylinder  a cap within 45 degrees of d (sixteen rim points), else the line on its side
//   capsule   the line on its side                           others    nothing: they touch in a point
//
// Near-ties go to the earlier face, so that the choice and the order of the corners do not change from step to step.
// The first rim point of a standing cap is where the body would tip over it; that of a tilted cap is its lowest point.
// A polygon with too many corners keeps both ends of the edge over which the body would tip.
#pragma once

#include <cmath>

#include "kernels/collision/collision_scratch.hpp"
#include "kernels/collision/facing_table.hpp"
#include "kernels/collision/scalar.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

constexpr int kRimPoints = 16;  // corners of a cap: a multiple of four, so that the eight chosen ones are evenly spaced
/// A direction this close to a cylinder's axis does not single out a point of the rim [-].
constexpr double kAxisTie = 1e-6;
/// A cap that is tilted by less stands: its lowest point is no likelier than others to be where the body tips [rad].
constexpr double kStandingTilt = 1e-2;
/// Where the rounds of a step find the end of the step, a cap that is tilted by more has a lowest point [rad].
constexpr double kLeastTilt = 1e-14;
/// A cap that is tilted by less rests flat, up to rounding: it has no lowest point [rad].
constexpr double kRestingTilt = 1e-11;
/// A free motion along a surface counts as a lean only above this share of the whole motion: a slope below 0.06 degrees
/// tips nothing [-].
constexpr double kLeanShare = 1e-3;

template <class Real>
ST_FN void box_feature(const PlacedShape<Real>& box, const Vec3<Real>& d, const Vec3<Real>& center,
                       SurfaceFeature<Real>& out) {
  const Vec3<Real> local = transpose_mul(box.rotation, d);
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(local[i]) > std::fabs(local[axis]) + Real(kFaceTie)) axis = i;
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const Real side = with_sign_of(Real(1), local[axis]);
  const Vec3<Real> eu = side * box.size[u] * box.rotation.column(u), ev = box.size[v] * box.rotation.column(v);
  out.normal = side * box.rotation.column(axis);
  const Vec3<Real> middle = center + box.size[axis] * out.normal;
  out.count = 4;
  out.corner[0] = middle + eu + ev;
  out.corner[1] = middle - eu + ev;
  out.corner[2] = middle - eu - ev;
  out.corner[3] = middle + eu - ev;
}

/// Unit vector along the part of the lean that is perpendicular to the unit direction n; zero if that part is too small
/// to count.
template <class Real>
ST_FN Vec3<Real> lean_across(const Vec3<Real>& along, const Vec3<Real>& n) {
  const Vec3<Real> across = along - dot(along, n) * n;
  const Real length = norm(across);
  return length > Real(kLeanShare) * norm(along) ? (Real(1) / length) * across : Vec3<Real>{Real(0), Real(0), Real(0)};
}

/// The corner at which the edge begins over which the lean leaves the face; if it leaves over none, the corner farthest
/// along the lean; without a lean, 0.
template <class Real>
ST_FN int first_corner(const PlacedShape<Real>& mesh, int face) {
  const int num = mesh.face_vert_num[face], *vertex = mesh.face_verts + mesh.face_vert_adr[face];
  const Vec3<Real> normal = load3(mesh.face_normals + 3 * face);
  const Vec3<Real> u = lean_across(transpose_mul(mesh.rotation, mesh.lean.along), normal);
  if (norm_squared(u) == Real(0)) return 0;
  const Vec3<Real> from = transpose_mul(mesh.rotation, mesh.lean.from - mesh.position), left = cross(normal, u);
  int farthest = 0;
  Real most = Real(-1e30);
  for (int k = 0; k < num; ++k) {
    const Vec3<Real> p = load3(mesh.vertices + 3 * vertex[k]) - from;
    const Vec3<Real> q = load3(mesh.vertices + 3 * vertex[k + 1 < num ? k + 1 : 0]) - from;
    if (dot(left, p) <= Real(0) && dot(left, q) > Real(0) && dot(u, p + q) > Real(0)) return k;
    if (dot(u, p) > most) most = dot(u, p), farthest = k;
  }
  return farthest;
}

template <class Real>
ST_FN void mesh_feature(const PlacedShape<Real>& mesh, const Vec3<Real>& d, const Vec3<Real>& center,
                        SurfaceFeature<Real>& out) {
  const int face = facing_face(mesh, transpose_mul(mesh.rotation, d));
  const int num = mesh.face_vert_num[face], adr = mesh.face_vert_adr[face];
  out.count = num < kMaxPolygon ? num : kMaxPolygon;
  out.normal = mesh.rotation * load3(mesh.face_normals + 3 * face);
  const int first = num > kMaxPolygon ? first_corner(mesh, face) : 0;
  for (int k = 0; k < out.count; ++k) {
    // a larger polygon keeps its first two corners, and the others evenly spaced
    const int chosen = num > kMaxPolygon && k > 0 ? 1 + ((k - 1) * (num - 1)) / (kMaxPolygon - 1) : k;
    const int v = mesh.face_verts[adr + (first + chosen) % num];
    out.corner[k] = center + mesh.rotation * load3(mesh.vertices + 3 * v);
  }
}

/// The unit normal of that flat part of the surface which faces the unit vector d most; zero if the shape has none.
template <class Real>
ST_FN Vec3<Real> flat_normal(const PlacedShape<Real>& shape, const Vec3<Real>& d) {
  const Vec3<Real> local = transpose_mul(shape.rotation, d);
  switch (static_cast<GeomType>(shape.type)) {
    case GeomType::kPlane:
      return shape.rotation.column(2);
    case GeomType::kCylinder:
      return with_sign_of(Real(1), local.z) * shape.rotation.column(2);
    case GeomType::kMesh:
      return shape.rotation * load3(shape.face_normals + 3 * facing_face(shape, local));
    case GeomType::kBox: {
      int axis = 0;
      for (int i = 1; i < 3; ++i)
        if (std::fabs(local[i]) > std::fabs(local[axis])) axis = i;
      return with_sign_of(Real(1), local[axis]) * shape.rotation.column(axis);
    }
    default:
      return {Real(0), Real(0), Real(0)};
  }
}

/// Unit vector perpendicular to the local axis z, towards d; x if the sine of their angle is at most `tie`.
template <class Real>
ST_FN Vec3<Real> radial_direction(const Vec3<Real>& local, Real tie = Real(kAxisTie)) {
  const Real length = std::sqrt(local.x * local.x + local.y * local.y);
  if (!(length > tie)) return {Real(1), Real(0), Real(0)};
  return {local.x / length, local.y / length, Real(0)};
}

/// Direction to the first rim point, a unit vector in the plane of the cap. On a standing cap it is the point where the
/// lean leaves the cap, or the point farthest along the lean if the lean does not cross the cap; otherwise it is the
/// point farthest along `local`.
template <template <class> class Shape, class Real>
ST_FN Vec3<Real> rim_start(const Shape<Real>& cylinder, const Vec3<Real>& local) {
  const Vec3<Real> axis = {Real(0), Real(0), Real(1)};
  const Vec3<Real> u = lean_across(transpose_mul(cylinder.rotation, cylinder.lean.along), axis);
  const bool stands = local.x * local.x + local.y * local.y < Real(kStandingTilt * kStandingTilt);
  if (kept_of(cylinder) && kept_of(cylinder)->on_rim)
    return {std::cos(kept_of(cylinder)->rim_angle), std::sin(kept_of(cylinder)->rim_angle), Real(0)};
  if (kept_of(cylinder)) return radial_direction(local, Real(kLeastTilt));
  if (!stands || norm_squared(u) == Real(0)) return radial_direction(local);
  Vec3<Real> from = transpose_mul(cylinder.rotation, cylinder.lean.from - cylinder.position);
  from.z = Real(0);
  const Real r = cylinder.size.x, b = dot(from, u), root = b * b - norm_squared(from) + r * r;
  if (!(root > Real(0) && std::sqrt(root) > b)) return u;
  const Vec3<Real> leaves = from + (std::sqrt(root) - b) * u;
  return (Real(1) / norm(leaves)) * leaves;
}

/// Moves rim points onto the points that carried in the last round, each time the nearest that is not taken; the lowest
/// point of a tilted cap, the first, stays. `eu` and `ev` span the cap, with its radius as their length.
template <template <class> class Shape, class Real>
ST_FN void keep_rim_points(const Shape<Real>& cylinder, const Vec3<Real>& middle, const Vec3<Real>& eu,
                           const Vec3<Real>& ev, bool tilted, SurfaceFeature<Real>& out) {
  constexpr double kTurn = 6.283185307179586;
  Real angle[kRimPoints];
  for (int k = 0; k < kRimPoints; ++k) angle[k] = Real(kTurn / kRimPoints) * Real(k);
  unsigned taken = tilted ? 1u : 0u;
  for (int i = 0; i < kept_of(cylinder)->count; ++i) {
    if (kept_of(cylinder)->crossings & 1u << i) continue;
    const Vec3<Real> arm = kept_of(cylinder)->point[i] - cylinder.position - cylinder.size.y * out.normal;
    const Real c = dot(arm, eu), s = dot(arm, ev), r = cylinder.size.x;
    if (!(c * c + s * s > Real(0.81) * r * r * r * r)) continue;  // a point inside the cap
    const Real polar = std::atan2(s, c), at = polar < Real(0) ? polar + Real(kTurn) : polar;
    int nearest = -1;
    Real least = Real(kTurn);
    for (int k = 0; k < kRimPoints; ++k) {
      const Real away = std::fabs(at - angle[k]), around = smaller(away, Real(kTurn) - away);
      if (!(taken & 1u << k) && around < least) least = around, nearest = k;
    }
    if (nearest < 0) break;
    taken |= 1u << nearest;
    angle[nearest] = at;
  }
  for (int k = 1; k < kRimPoints; ++k)  // counter-clockwise again
    for (int m = k; m > 0 && angle[m] < angle[m - 1]; --m) {
      const Real other = angle[m];
      angle[m] = angle[m - 1], angle[m - 1] = other;
    }
  for (int k = 0; k < kRimPoints; ++k) out.corner[k] = middle + std::cos(angle[k]) * eu + std::sin(angle[k]) * ev;
}

template <template <class> class Shape, class Real>
ST_FN void cap_feature(const Shape<Real>& cylinder, const Vec3<Real>& local, const Vec3<Real>& center,
                       SurfaceFeature<Real>& out) {
  // cos and sin of 0, 22.5, 45 and 67.5 degrees; the quarters follow by turning
  constexpr double kCos[4] = {1.0, 0.92387953251128675613, 0.70710678118654752440, 0.38268343236508977173};
  constexpr double kSin[4] = {0.0, 0.38268343236508977173, 0.70710678118654752440, 0.92387953251128675613};
  const Real side = with_sign_of(Real(1), local.z);
  const Vec3<Real> u = rim_start(cylinder, local);
  const Vec3<Real> eu = cylinder.size.x * (cylinder.rotation * u);
  const Vec3<Real> ev = side * cylinder.size.x * (cylinder.rotation * Vec3<Real>{-u.y, u.x, Real(0)});
  out.normal = side * cylinder.rotation.column(2);
  const Vec3<Real> middle = center + cylinder.size.y * out.normal;
  out.count = kRimPoints;
  for (int k = 0; k < 4; ++k) {
    const Real c = Real(kCos[k]), s = Real(kSin[k]);
    out.corner[k] = middle + c * eu + s * ev;
    out.corner[k + 4] = middle - s * eu + c * ev;
    out.corner[k + 8] = middle - c * eu - s * ev;
    out.corner[k + 12] = middle + s * eu - c * ev;
  }
  if (kept_of(cylinder) && kept_of(cylinder)->on_rim && kept_of(cylinder)->rim_half > Real(0)) {
    const Real c = std::cos(kept_of(cylinder)->rim_half), s = side * std::sin(kept_of(cylinder)->rim_half);
    out.corner[1] = middle + c * eu + s * ev;
    out.corner[kRimPoints - 1] = middle + c * eu - s * ev;
  }
  if (kept_of(cylinder) && !kept_of(cylinder)->on_rim) {
    const bool tilted = local.x * local.x + local.y * local.y > Real(kRestingTilt * kRestingTilt);
    keep_rim_points(cylinder, middle, eu, ev, tilted, out);
  }
}

template <class Real>
ST_FN void side_feature(const PlacedShape<Real>& round, const Vec3<Real>& local, const Vec3<Real>& center,
                        SurfaceFeature<Real>& out) {
  out.normal = round.rotation * radial_direction(local);
  out.radius = round.size.x;
  const Vec3<Real> touching = center + round.size.x * out.normal;
  const Vec3<Real> axis = round.size.y * round.rotation.column(2);
  out.count = 2;
  out.corner[0] = touching - axis;
  out.corner[1] = touching + axis;
}

/// The feature of `shape` along the unit direction d, its corners relative to `origin`.
template <template <class> class Shape, class Real>
ST_PHASE void find_surface_feature(const Shape<Real>& shape, Vec3<Real> d, Vec3<Real> origin,
                                   SurfaceFeature<Real>& out) {
  const Vec3<Real> center = shape.position - origin;
  const GeomType type = static_cast<GeomType>(shape.type);
  out.count = 0;
  switch (type) {
    case GeomType::kBox:
      return box_feature(shape, d, center, out);
    case GeomType::kMesh:
      return mesh_feature(shape, d, center, out);
    case GeomType::kCapsule:
      return side_feature(shape, transpose_mul(shape.rotation, d), center, out);
    case GeomType::kCylinder: {
      const Vec3<Real> local = transpose_mul(shape.rotation, d);
      if (local.z * local.z >= Real(0.5)) return cap_feature(shape, local, center, out);
      return side_feature(shape, local, center, out);
    }
    case GeomType::kPlane:
    case GeomType::kSphere:
    case GeomType::kEllipsoid:
      return;
  }
}

}  // namespace stiction
