// Poses, points and lines of two bodies that touch, for features on faces and on edges alike.
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

/// From the first corner of an edge to the second, of length 1, in body axes.
inline Eigen::Vector3d edge_direction(const PatchShape& shape, int edge) {
  const auto [i, j] = shape.edges[edge];
  return (shape.corners.col(j) - shape.corners.col(i)).normalized();
}

/// The height of a cylinder's end 0 (below) or 1 over its middle [m].
inline double end_height(const PatchShape& shape, int end) { return (end == 0 ? -0.5 : 0.5) * shape.length; }

template <class S>
struct WorldLine {
  Vector3<S> start, along;  // `along` has length 1
};

template <class S>
WorldLine<S> edge_line(const PatchShape& shape, int edge, const PatchPose<S>& pose) {
  return {in_world<S>(pose, shape.corners.col(shape.edges[edge][0])),
          pose.rotation * edge_direction(shape, edge).cast<S>()};
}

}  // namespace patch_detail
}  // namespace stiction::reference
