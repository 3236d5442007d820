// The table of kernels/collision/facing_table.hpp for one hull.
#pragma once

#include <vector>

namespace stiction {

/// Cells along an edge of the cube: about as many cells as faces.
int facing_edge(int num_faces);

/// The table from the faces' outward unit normals, (num_faces, 3).
std::vector<int> facing_table(const double* normals, int num_faces, int edge);

}  // namespace stiction
