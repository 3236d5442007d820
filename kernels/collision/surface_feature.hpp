// Which part of a shape's surface faces along a direction d: what a manifold is cut from.
//
//   box       the face whose normal is nearest to d          mesh      the same, on the hull
//   cylinder  a cap within 45 degrees of d (twelve rim points from the farthest on), else the line on its side
//   capsule   the line on its side                           others    nothing: they touch in a point
//
// Near-ties go to the earlier face, so that the choice and the order of the corners last from step to step.
#pragma once

#include <cmath>

#include "kernels/collision/collision_scratch.hpp"
#include "kernels/collision/scalar.hpp"
#include "kernels/model/types.hpp"

namespace stiction {

constexpr int kRimPoints = 12;  // corners of a cap: a multiple of four
/// A later face must be nearer to the direction by this cosine to be chosen [-].
constexpr double kFaceTie = 1e-4;
/// Directions this close to a cylinder's axis single out no point of the rim [-].
constexpr double kAxisTie = 1e-6;

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

template <class Real>
ST_FN int facing_face(const PlacedShape<Real>& mesh, const Vec3<Real>& local) {
  int best = 0;
  Real best_cosine = Real(-2);
  for (int face = 0; face < mesh.num_faces; ++face) {
    const Real cosine = dot(local, load3(mesh.face_normals + 3 * face));
    if (cosine > best_cosine + Real(kFaceTie)) best = face, best_cosine = cosine;
  }
  return best;
}

template <class Real>
ST_FN void mesh_feature(const PlacedShape<Real>& mesh, const Vec3<Real>& d, const Vec3<Real>& center,
                        SurfaceFeature<Real>& out) {
  const int face = facing_face(mesh, transpose_mul(mesh.rotation, d));
  const int num = mesh.face_vert_num[face], adr = mesh.face_vert_adr[face];
  out.count = num < kMaxPolygon ? num : kMaxPolygon;  // of a larger polygon evenly chosen corners
  out.normal = mesh.rotation * load3(mesh.face_normals + 3 * face);
  for (int k = 0; k < out.count; ++k) {
    const int v = mesh.face_verts[adr + (k * num) / out.count];
    out.corner[k] = center + mesh.rotation * load3(mesh.vertices + 3 * v);
  }
}

/// Unit vector across the local axis z towards d; x where d is along the axis.
template <class Real>
ST_FN Vec3<Real> radial_direction(const Vec3<Real>& local) {
  const Real length = std::sqrt(local.x * local.x + local.y * local.y);
  if (!(length > Real(kAxisTie))) return {Real(1), Real(0), Real(0)};
  return {local.x / length, local.y / length, Real(0)};
}

template <class Real>
ST_FN void cap_feature(const PlacedShape<Real>& cylinder, const Vec3<Real>& local, const Vec3<Real>& center,
                       SurfaceFeature<Real>& out) {
  // cos and sin of 0, 30 and 60 degrees; the quarters follow by turning
  constexpr double kCos[3] = {1.0, 0.86602540378443864676, 0.5}, kSin[3] = {0.0, 0.5, 0.86602540378443864676};
  const Real side = with_sign_of(Real(1), local.z);
  const Vec3<Real> u = radial_direction(local);
  const Vec3<Real> eu = cylinder.size.x * (cylinder.rotation * u);
  const Vec3<Real> ev = side * cylinder.size.x * (cylinder.rotation * Vec3<Real>{-u.y, u.x, Real(0)});
  out.normal = side * cylinder.rotation.column(2);
  const Vec3<Real> middle = center + cylinder.size.y * out.normal;
  out.count = kRimPoints;
  for (int k = 0; k < 3; ++k) {
    const Real c = Real(kCos[k]), s = Real(kSin[k]);
    out.corner[k] = middle + c * eu + s * ev;
    out.corner[k + 3] = middle - s * eu + c * ev;
    out.corner[k + 6] = middle - c * eu - s * ev;
    out.corner[k + 9] = middle + s * eu - c * ev;
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
template <class Real>
ST_FN void find_surface_feature(const PlacedShape<Real>& shape, const Vec3<Real>& d, const Vec3<Real>& origin,
                                SurfaceFeature<Real>& out) {
  const Vec3<Real> center = shape.position - origin;
  const GeomType type = static_cast<GeomType>(shape.type);
  out.count = 0;
  if (type == GeomType::kBox) box_feature(shape, d, center, out);
  if (type == GeomType::kMesh) mesh_feature(shape, d, center, out);
  if (type != GeomType::kCapsule && type != GeomType::kCylinder) return;
  const Vec3<Real> local = transpose_mul(shape.rotation, d);
  if (type == GeomType::kCylinder && local.z * local.z >= Real(0.5))
    cap_feature(shape, local, center, out);
  else
    side_feature(shape, local, center, out);
}

}  // namespace stiction
