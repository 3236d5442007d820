// Which faces of a hull may face a direction, and where to begin the search for the vertex that is farthest along it,
// without a look at all of them.
//
// A cube around the origin has edge × edge cells on each of its six sides; the cell of a direction is where it leaves
// the cube. Each cell lists the faces that face one of its directions d best, or within a tie of the best:
//
//   face i is listed where   n_i·d >= max_j n_j·d − tie   for some d of the cell
//
//   table:  edge;
//           first entries of the lists of cells 0 to 6 edge², and the end of the last one;
//           of each cell the vertex that is farthest along its middle;
//           the lists, each in ascending order
//
// host/model/facing_table.cpp makes it.
#pragma once

#include <cmath>

#include "kernels/collision/contact_point.hpp"
#include "kernels/collision/scalar.hpp"

namespace stiction {

/// Of faces whose cosine with a direction is within this of the largest, the earliest is chosen [-].
constexpr double kFaceTie = 1e-4;

ST_FN constexpr int count_facing_cells(int edge) { return 6 * edge * edge; }

/// The row of cells at a coordinate of a side, from −1 to 1; the first where it is not a number.
template <class Real>
ST_FN int facing_row(Real at, int edge) {
  const Real row = Real(0.5) * Real(edge) * (Real(1) + at);
  return row > Real(0) ? static_cast<int>(smaller(row, Real(edge - 1))) : 0;
}

/// The cell of a direction, which need not be a unit vector.
template <class Real>
ST_FN int facing_cell(const Vec3<Real>& d, int edge) {
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(d[i]) > std::fabs(d[axis])) axis = i;
  const Real size = std::fabs(d[axis]);
  if (!(size > Real(0))) return 0;
  const int i = facing_row(d[axis == 2 ? 0 : axis + 1] / size, edge);
  const int j = facing_row(d[axis == 0 ? 2 : axis - 1] / size, edge);
  return ((2 * axis + (d[axis] < Real(0) ? 1 : 0)) * edge + i) * edge + j;
}

/// The faces that a direction in the hull's frame may find.
struct FacingList {
  const int *begin, *end;
};

template <class Real>
ST_FN FacingList facing_list(const PlacedShape<Real>& mesh, const Vec3<Real>& local) {
  const int* first = mesh.facing + 1 + facing_cell(local, mesh.facing[0]);
  return {mesh.facing + first[0], mesh.facing + first[1]};
}

/// The face whose normal is nearest to the unit vector `local`, or within a tie of it the earliest.
template <class Real>
ST_FN int facing_face(const PlacedShape<Real>& mesh, const Vec3<Real>& local) {
  const FacingList list = facing_list(mesh, local);
  Real most = Real(-2);
  for (const int* face = list.begin; face < list.end; ++face)
    most = larger(most, dot(local, load3(mesh.face_normals + 3 * *face)));
  for (const int* face = list.begin; face < list.end; ++face)
    if (dot(local, load3(mesh.face_normals + 3 * *face)) >= most - Real(kFaceTie)) return *face;
  return 0;
}

/// The farthest vertex along the middle of the direction's cell.
template <class Real>
ST_FN int facing_vertex(const PlacedShape<Real>& mesh, const Vec3<double>& local) {
  const int edge = mesh.facing[0];
  return mesh.facing[count_facing_cells(edge) + 2 + facing_cell(local, edge)];
}

}  // namespace stiction
