// Features on edges and on mantles: x is a point of the part, d its direction, e the direction of the edge or axis that
// it touches, y a point of that line, n the outward normal of the edge's or the mantle's body.
//
//   lines that cross      n = ± d × e / |d × e|, gap n·(x − y) − r; r is the cylinder's radius if e is an axis, or 0
//   corner on a mantle    n from the axis to x, gap |x − y| − r
//   edge along a mantle   the gaps of its two corners; n at the ECP
//   rim on an edge        s is a length along the rim, d its tangent there; x is on the edge (two gaps), n as above
//   edge along an edge    both corners of F's edge level with G's along n, and its middle across n and e (three gaps);
//                         n is between the normals of the faces, its angle about e is the second s
//
// A mantle touches an edge along its whole length only if they are parallel; otherwise the middle of the edge is inside
// the cylinder, and the answer is refused. The same holds for two edges and the ECP.
#pragma once

#include <cmath>

#include "host/reference/patch_touch.hpp"

namespace stiction::reference::patch_detail {

template <class S>
WorldLine<S> axis_line(const PatchPose<S>& pose) {
  return {pose.position, pose.rotation.col(2)};
}

/// The ECP is on the line of the part.
template <class S>
PatchTouch<S> touch_lines(const WorldLine<S>& part, const WorldLine<S>& line, double radius, double side) {
  const Vector3<S> across = part.along.cross(line.along), apart = line.start - part.start;
  const Vector3<S> turned = apart.cross(line.along);
  PatchTouch<S> touch;
  touch.normal = S(side) * unit<S>(across);
  touch.gap_count = 1;
  touch.gaps[0] = -inner(touch.normal, apart) - S(radius);
  const S share = inner(turned, across) / inner(across, across);
  touch.ecp = part.start + share * part.along;
  return touch;
}

/// From the axis of a cylinder to x.
template <class S>
Vector3<S> from_axis(const WorldLine<S>& axis, const Vector3<S>& x) {
  const Vector3<S> arm = x - axis.start;
  return arm - inner(axis.along, arm) * axis.along;
}

template <class S>
PatchTouch<S> touch_corner_on_mantle(const PatchShape& shape, int corner, const PatchPose<S>& pose,
                                     const PatchShape& cylinder, const PatchPose<S>& pose_of_cylinder) {
  using std::sqrt;
  PatchTouch<S> touch;
  touch.ecp = in_world<S>(pose, shape.corners.col(corner));
  const Vector3<S> out = from_axis<S>(axis_line<S>(pose_of_cylinder), touch.ecp);
  touch.normal = unit<S>(out);
  touch.gap_count = 1;
  touch.gaps[0] = sqrt(inner(out, out)) - S(cylinder.radius);
  return touch;
}

template <class S>
PatchTouch<S> touch_edge_along_mantle(const PatchShape& shape, int edge, const PatchPose<S>& pose,
                                      const PatchShape& cylinder, const PatchPose<S>& pose_of_cylinder, const S& s) {
  const auto [i, j] = shape.edges[edge];
  const auto first = touch_corner_on_mantle<S>(shape, i, pose, cylinder, pose_of_cylinder);
  const auto second = touch_corner_on_mantle<S>(shape, j, pose, cylinder, pose_of_cylinder);
  const WorldLine<S> line = edge_line<S>(shape, edge, pose);
  PatchTouch<S> touch;
  touch.gap_count = 2;
  touch.gaps[0] = first.gaps[0];
  touch.gaps[1] = second.gaps[0];
  touch.ecp = S(0.5) * (first.ecp + second.ecp) + s * line.along;
  touch.normal = unit<S>(from_axis<S>(axis_line<S>(pose_of_cylinder), touch.ecp));
  return touch;
}

/// The point of a rim at the length s along it, and the tangent there.
template <class S>
WorldLine<S> rim_line(const PatchShape& cylinder, int end, const PatchPose<S>& pose, const S& s) {
  using std::cos;
  using std::sin;
  const S angle = s * S(1.0 / cylinder.radius), c = cos(angle), d = sin(angle);
  const Vector3<S> x_axis = pose.rotation.col(0), y_axis = pose.rotation.col(1);
  const Vector3<S> centre = in_world<S>(pose, Eigen::Vector3d(0.0, 0.0, end_height(cylinder, end)));
  return {centre + S(cylinder.radius) * (c * x_axis + d * y_axis), c * y_axis - d * x_axis};
}

template <class S>
PatchTouch<S> touch_rim_on_edge(const WorldLine<S>& rim, const PatchShape& shape, int edge, const PatchPose<S>& pose,
                                double side) {
  const WorldLine<S> line = edge_line<S>(shape, edge, pose);
  const Eigen::Matrix<double, 3, 2> axes = plane_axes(edge_direction(shape, edge));
  const Vector3<S> apart = rim.start - line.start, across = rim.along.cross(line.along);
  PatchTouch<S> touch;
  touch.gap_count = 2;
  for (int k = 0; k < 2; ++k) {
    const Vector3<S> axis = pose.rotation * axes.col(k).cast<S>();
    touch.gaps[k] = inner(axis, apart);
  }
  touch.ecp = rim.start;
  touch.normal = S(side) * unit<S>(across);
  return touch;
}

/// Normals between those of the two faces beside an edge, in body axes: by `width` to either side of the middle.
struct EdgeNormals {
  Eigen::Vector3d middle;
  double width;  // [rad]
};

inline EdgeNormals edge_normals(const PatchShape& shape, int edge) {
  const auto [f, g] = shape.sides[edge];
  const Eigen::Vector3d one = shape.normals.col(f), other = shape.normals.col(g);
  return {(one + other).normalized(), std::atan2((one - other).norm(), (one + other).norm())};
}

template <class S>
PatchTouch<S> touch_edge_along_edge(const PatchShape& F, const PatchPose<S>& pose_F, const PatchShape& G,
                                    const PatchPose<S>& pose_G, const PatchFeature& feature, const Vector3<S>& s) {
  using std::cos;
  using std::sin;
  const auto [i, j] = F.edges[feature.part];
  const WorldLine<S> line = edge_line<S>(G, feature.face, pose_G);
  const Vector3<S> middle = pose_G.rotation * edge_normals(G, feature.face).middle.cast<S>();
  const Vector3<S> first = in_world<S>(pose_F, F.corners.col(i)), second = in_world<S>(pose_F, F.corners.col(j));
  const Vector3<S> centre = S(0.5) * (first + second), turned = line.along.cross(middle);
  PatchTouch<S> touch;
  touch.normal = cos(s[1]) * middle + sin(s[1]) * turned;
  const Vector3<S> across = line.along.cross(touch.normal);
  touch.gap_count = 3;
  touch.gaps[0] = inner<S>(touch.normal, first - line.start);
  touch.gaps[1] = inner<S>(touch.normal, second - line.start);
  touch.gaps[2] = inner<S>(across, centre - line.start);
  touch.ecp = centre + s[0] * edge_line<S>(F, feature.part, pose_F).along;
  return touch;
}

}  // namespace stiction::reference::patch_detail
