#include "host/reference/patch_feature.hpp"

#include <algorithm>
#include <limits>

namespace stiction::reference {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;
using Kind = PatchFeatureKind;

/// Directions that separate two polytopes that are apart, or those of their least overlap.
std::vector<Vector3d> separating_axes(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                                      const PatchPose<double>& pose_G) {
  std::vector<Vector3d> axes;
  for (int k = 0; k < F.normals.cols(); ++k) axes.push_back(-(pose_F.rotation * F.normals.col(k)));
  for (int k = 0; k < G.normals.cols(); ++k) axes.push_back(pose_G.rotation * G.normals.col(k));
  for (const auto& [f0, f1] : F.edges)
    for (const auto& [g0, g1] : G.edges) {
      const Vector3d along_F = pose_F.rotation * (F.corners.col(f1) - F.corners.col(f0)).normalized();
      const Vector3d across = along_F.cross(pose_G.rotation * (G.corners.col(g1) - G.corners.col(g0)).normalized());
      if (across.norm() < 1e-6) continue;  // parallel edges: the normals of faces beside them do
      axes.push_back(across.normalized());
      axes.push_back(-across.normalized());
    }
  return axes;
}

double lowest(const PatchShape& shape, const PatchPose<double>& pose, const Vector3d& n) {
  return n.dot(pose.position) - support(shape, -(pose.rotation.transpose() * n));
}

double highest(const PatchShape& shape, const PatchPose<double>& pose, const Vector3d& n) {
  return -lowest(shape, pose, -n);
}

double outside(const PatchShape& shape, const PatchPose<double>& pose, const Vector3d& x) {
  return shape_values(shape, pose.rotation.transpose() * (x - pose.position)).f.maxCoeff();
}

}  // namespace

namespace patch_detail {

FlatPart flat_part(const PatchShape& shape, Kind kind, int part) {
  if (kind == Kind::kCornerOnFace) return {shape.corners.col(part), shape.corners.col(part), Matrix3Xd(3, 0)};
  if (kind == Kind::kEdgeOnFace) {
    const auto [i, j] = shape.edges[part];
    const Vector3d x = shape.corners.col(i), y = shape.corners.col(j);
    Matrix3Xd ends(3, 2);
    ends << x, y;
    return {ends, 0.5 * (x + y), (y - x).normalized()};
  }
  Matrix3Xd points(3, 3);
  if (kind == Kind::kDiskOnFace) {
    const double z = (part == 0 ? -0.5 : 0.5) * shape.length, r = shape.radius;
    points << 0, r, 0, 0, 0, r, z, z, z;
    return {points, Vector3d(0, 0, z), Matrix3Xd(plane_axes(Vector3d::UnitZ()))};
  }
  const std::vector<int>& face = shape.faces[part];
  Vector3d centre = Vector3d::Zero();
  for (int k : face) centre += shape.corners.col(k) / face.size();
  for (int k = 0; k < 3; ++k) points.col(k) = shape.corners.col(face[k * face.size() / 3]);
  return {points, centre, Matrix3Xd(plane_axes(shape.normals.col(part)))};
}

}  // namespace patch_detail

int ecp_dimension(Kind kind) {
  if (kind == Kind::kFaceOnFace || kind == Kind::kDiskOnFace) return 2;
  return kind == Kind::kEdgeOnFace || kind == Kind::kLineOnFace ? 1 : 0;
}

double separation(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                  const PatchPose<double>& pose_G) {
  if (!G.is_bounded()) {
    const auto plane = patch_detail::world_plane<double>(G, 0, pose_G);
    return lowest(F, pose_F, plane.normal) - plane.offset;
  }
  double best = -std::numeric_limits<double>::infinity();
  for (const Vector3d& n : separating_axes(F, pose_F, G, pose_G))
    best = std::max(best, lowest(F, pose_F, n) - highest(G, pose_G, n));
  return best;
}

double touch_error(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                   const PatchPose<double>& pose_G, const PatchTouch<double>& touch) {
  const Vector3d& n = touch.normal;
  const double level = n.dot(touch.ecp);
  double error = std::max(outside(F, pose_F, touch.ecp), outside(G, pose_G, touch.ecp));
  error = std::max(error, level - lowest(F, pose_F, n));
  if (G.is_bounded()) error = std::max(error, highest(G, pose_G, n) - level);
  return error;
}

}  // namespace stiction::reference
