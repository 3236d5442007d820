#include "host/reference/patch_feature.hpp"

#include <algorithm>
#include <limits>

namespace stiction::reference {
namespace {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Kind = PatchFeatureKind;

// supports are added until the distance is known to this share of the sizes, or until so many were
constexpr double kDistance = 1e-13;
constexpr int kMostSupports = 60;

/// Directions of a shape that others may be apart along or across: of edges and an axis, and normals of faces.
Matrix3Xd lines_of(const PatchShape& shape, const PatchPose<double>& pose) {
  const int edges = shape.edges.size();
  Matrix3Xd lines(3, edges + (shape.is_cylinder() ? 1 : 0));
  for (int k = 0; k < edges; ++k) lines.col(k) = pose.rotation * patch_detail::edge_direction(shape, k);
  if (shape.is_cylinder()) lines.col(edges) = pose.rotation.col(2);
  return lines;
}

/// Directions that separate two polytopes that are apart, or those of their least overlap; with a cylinder, its disks
/// and its axis add theirs.
std::vector<Vector3d> separating_axes(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                                      const PatchPose<double>& pose_G) {
  std::vector<Vector3d> axes;
  for (int k = 0; k < F.normals.cols(); ++k) axes.push_back(-(pose_F.rotation * F.normals.col(k)));
  for (int k = 0; k < G.normals.cols(); ++k) axes.push_back(pose_G.rotation * G.normals.col(k));
  const Matrix3Xd lines_F = lines_of(F, pose_F), lines_G = lines_of(G, pose_G);
  for (int i = 0; i < lines_F.cols(); ++i)
    for (int j = 0; j < lines_G.cols(); ++j) {
      const Vector3d across = Vector3d(lines_F.col(i)).cross(Vector3d(lines_G.col(j)));
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

/// The point nearest to the origin of the plane through the columns, as shares of them; empty if it is no plane.
VectorXd shares_of_nearest(const Matrix3Xd& points) {
  const int n = points.cols();
  MatrixXd system = MatrixXd::Ones(n + 1, n + 1);
  system.topLeftCorner(n, n) = points.transpose() * points;
  system(n, n) = 0.0;
  const Eigen::FullPivLU<MatrixXd> factor(system);
  if (!factor.isInvertible()) return {};
  return factor.solve(VectorXd::Unit(n + 1, n)).head(n);
}

/// The point nearest to the origin of the hull of the columns, of which those remain that it is between.
Vector3d nearest_of_hull(Matrix3Xd& points) {
  const int n = points.cols();
  Vector3d nearest = points.col(0);
  Matrix3Xd kept = points;
  for (int chosen = 1; chosen < 1 << n; ++chosen) {
    std::vector<int> columns;
    for (int k = 0; k < n; ++k)
      if ((chosen >> k) & 1) columns.push_back(k);
    const Matrix3Xd part = points(Eigen::all, columns);
    const VectorXd shares = shares_of_nearest(part);
    if (shares.size() == 0 || shares.minCoeff() < 0.0) continue;
    const Vector3d point = part * shares;
    if (chosen > 1 && point.norm() >= nearest.norm()) continue;
    nearest = point;
    kept = part;
  }
  points = kept;
  return nearest;
}

/// The direction from G to F along which they are farthest apart, from supports (Gilbert, Johnson and Keerthi 1988):
/// the nearest of the differences that were found is compared with the farthest that any can be. Of bodies that
/// overlap, any.
Vector3d direction_apart(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                         const PatchPose<double>& pose_G) {
  Vector3d nearest = pose_F.position - pose_G.position;
  if (nearest.isZero(0.0)) nearest = Vector3d::UnitZ();
  Vector3d best = nearest;
  const double rounding = kDistance * (shape_reach(F) + shape_reach(G));
  double farthest = -std::numeric_limits<double>::infinity();
  Matrix3Xd found(3, 0);
  for (int k = 0; k < kMostSupports && nearest.norm() > rounding; ++k) {
    const Vector3d n = nearest.normalized();
    const Vector3d low = patch_detail::in_world<double>(pose_F, support_point(F, -(pose_F.rotation.transpose() * n)));
    const Vector3d high = patch_detail::in_world<double>(pose_G, support_point(G, pose_G.rotation.transpose() * n));
    const double apart = n.dot(low - high);
    if (apart > farthest) best = n;
    farthest = std::max(farthest, apart);
    if (found.cols() > 0 && nearest.norm() - apart <= rounding) break;
    found.conservativeResize(3, found.cols() + 1);
    found.col(found.cols() - 1) = low - high;
    const double before = nearest.norm();
    nearest = nearest_of_hull(found);
    if (k > 0 && nearest.norm() >= before) break;
  }
  return best.normalized();
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
    const double z = end_height(shape, part), r = shape.radius;
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
  switch (kind) {
    case Kind::kFaceOnFace:
    case Kind::kDiskOnFace:
    case Kind::kEdgeAlongEdge:
      return 2;
    case Kind::kEdgeOnFace:
    case Kind::kLineOnFace:
    case Kind::kRimOnEdge:
    case Kind::kEdgeAlongMantle:
      return 1;
    default:
      return 0;
  }
}

double separation(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                  const PatchPose<double>& pose_G) {
  if (!G.is_bounded()) {
    const auto plane = patch_detail::world_plane<double>(G, 0, pose_G);
    return lowest(F, pose_F, plane.normal) - plane.offset;
  }
  double best = -std::numeric_limits<double>::infinity();
  std::vector<Vector3d> axes = separating_axes(F, pose_F, G, pose_G);
  if (F.is_cylinder() || G.is_cylinder()) axes.push_back(direction_apart(F, pose_F, G, pose_G));
  for (const Vector3d& n : axes) best = std::max(best, lowest(F, pose_F, n) - highest(G, pose_G, n));
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
