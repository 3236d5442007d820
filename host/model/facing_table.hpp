// The table of kernels/collision/facing_table.hpp for one hull.
#pragma once

#include <vector>

#include "host/model/model.hpp"
#include "kernels/collision/contact_point.hpp"

namespace stiction {

/// The table of a hull, of which its vertices, their neighbours and the normals of its faces are read. It has about as
/// many cells as the hull has faces; fewer where their lists would be long, as on a hull that is thin all around.
std::vector<int> facing_table(const PlacedShape<double>& hull);

/// Appends the table of the model's last hull, whose vertices and faces are there.
void append_facing(Model& model);

}  // namespace stiction
