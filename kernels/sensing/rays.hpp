// Where rays meet the geoms of an environment: the nearest point of a surface at or before its origin, as in MuJoCo's
// mj_ray.
//
//   x(t) = o + t d, ‖d‖ = 1         t: distance [m]
//   convex shape                    the ray is in it for t in [a, b]: met at a, or at b from inside (a < 0 <= b)
//   hull                            n_f · x <= n_f · v_f for every face f with the vertex v_f
//   plane                           met from above only (d_z < 0), within its rectangle where it has one
//   normal                          of the surface, outward, world axes
//
// t counts from the point of the ray next to the shape's centre, so that rounding goes with the size of the shape and
// not with how far away it is.
#pragma once

#include "kernels/kinematics/poses.hpp"
#include "kernels/linalg/scalar.hpp"
#include "kernels/sensing/volume.hpp"

namespace stiction {

/// Rays of a batch and what they met.
///   ray        origin [m], direction of length 1, metres that one unit of the answer has; in the axes of a frame
template <class Real>
struct RayBatch {
  int batch, count;    // environments, rays of each
  bool own;            // every environment has its own rays; else all have the same
  const Real* ray;     // (count, 7), or (batch, count, 7)
  const int* hidden;   // 1: rays pass through this geom (ngeom)
  int frame_body;      // the frame of the rays is fixed to this body
  Real frame_pos[3];   // in the body's frame [m]
  Real frame_quat[4];  //
  Real cutoff;         // what is farther away is not met; in units of the answer
  Real missed;         // the distance where nothing is met
  Real* distance;      // [units of the answer]       (batch, count)
  int* geom;           // -1: none; null: not asked for (batch, count)
  Real* normal;        // zero: none; null with `geom`  (batch, count, 3)
};

/// Numbers of a ray.
constexpr int kRayNumbers = 7;

/// The nearest point of a surface.
template <class Real>
struct RayHit {
  Real distance;  // [m]
  int geom;       // -1: none
};

namespace sensing_detail {

/// A ray in the axes of a geom.
template <class Real>
struct LocalRay {
  Vec3<Real> origin, direction;
};

template <class Real>
ST_FN LocalRay<Real> in_geom(const Poses<Real>& poses, int geom, const Vec3<Real>& origin,
                             const Vec3<Real>& direction) {
  const Real* r = poses.geom_rot + 9 * geom;
  const Mat3<Real> rotation = from_rows(load3(r), load3(r + 3), load3(r + 6));
  return {transpose_mul(rotation, origin - load3(poses.geom_pos + 3 * geom)), transpose_mul(rotation, direction)};
}

/// A vertex of a hull's face.
template <class Real>
ST_FN Vec3<Real> vertex_of_face(const ModelView<Real>& model, int mesh, int face) {
  const int local = model.mesh_face_vert[model.mesh_face_vert_adr[face]];
  return load3(model.mesh_vert + 3 * (model.mesh_vert_adr[mesh] + local));
}

template <class Real>
ST_FN Span<Real> span_in_hull(const ModelView<Real>& model, int mesh, const Vec3<Real>& p, const Vec3<Real>& d) {
  Span<Real> inside = whole_line<Real>(true);
  const int first = model.mesh_face_adr[mesh];
  for (int face = first; face < first + model.mesh_face_num[mesh]; ++face) {
    const Vec3<Real> normal = load3(model.mesh_face_normal + 3 * face);
    const Real depth = dot(normal, vertex_of_face(model, mesh, face) - p), rate = dot(normal, d);
    if (rate > Real(0))
      inside.to = smaller(inside.to, depth / rate);
    else if (rate < Real(0))
      inside.from = larger(inside.from, depth / rate);
    else if (depth < Real(0))
      return whole_line<Real>(false);
  }
  return inside;
}

/// Distance to a plane along a ray in its axes; negative: it is not met.
template <class Real>
ST_FN Real distance_to_plane(const Real* size, const LocalRay<Real>& ray) {
  if (!(ray.direction.z < Real(0))) return Real(-1);
  const Real t = -ray.origin.z / ray.direction.z;
  const Vec3<Real> x = ray.origin + t * ray.direction;
  const bool beyond =
      (size[0] > Real(0) && std::fabs(x.x) > size[0]) || (size[1] > Real(0) && std::fabs(x.y) > size[1]);
  return beyond ? Real(-1) : t;
}

/// Distance to a geom along a ray [m]; negative: it is not met.
template <class Real>
ST_FN Real distance_to_geom(const ModelView<Real>& model, int geom, const LocalRay<Real>& ray) {
  const GeomType type = static_cast<GeomType>(model.geom_type[geom]);
  const Real* size = model.geom_size + 3 * geom;
  if (type == GeomType::kPlane) return distance_to_plane(size, ray);
  const bool is_hull = type == GeomType::kMesh;
  const Vec3<Real> center = is_hull ? load3(model.geom_box_center + 3 * geom) : Vec3<Real>{Real(0), Real(0), Real(0)};
  const Real ahead = dot(center - ray.origin, ray.direction);
  const Vec3<Real> nearest = ray.origin + ahead * ray.direction;
  if (is_hull && norm(nearest - center) > Real(1.001) * model.geom_radius[geom]) return Real(-1);
  const Span<Real> inside = is_hull ? span_in_hull(model, model.geom_mesh[geom], nearest, ray.direction)
                                    : span_in_shape(type, size, nearest, ray.direction);
  if (!(inside.from <= inside.to)) return Real(-1);
  const Real enters = ahead + inside.from;
  return enters >= Real(0) ? enters : ahead + inside.to;
}

template <class Real>
ST_FN Vec3<Real> unit(const Vec3<Real>& a) {
  const Real length = norm(a);
  return length > Real(0) ? (Real(1) / length) * a : Vec3<Real>{Real(0), Real(0), Real(1)};
}

/// Outward normal of a hull at a point of its surface: that of the face whose plane is farthest out there.
template <class Real>
ST_FN Vec3<Real> hull_normal(const ModelView<Real>& model, int mesh, const Vec3<Real>& x) {
  Vec3<Real> outward = {Real(0), Real(0), Real(1)};
  Real farthest = Real(-INFINITY);
  const int first = model.mesh_face_adr[mesh];
  for (int face = first; face < first + model.mesh_face_num[mesh]; ++face) {
    const Vec3<Real> normal = load3(model.mesh_face_normal + 3 * face);
    const Real out = dot(normal, x - vertex_of_face(model, mesh, face));
    if (out > farthest) farthest = out, outward = normal;
  }
  return outward;
}

template <class Real>
ST_FN Vec3<Real> box_normal(const Real* size, const Vec3<Real>& x) {
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(x[i]) - size[i] > std::fabs(x[axis]) - size[axis]) axis = i;
  Vec3<Real> normal = {Real(0), Real(0), Real(0)};
  normal[axis] = x[axis] < Real(0) ? Real(-1) : Real(1);
  return normal;
}

/// Outward normal of a geom at a point of its surface, in its axes.
template <class Real>
ST_FN Vec3<Real> outward_normal(const ModelView<Real>& model, int geom, const Vec3<Real>& x) {
  const Real* size = model.geom_size + 3 * geom;
  const Real up = x.z < Real(0) ? Real(-1) : Real(1);
  switch (static_cast<GeomType>(model.geom_type[geom])) {
    case GeomType::kPlane:
      break;
    case GeomType::kSphere:
      return unit(x);
    case GeomType::kCapsule:
      return unit(Vec3<Real>{x.x, x.y, x.z - clamped(x.z, -size[1], size[1])});
    case GeomType::kCylinder:
      if (std::fabs(x.z) - size[1] > std::sqrt(x.x * x.x + x.y * x.y) - size[0]) return {Real(0), Real(0), up};
      return unit(Vec3<Real>{x.x, x.y, Real(0)});
    case GeomType::kEllipsoid:
      return unit(Vec3<Real>{x.x / (size[0] * size[0]), x.y / (size[1] * size[1]), x.z / (size[2] * size[2])});
    case GeomType::kBox:
      return box_normal(size, x);
    case GeomType::kMesh:
      return hull_normal(model, model.geom_mesh[geom], x);
  }
  return {Real(0), Real(0), Real(1)};
}

/// The nearest geom on a ray, none of those that are hidden and none beyond `farthest` [m].
template <class Real>
ST_FN RayHit<Real> nearest_geom(const ModelView<Real>& model, const Poses<Real>& poses, const int* hidden,
                                const Vec3<Real>& origin, const Vec3<Real>& direction, Real farthest) {
  RayHit<Real> hit = {farthest, -1};
  for (int geom = 0; geom < model.ngeom; ++geom) {
    if (hidden[geom] || is_spare(model, geom)) continue;
    const Real t = distance_to_geom(model, geom, in_geom(poses, geom, origin, direction));
    if (t >= Real(0) && (t < hit.distance || (hit.geom < 0 && t == farthest))) hit = {t, geom};
  }
  return hit;
}

/// The normal where a ray meets a geom, world axes.
template <class Real>
ST_FN Vec3<Real> normal_of(const ModelView<Real>& model, const Poses<Real>& poses, const RayHit<Real>& hit,
                           const Vec3<Real>& origin, const Vec3<Real>& direction) {
  const LocalRay<Real> ray = in_geom(poses, hit.geom, origin, direction);
  const Vec3<Real> local = outward_normal(model, hit.geom, ray.origin + hit.distance * ray.direction);
  const Real* r = poses.geom_rot + 9 * hit.geom;
  return from_rows(load3(r), load3(r + 3), load3(r + 6)) * local;
}

}  // namespace sensing_detail

