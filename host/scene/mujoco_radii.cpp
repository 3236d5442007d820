// Length scales of bodies and dofs: what makes a torque comparable with a force (docs/adr/0101-length-scales.md).
//
//   body_radius   farthest point of the body's geoms from its centre of mass
//   dof_radius    1 for translations; hinge: farthest point of the moved geoms from the axis, at qpos0, >= 1 cm;
//                 ball and free rotations: the same from the centre of mass of the joint's body, >= 1 mm
#include <algorithm>
#include <cmath>
#include <functional>

#include "host/scene/mujoco_importer.hpp"
#include "kernels/linalg/rotation.hpp"

namespace stiction {
namespace {

using Vec = Vec3<double>;

constexpr double kLeastHingeRadius = 0.01;  // [m] so that a hinge that moves no geom has a scale
constexpr double kLeastBodyRadius = 0.001;  // [m]

struct Pose {
  Vec position;
  Quat<double> rotation;
};

Pose operator*(const Pose& a, const Pose& b) {
  return {a.position + rotate(a.rotation, b.position), a.rotation * b.rotation};
}

Pose pose_at(const mjtNum* pos, const mjtNum* quat) { return {load3(pos), load_quat(quat)}; }

/// Poses of the bodies at qpos0, where hinges and slides add nothing to the bodies' fixed frames.
std::vector<Pose> body_poses(const mjModel& m) {
  std::vector<Pose> poses{{{0, 0, 0}, {1, 0, 0, 0}}};
  for (int b = 1; b < m.nbody; ++b) {
    poses.push_back(poses[m.body_parentid[b]] * pose_at(m.body_pos + 3 * b, m.body_quat + 4 * b));
  }
  return poses;
}

/// A bound of a geom: the hull of balls of equal radius around some points.
struct Cover {
  std::vector<Vec> points;  // in the geom frame [m]
  double radius = 0.0;
};

Cover cover_box(const double* center, const double* half) {
  Cover cover;
  for (int corner = 0; corner < 8; ++corner) {
    cover.points.push_back({center[0] + (corner & 1 ? half[0] : -half[0]),
                            center[1] + (corner & 2 ? half[1] : -half[1]),
                            center[2] + (corner & 4 ? half[2] : -half[2])});
  }
  return cover;
}

/// Covers both rims by polygons around the circles, whose corners are 0.5 % too far out.
Cover cover_cylinder(double radius, double half_length) {
  constexpr int kCorners = 32;
  constexpr double kHalfAngle = mjPI / kCorners;
  Cover cover;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2.0 * i * kHalfAngle, r = radius / std::cos(kHalfAngle);
    cover.points.push_back({r * std::cos(angle), r * std::sin(angle), -half_length});
    cover.points.push_back({r * std::cos(angle), r * std::sin(angle), half_length});
  }
  return cover;
}

Cover cover_mesh(const mjModel& m, int mesh) {
  Cover cover;
  for (int v = m.mesh_vertadr[mesh]; v < m.mesh_vertadr[mesh] + m.mesh_vertnum[mesh]; ++v) {
    cover.points.push_back({m.mesh_vert[3 * v], m.mesh_vert[3 * v + 1], m.mesh_vert[3 * v + 2]});
  }
  return cover;
}

Cover cover_of(const mjModel& m, int geom) {
  const mjtNum* size = m.geom_size + 3 * geom;
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return {{{0, 0, 0}}, size[0]};
    case mjGEOM_CAPSULE:
      return {{{0, 0, -size[1]}, {0, 0, size[1]}}, size[0]};
    case mjGEOM_ELLIPSOID:
      return {{{0, 0, 0}}, std::max({size[0], size[1], size[2]})};
    case mjGEOM_CYLINDER:
      return cover_cylinder(size[0], size[1]);
    case mjGEOM_MESH:
      return cover_mesh(m, m.geom_dataid[geom]);
    default:
      return cover_box(m.geom_aabb + 6 * geom, m.geom_aabb + 6 * geom + 3);
  }
}

