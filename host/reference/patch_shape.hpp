// Convex shapes of the reference for contact patches, as faces, edges and corners, and as inequalities f_i(x) <= 0.
//
// A polyhedron has plane faces: a half-space has one and no corner. A cylinder has a mantle and two disks, which are
// its faces 0 (below) and 1 (above) and end in rims; its axis is the z axis of its body. All coordinates are those of
// the body, whose origin is the centre of mass.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <vector>

namespace stiction::reference {

struct PatchShape {
  Eigen::Matrix3Xd corners;               // (3, corners) [m]
  std::vector<std::array<int, 2>> edges;  // two corners each
  std::vector<std::array<int, 2>> sides;  // the two faces beside each edge
  std::vector<std::vector<int>> faces;    // corners of a face, counterclockwise from outside; of a disk or a half-space
                                          // none
  Eigen::Matrix3Xd normals;               // (3, faces) outward, unit
  Eigen::VectorXd offsets;                // (faces) a face is in {x : normal·x = offset} [m]
  double length = 0.0, radius = 0.0;      // of a cylinder [m]; 0 for a polyhedron

  bool is_cylinder() const { return radius > 0.0; }
  bool is_bounded() const { return is_cylinder() || corners.cols() > 0; }
};

/// {z <= 0}.
PatchShape make_half_space();

/// The convex hull of at least four points (3, n) [m]. Throws InputError if they lie in a plane, if one of them is no
/// corner of the hull, or if they are not finite.
PatchShape make_polytope(const Eigen::Matrix3Xd& corners);

/// A box with edges of these lengths [m], centred.
PatchShape make_box(const Eigen::Vector3d& size);

/// A cylinder along z, centred [m].
PatchShape make_cylinder(double length, double radius);

/// The functions f_i at x [m], with gradients (3, m) of length 1 on the surface: planes of faces; of a cylinder its two
/// disks and (x² + y² − r²)/(2 r).
struct ShapeValues {
  Eigen::VectorXd f;
  Eigen::Matrix3Xd gradients;
};
ShapeValues shape_values(const PatchShape& shape, const Eigen::Vector3d& x);

/// The largest distance of a point of a bounded shape from its origin; 0 for a half-space [m].
double shape_reach(const PatchShape& shape);

/// The farthest that the shape reaches along the unit direction n: max n·x. Only for bounded shapes [m].
double support(const PatchShape& shape, const Eigen::Vector3d& n);

/// A point of the shape where it reaches that far [m].
Eigen::Vector3d support_point(const PatchShape& shape, const Eigen::Vector3d& n);

}  // namespace stiction::reference