/// Writes what ray i of environment `env` meets; `poses` are those of the environment.
template <class Real>
ST_FN void trace_ray(const ModelView<Real>& model, const Poses<Real>& poses, const RayBatch<Real>& rays, int env,
                     int i) {
  using namespace sensing_detail;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(env) * rays.count + i;
  const Real* ray = rays.ray + kRayNumbers * (rays.own ? at : i);
  const Quat<Real> body = load_quat(poses.body_quat + 4 * rays.frame_body);
  const Vec3<Real> in_body = load3(rays.frame_pos) + rotate(load_quat(rays.frame_quat), load3(ray));
  const Vec3<Real> origin = load3(poses.body_pos + 3 * rays.frame_body) + rotate(body, in_body);
  const Vec3<Real> direction = rotate(body, rotate(load_quat(rays.frame_quat), load3(ray + 3)));
  const Real metres = ray[6];
  const RayHit<Real> hit = nearest_geom(model, poses, rays.hidden, origin, direction, rays.cutoff * metres);
  rays.distance[at] = hit.geom < 0 ? rays.missed : hit.distance / metres;
  if (!rays.geom) return;
  rays.geom[at] = hit.geom;
  const Vec3<Real> none = {Real(0), Real(0), Real(0)};
  store3(rays.normal + 3 * at, hit.geom < 0 ? none : normal_of(model, poses, hit, origin, direction));
}

}  // namespace stiction
