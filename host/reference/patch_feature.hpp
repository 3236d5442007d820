// What may touch between two bodies, and where: the geometry of (13) to (17) feature by feature, at given poses.
//
//   gaps(s) = 0   the feature's points are in the plane of the face; for edges that cross, the lines meet
//   a(s)          the ECP, s its coordinates within the feature [m]
//   n             from G to F
//
// The texts take the scalar as a template parameter, so that Newton's method gets derivatives from the same lines.
#pragma once

#include "host/reference/patch_step.hpp"

namespace stiction::reference {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;

template <class S>
struct PatchPose {
  Matrix3<S> rotation;
  Vector3<S> position;
};

template <class S>
struct PatchTouch {
  int gap_count = 0;
  Vector3<S> gaps;  // the first `gap_count` [m]
  Vector3<S> ecp, normal;
};

/// How many coordinates the ECP has within the feature: 0, 1 or 2. There is one gap more.
int ecp_dimension(PatchFeatureKind kind);

/// The largest distance of parallel planes with F beyond one and G behind the other [m]; negative if they overlap.
double separation(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                  const PatchPose<double>& pose_G);

/// How far the ECP is outside of a body, or a body reaches through the plane of the ECP, whichever is most [m].
double touch_error(const PatchShape& F, const PatchPose<double>& pose_F, const PatchShape& G,
                   const PatchPose<double>& pose_G, const PatchTouch<double>& touch);

namespace patch_detail {

template <class S>
Vector3<S> in_world(const PatchPose<S>& pose, const Eigen::Vector3d& x) {
  return pose.position + pose.rotation * x.cast<S>();
}

template <class S>
S inner(const Vector3<S>& x, const Vector3<S>& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

template <class S>
Vector3<S> unit(const Vector3<S>& x) {
  using std::sqrt;
  const S length = sqrt(inner(x, x));
  return x / length;
}

/// Two axes of the body that span the plane with this normal.
inline Eigen::Matrix<double, 3, 2> plane_axes(const Eigen::Vector3d& normal) {
  Eigen::Matrix<double, 3, 2> axes;
  axes.col(0) = normal.unitOrthogonal();
  axes.col(1) = normal.cross(axes.col(0));
  return axes;
}

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
void touch_flat(const FlatPart& part, const PatchPose<S>& pose, const WorldPlane<S>& plane, const Vector3<S>& s,
                PatchTouch<S>& touch) {
  touch.gap_count = part.points.cols();
  for (int k = 0; k < touch.gap_count; ++k) touch.gaps[k] = plane.height(in_world<S>(pose, part.points.col(k)));
  touch.ecp = in_world<S>(pose, part.centre);
  for (int k = 0; k < part.axes.cols(); ++k) {
    const Vector3<S> axis = pose.rotation * part.axes.col(k).template cast<S>();
    touch.ecp += s[k] * axis;
  }
}

/// The point of a rim that is deepest below the plane. Its direction is computed in body axes: the differences of world
/// vectors would lose all digits of a disk that is nearly flat on the plane.
template <class S>
void touch_rim(const PatchShape& shape, int end, const PatchPose<S>& pose, const WorldPlane<S>& plane,
               PatchTouch<S>& touch) {
  using std::sqrt;
  const S up_x = inner<S>(pose.rotation.col(0), plane.normal), up_y = inner<S>(pose.rotation.col(1), plane.normal);
  const S share = S(-shape.radius) / sqrt(up_x * up_x + up_y * up_y);
  touch.ecp = in_world<S>(pose, Eigen::Vector3d(0, 0, (end == 0 ? -0.5 : 0.5) * shape.length));
  touch.ecp += share * up_x * pose.rotation.col(0);
  touch.ecp += share * up_y * pose.rotation.col(1);
  touch.gap_count = 1;
  touch.gaps[0] = plane.height(touch.ecp);
}

/// The line of the mantle that is below the axis.
template <class S>
void touch_line(const PatchShape& shape, const PatchPose<S>& pose, const WorldPlane<S>& plane, const Vector3<S>& s,
                PatchTouch<S>& touch) {
  const Vector3<S> axis = pose.rotation.col(2);
  touch.gap_count = 2;
  for (int end = 0; end < 2; ++end) {
    const Eigen::Vector3d centre(0, 0, (end == 0 ? -0.5 : 0.5) * shape.length);
    touch.gaps[end] = plane.height(in_world<S>(pose, centre)) - S(shape.radius);
  }
  touch.ecp = pose.position - S(shape.radius) * plane.normal + s[0] * axis;
}

template <class S>
PatchTouch<S> touch_edges(const PatchShape& F, const PatchPose<S>& pose_F, const PatchShape& G,
                          const PatchPose<S>& pose_G, const PatchFeature& feature) {
  const auto [f0, f1] = F.edges[feature.part];
  const auto [g0, g1] = G.edges[feature.face];
  const Vector3<S> x = in_world<S>(pose_F, F.corners.col(f0)), y = in_world<S>(pose_G, G.corners.col(g0));
  const Vector3<S> along_F = in_world<S>(pose_F, F.corners.col(f1)) - x;
  const Vector3<S> along_G = in_world<S>(pose_G, G.corners.col(g1)) - y;
  const Vector3<S> across = along_F.cross(along_G), apart = y - x;
  const Vector3<S> turned = apart.cross(along_G);
  PatchTouch<S> touch;
  touch.normal = S(feature.side) * unit<S>(across);
  touch.gap_count = 1;
  touch.gaps[0] = -inner(touch.normal, apart);
  const S share = inner(turned, across) / inner(across, across);
  touch.ecp = x + share * along_F;
  return touch;
}

}  // namespace patch_detail

/// Where the feature touches; s are the ECP's coordinates within it (those beyond `ecp_dimension` are not read).
template <class S>
PatchTouch<S> touch_at(const PatchShape& F, const PatchPose<S>& pose_F, const PatchShape& G, const PatchPose<S>& pose_G,
                       const PatchFeature& feature, const Vector3<S>& s) {
  using namespace patch_detail;
  if (feature.kind == PatchFeatureKind::kEdgeOnEdge) return touch_edges<S>(F, pose_F, G, pose_G, feature);
  const bool on_G = feature.face_body == 1;
  const PatchShape &shape = on_G ? F : G, &below = on_G ? G : F;
  const PatchPose<S>& pose = on_G ? pose_F : pose_G;
  const WorldPlane<S> plane = world_plane<S>(below, feature.face, on_G ? pose_G : pose_F);
  PatchTouch<S> touch;
  touch.normal = S(on_G ? 1.0 : -1.0) * plane.normal;
  if (feature.kind == PatchFeatureKind::kRimOnFace)
    touch_rim<S>(shape, feature.part, pose, plane, touch);
  else if (feature.kind == PatchFeatureKind::kLineOnFace)
    touch_line<S>(shape, pose, plane, s, touch);
  else
    touch_flat<S>(flat_part(shape, feature.kind, feature.part), pose, plane, s, touch);
  return touch;
}

}  // namespace stiction::reference
