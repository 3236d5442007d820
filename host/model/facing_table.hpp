// The table of kernels/collision/facing_table.hpp for one hull.
#pragma once

#include <vector>

#include "kernels/collision/contact_point.hpp"

namespace stiction {

/// Cells along an edge of the cube: about as many cells as faces.
int facing_edge(int num_faces);

/// The table of a hull, of which its vertices, their neighbours and the normals of its faces are read.
std::vector<int> facing_table(const PlacedShape<double>& hull, int edge);

}  // namespace stiction
