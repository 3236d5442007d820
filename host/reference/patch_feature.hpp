// What may touch between two bodies, and where: the geometry of (13) to (17) feature by feature, at given poses.
//
//   gaps(s) = 0   the feature's points are in the plane of the face; those on edges and mantles are in patch_edges.hpp
//   a(s)          the ECP, s its coordinates within the feature [m]; of parallel edges the second turns n [rad]
//   n             from G to F
//
// The texts take the scalar as a template parameter, so that Newton's method gets derivatives from the same lines.
#pragma once

#include "host/reference/patch_edges.hpp"

namespace stiction::reference {

/// How many coordinates the ECP has within the feature: 0, 1 or 2. There is one gap more.
int ecp_dimension(PatchFeatureKind kind);

/// The largest distance of parallel planes with F beyond one and G behind the other [m]; negative if they overlap.
double separation(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                  const PatchPose<double>& pose_G);

/// How far the ECP is outside of a body, or a body reaches through the plane of the ECP, whichever is most [m].
double touch_error(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                   const PatchPose<double>& pose_G, const PatchTouch<double>& touch);

namespace patch_detail {

/// Points of the body that lie in the plane, a point of the feature, and its axes, all in body axes.
struct FlatPart {
  Eigen::Matrix3Xd points;
  Eigen::Vector3d centre;
  Eigen::Matrix3Xd axes;
};
FlatPart flat_part(const PatchShape& shape, PatchFeatureKind kind, int part);

/// The plane of a face in the world: n·x = offset.
template <class S>
struct WorldPlane {
  Vector3<S> normal;
  S offset;
  S height(const Vector3<S>& x) const { return inner(normal, x) - offset; }
};

template <class S>
WorldPlane<S> world_plane(const PatchShape& shape, int face, const PatchPose<S>& pose) {
  const Eigen::Vector3d normal = shape.normals.col(face);
  const Vector3<S> turned = pose.rotation * normal.cast<S>();
  return {turned, inner(turned, pose.position) + S(shape.offsets[face])};
}

template <class S>
PatchTouch<S> touch_flat(const FlatPart& part, const PatchPose<S>& pose, const WorldPlane<S>& plane,
                         const Vector3<S>& s) {
  PatchTouch<S> touch;
  touch.normal = plane.normal;
  touch.gap_count = part.points.cols();
  for (int k = 0; k < touch.gap_count; ++k) touch.gaps[k] = plane.height(in_world<S>(pose, part.points.col(k)));
  touch.ecp = in_world<S>(pose, part.centre);
  for (int k = 0; k < part.axes.cols(); ++k) {
    const Vector3<S> axis = pose.rotation * part.axes.col(k).template cast<S>();
    touch.ecp += s[k] * axis;
  }
  return touch;
}

/// The point of a rim that is deepest below the plane. Its direction is computed in body axes: the differences of world
/// vectors would lose all digits of a disk that is nearly flat on the plane.
template <class S>
PatchTouch<S> touch_rim(const PatchShape& shape, int end, const PatchPose<S>& pose, const WorldPlane<S>& plane) {
  using std::sqrt;
  PatchTouch<S> touch;
  touch.normal = plane.normal;
  const S up_x = inner<S>(pose.rotation.col(0), plane.normal), up_y = inner<S>(pose.rotation.col(1), plane.normal);
  const S share = S(-shape.radius) / sqrt(up_x * up_x + up_y * up_y);
  touch.ecp = in_world<S>(pose, Eigen::Vector3d(0, 0, end_height(shape, end)));
  touch.ecp += share * up_x * pose.rotation.col(0);
  touch.ecp += share * up_y * pose.rotation.col(1);
  touch.gap_count = 1;
  touch.gaps[0] = plane.height(touch.ecp);
  return touch;
}

/// The line of the mantle that is below the axis.
template <class S>
PatchTouch<S> touch_line(const PatchShape& shape, const PatchPose<S>& pose, const WorldPlane<S>& plane,
                         const Vector3<S>& s) {
  PatchTouch<S> touch;
  touch.normal = plane.normal;
  const Vector3<S> axis = pose.rotation.col(2);
  touch.gap_count = 2;
  for (int end = 0; end < 2; ++end) {
    const Eigen::Vector3d centre(0, 0, end_height(shape, end));
    touch.gaps[end] = plane.height(in_world<S>(pose, centre)) - S(shape.radius);
  }
  touch.ecp = pose.position - S(shape.radius) * plane.normal + s[0] * axis;
  return touch;
}

template <class S>
PatchTouch<S> touch_on_face(const PatchShape& shape, const PatchPose<S>& pose, const WorldPlane<S>& plane,
                            const PatchFeature& feature, const Vector3<S>& s) {
  if (feature.kind == PatchFeatureKind::kRimOnFace) return touch_rim<S>(shape, feature.part, pose, plane);
  if (feature.kind == PatchFeatureKind::kLineOnFace) return touch_line<S>(shape, pose, plane, s);
  return touch_flat<S>(flat_part(shape, feature.kind, feature.part), pose, plane, s);
}

/// With the outward normal of the body below, whose face, mantle or edge it is.
template <class S>
PatchTouch<S> touch_outside(const PatchShape& shape, const PatchPose<S>& pose, const PatchShape& below,
                            const PatchPose<S>& pose_below, const PatchFeature& feature, const Vector3<S>& s) {
  switch (feature.kind) {
    case PatchFeatureKind::kEdgeOnEdge:
      return touch_lines<S>(edge_line<S>(shape, feature.part, pose), edge_line<S>(below, feature.face, pose_below), 0.0,
                            feature.side);
    case PatchFeatureKind::kEdgeAcrossMantle:
      return touch_lines<S>(edge_line<S>(shape, feature.part, pose), axis_line<S>(pose_below), below.radius,
                            feature.side);
    case PatchFeatureKind::kEdgeAlongEdge:
      return touch_edge_along_edge<S>(shape, pose, below, pose_below, feature, s);
    case PatchFeatureKind::kEdgeAlongMantle:
      return touch_edge_along_mantle<S>(shape, feature.part, pose, below, pose_below, s[0]);
    case PatchFeatureKind::kCornerOnMantle:
      return touch_corner_on_mantle<S>(shape, feature.part, pose, below, pose_below);
    case PatchFeatureKind::kRimOnEdge:
      return touch_rim_on_edge<S>(rim_line<S>(shape, feature.part, pose, s[0]), below, feature.face, pose_below,
                                  feature.side);
    default:
      return touch_on_face<S>(shape, pose, world_plane<S>(below, feature.face, pose_below), feature, s);
  }
}

}  // namespace patch_detail

/// Where the feature touches; s are the ECP's coordinates within it (those beyond `ecp_dimension` are not read).
template <class S>
PatchTouch<S> touch_at(const PatchShape& F, const PatchPose<S>& pose_F, const PatchShape& G, const PatchPose<S>& pose_G,
                       const PatchFeature& feature, const Vector3<S>& s) {
  using namespace patch_detail;
  const bool on_G = feature.face_body == 1;
  const PatchShape &shape = on_G ? F : G, &below = on_G ? G : F;
  const PatchPose<S>&pose = on_G ? pose_F : pose_G, &pose_below = on_G ? pose_G : pose_F;
  PatchTouch<S> touch = touch_outside<S>(shape, pose, below, pose_below, feature, s);
  touch.normal = S(on_G ? 1.0 : -1.0) * touch.normal;
  return touch;
}

}  // namespace stiction::reference