bool is_bounded(const mjModel& m, int geom) {
  return m.geom_type[geom] != mjGEOM_PLANE && m.geom_type[geom] != mjGEOM_HFIELD;
}

bool collides(const mjModel& m, int geom) { return m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0; }

/// The bounded geoms of a body: those that collide, or all if none does.
std::vector<int> geoms_of(const mjModel& m, int body) {
  std::vector<int> colliding, all;
  for (int g = m.body_geomadr[body]; g >= 0 && g < m.body_geomadr[body] + m.body_geomnum[body]; ++g) {
    if (!is_bounded(m, g)) continue;
    all.push_back(g);
    if (collides(m, g)) colliding.push_back(g);
  }
  return colliding.empty() ? all : colliding;
}

/// Largest distance(point) + radius over a body's geoms, with points in the frame in which `pose` is given.
double farthest(const mjModel& m, int body, const Pose& pose, const std::function<double(const Vec&)>& distance) {
  double result = 0.0;
  for (int g : geoms_of(m, body)) {
    const Pose X = pose * pose_at(m.geom_pos + 3 * g, m.geom_quat + 4 * g);
    const Cover cover = cover_of(m, g);
    for (const Vec& p : cover.points) {
      result = std::max(result, distance(X.position + rotate(X.rotation, p)) + cover.radius);
    }
  }
  return result;
}

double body_radius(const mjModel& m, int body) {
  const Vec com = load3(m.body_ipos + 3 * body);
  const Pose identity{{0, 0, 0}, {1, 0, 0, 0}};
  return farthest(m, body, identity, [&](const Vec& p) { return norm(p - com); });
}

/// The same over the body and all its descendants.
double subtree_farthest(const mjModel& m, int root, const std::vector<Pose>& poses,
                        const std::function<double(const Vec&)>& distance) {
  std::vector<char> inside(static_cast<std::size_t>(m.nbody), 0);
  double result = 0.0;
  for (int b = root; b < m.nbody; ++b) {  // children come after their parents
    inside[b] = b == root || inside[m.body_parentid[b]];
    if (inside[b]) result = std::max(result, farthest(m, b, poses[b], distance));
  }
  return result;
}

double hinge_radius(const mjModel& m, int joint, const std::vector<Pose>& poses) {
  const int body = m.jnt_bodyid[joint];
  const Vec anchor = poses[body].position + rotate(poses[body].rotation, load3(m.jnt_pos + 3 * joint));
  const Vec axis = rotate(poses[body].rotation, load3(m.jnt_axis + 3 * joint));
  const auto from_axis = [&](const Vec& p) { return norm(cross(p - anchor, axis)); };
  return std::max(kLeastHingeRadius, subtree_farthest(m, body, poses, from_axis));
}

double rotation_radius(const mjModel& m, int joint, const std::vector<Pose>& poses) {
  const int body = m.jnt_bodyid[joint];
  const Vec com = poses[body].position + rotate(poses[body].rotation, load3(m.body_ipos + 3 * body));
  const auto from_com = [&](const Vec& p) { return norm(p - com); };
  return std::max(kLeastBodyRadius, subtree_farthest(m, body, poses, from_com));
}

}  // namespace

void import_radii(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  for (int b = 0; b < m.nbody; ++b) model.body_radius.push_back(body_radius(m, b));
  const std::vector<Pose> poses = body_poses(m);
  model.dof_radius.assign(static_cast<std::size_t>(m.nv), 1.0);
  for (int j = 0; j < m.njnt; ++j) {
    const int dof = m.jnt_dofadr[j];
    if (m.jnt_type[j] == mjJNT_HINGE) model.dof_radius[dof] = hinge_radius(m, j, poses);
    if (m.jnt_type[j] == mjJNT_FREE) std::fill_n(&model.dof_radius[dof + 3], 3, rotation_radius(m, j, poses));
    if (m.jnt_type[j] == mjJNT_BALL) std::fill_n(&model.dof_radius[dof], 3, rotation_radius(m, j, poses));
  }
}

}  // namespace stiction
