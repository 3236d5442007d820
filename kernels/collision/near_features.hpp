// The features of a shape whose outward normals lie within a small angle of a direction d, as smooth pieces that a
// Newton method can work with (exact_normal.hpp).
//
//   point      a vertex; with a radius, a sphere or the end of a capsule
//   line       an edge; with a radius, the side of a capsule or of a cylinder: its axis ⊕ a ball
//   circle     the rim of a cylinder
//   face       of a polytope or the cap of a cylinder
//   ellipsoid  all of it
#pragma once

#include "kernels/collision/support.hpp"

namespace stiction {

/// Sine of the angle within which features count as near: ten times the error of the expanding polytope [-].
constexpr double kNearAngle = 3e-4;
/// Most vertices of a hull that are looked at.
constexpr int kMostNearVertices = 24;

enum class NearKind { kPoint, kLine, kCircle, kFace, kEllipsoid };

struct NearFeature {
  NearKind kind;
  Vec3<double> p;                          // the point, a centre, or the middle of a line [m]
  Vec3<double> axis = {0.0, 0.0, 0.0};     // unit: along a line, of a circle, normal of a face
  double reach = 0.0;                      // half the length of a line, radius of a circle [m]
  double radius = 0.0;                     // of the ball that is added [m]
  Vec3<double> size = {0.0, 0.0, 0.0};     // half axes of an ellipsoid [m]
  const Mat3<double>* rotation = nullptr;  // of an ellipsoid
};

ST_FN Vec3<double> unit_vector(const Vec3<double>& a) { return (1.0 / norm(a)) * a; }

/// The vertices, edges and faces of a box: along each axis that is nearly perpendicular to d either all of it, or one
/// of its two ends.
template <class Real, class Visit>
ST_FN void visit_box(const ConvexCore<Real>& box, const Vec3<double>& d, Visit visit) {
  const Vec3<double> local = transpose_mul(box.rotation, d);
  for (int spanned = 0; spanned < 7; ++spanned)
    for (int ends = 0; ends < 8; ++ends) {
      NearFeature f = {NearKind::kPoint, {0.0, 0.0, 0.0}};
      Vec3<double> at = {0.0, 0.0, 0.0};
      int num_spanned = 0, along = 0, across = 0;
      bool near = (ends & spanned) == 0;
      for (int i = 0; i < 3; ++i) {
        const double side = ends >> i & 1 ? 1.0 : -1.0;
        const bool all = spanned >> i & 1;
        near = near && (std::fabs(local[i]) < kNearAngle || (!all && side * local[i] > 0.0));
        if (!all) at[i] = side * box.size[i];
        if (all)
          ++num_spanned, along = i;
        else
          across = i;
      }
      if (!near) continue;
      f.p = box.position + box.rotation * at;
      if (num_spanned == 1) f.kind = NearKind::kLine, f.axis = box.rotation.column(along), f.reach = box.size[along];
      if (num_spanned == 2)
        f.kind = NearKind::kFace, f.axis = with_sign_of(1.0, at[across]) * box.rotation.column(across);
      if (num_spanned > 0) f.axis = unit_vector(f.axis);
      visit(f);
    }
}

/// Lists the vertices of a hull that are joined to its farthest one along `local` by edges nearly perpendicular to it.
template <class Real>
ST_FN int list_near_vertices(ConvexCore<Real>& core, const Vec3<double>& local, int list[kMostNearVertices]) {
  const PlacedShape<Real>& hull = *core.shape;
  support_hull(core, local);
  int count = 0;
  list[count++] = core.vertex;
  for (int i = 0; i < count; ++i) {
    const int here = list[i];
    const Vec3<double> from = widened(load3(hull.vertices + 3 * here));
    for (int k = 0; k < hull.neighbor_num[here] && count < kMostNearVertices; ++k) {
      const int v = hull.neighbors[hull.neighbor_adr[here] + k];
      const Vec3<double> edge = widened(load3(hull.vertices + 3 * v)) - from;
      bool fresh = std::fabs(dot(edge, local)) < kNearAngle * norm(edge);
      for (int j = 0; j < count; ++j) fresh = fresh && list[j] != v;
      if (fresh) list[count++] = v;
    }
  }
  return count;
}

template <class Real, class Visit>
ST_FN void visit_hull_faces(const ConvexCore<Real>& core, const Vec3<double>& local, Visit visit) {
  const PlacedShape<Real>& hull = *core.shape;
  for (int face = 0; face < hull.num_faces; ++face) {
    const Vec3<double> normal = widened(load3(hull.face_normals + 3 * face));
    if (!(norm(normal - local) < kNearAngle)) continue;
    const Vec3<double> corner = widened(load3(hull.vertices + 3 * hull.face_verts[hull.face_vert_adr[face]]));
    visit(NearFeature{NearKind::kFace, core.position + core.rotation * corner, unit_vector(core.rotation * normal)});
  }
}

template <class Real, class Visit>
ST_FN void visit_hull(ConvexCore<Real>& core, const Vec3<double>& d, Visit visit) {
  const PlacedShape<Real>& hull = *core.shape;
  const Vec3<double> local = transpose_mul(core.rotation, d);
  visit_hull_faces(core, local, visit);
  int list[kMostNearVertices];
  const int count = list_near_vertices(core, local, list);
  for (int i = 0; i < count; ++i) {
    const int here = list[i];
    const Vec3<double> from = core.position + core.rotation * widened(load3(hull.vertices + 3 * here));
    visit(NearFeature{NearKind::kPoint, from});
    for (int k = 0; k < hull.neighbor_num[here]; ++k) {
      const int v = hull.neighbors[hull.neighbor_adr[here] + k];
      bool listed = false;
      for (int j = 0; j < i; ++j) listed = listed || list[j] == v;
      if (!listed) continue;
      const Vec3<double> to = core.position + core.rotation * widened(load3(hull.vertices + 3 * v));
      const double length = norm(to - from);
      if (!(std::fabs(dot(to - from, d)) < kNearAngle * length)) continue;
      visit(NearFeature{NearKind::kLine, 0.5 * (from + to), (1.0 / length) * (to - from), 0.5 * length});
    }
  }
}

/// Caps, rims and side of a cylinder; ends and side of a capsule.
template <class Real, class Visit>
ST_FN void visit_round(const ConvexCore<Real>& core, const Vec3<double>& d, Visit visit) {
  const Vec3<double> axis = unit_vector(core.rotation.column(2));
  const double along = dot(axis, d), across = norm(d - along * axis), r = core.size.x, h = core.size.y;
  const bool capsule = core.type == GeomType::kCapsule;
  for (int i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1.0 : -1.0;
    if (side * along < -kNearAngle) continue;
    const Vec3<double> end = core.position + (side * h) * axis;
    if (capsule) {
      visit(NearFeature{NearKind::kPoint, end, axis, 0.0, r});
      continue;
    }
    if (across < kNearAngle) visit(NearFeature{NearKind::kFace, end, side * axis});
    visit(NearFeature{NearKind::kCircle, end, axis, r});
  }
  if (std::fabs(along) < kNearAngle) visit(NearFeature{NearKind::kLine, core.position, axis, h, r});
}

/// Calls visit(f) with each feature of the shape near its outward unit direction d.
template <class Real, class Visit>
ST_FN void visit_near_features(ConvexCore<Real>& core, const Vec3<double>& d, Visit visit) {
  switch (core.type) {
    case GeomType::kBox:
      return visit_box(core, d, visit);
    case GeomType::kMesh:
      return visit_hull(core, d, visit);
    case GeomType::kCylinder:
    case GeomType::kCapsule:
      return visit_round(core, d, visit);
    case GeomType::kSphere:
      return visit(NearFeature{NearKind::kPoint, core.position, {0.0, 0.0, 0.0}, 0.0, core.radius});
    case GeomType::kEllipsoid:
      return visit(
          NearFeature{NearKind::kEllipsoid, core.position, {0.0, 0.0, 0.0}, 0.0, 0.0, core.size, &core.rotation});
    default:  // a plane has a method of its own, and a shape without features keeps the normal that was found
      return;
  }
}

/// The highest point of the feature along the unit direction n; on a line, on a face and on a circle that n does not
/// tilt, a point in its middle or plane.
ST_FN Vec3<double> highest_point(const NearFeature& feature, const Vec3<double>& n) {
  if (feature.kind == NearKind::kCircle) {
    Vec3<double> across = n - dot(n, feature.axis) * feature.axis;
    across -= dot(across, feature.axis) * feature.axis;  // rounding counts where n is nearly the axis
    const double length = norm(across);
    return feature.p + (length > 1e-15 ? feature.reach / length : 0.0) * across;
  }
  if (feature.kind == NearKind::kEllipsoid)
    return feature.p + *feature.rotation * support_ellipsoid(feature.size, transpose_mul(*feature.rotation, n));
  return feature.p;
}

/// uᵀ ∇²h(n) v of the feature's support function h: along a principal direction its radius of curvature [m].
ST_FN double curvature_radius(const NearFeature& feature, const Vec3<double>& n, const Vec3<double>& u,
                              const Vec3<double>& v) {
  if (feature.kind == NearKind::kCircle) {
    const Vec3<double> turned = cross(feature.axis, n);  // along the rim, as long as the sine of n and the axis
    const double length = norm(turned);
    return length > 0.0 ? feature.reach * dot(turned, u) * dot(turned, v) / (length * length * length) : 0.0;
  }
  if (feature.kind == NearKind::kEllipsoid) {
    const auto scaled = [&](const Vec3<double>& a) {
      const Vec3<double> local = transpose_mul(*feature.rotation, a);
      return Vec3<double>{feature.size.x * local.x, feature.size.y * local.y, feature.size.z * local.z};
    };
    const Vec3<double> dn = scaled(n), du = scaled(u), dv = scaled(v);
    const double height = norm(dn);
    return (dot(du, dv) - dot(dn, du) * dot(dn, dv) / (height * height)) / height;
  }
  return 0.0;
}

}  // namespace stiction
