// Which collision geoms of one body touch: the pieces of a convex decomposition, or of a body that is built of boxes.
// Contacts of such pieces have regions (kernels/collision/regions.hpp). A plane is no piece, as it touches all that
// stands on it.
#include <algorithm>
#include <memory>
#include <numeric>

#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

constexpr double kTouching = 1e-5;  // pieces this close touch: coordinates of meshes are in single precision [m]

struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

bool may_be_piece(const mjModel& m, int geom) {
  const int type = m.geom_type[geom];
  return type != mjGEOM_PLANE && type != mjGEOM_HFIELD && type != mjGEOM_SDF;
}

/// True if two geoms of one body touch or overlap; their bounding spheres are asked first.
bool touch(const mjModel& m, int geom1, int geom2, mjData& data) {
  double square = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double apart = data.geom_xpos[3 * geom1 + k] - data.geom_xpos[3 * geom2 + k];
    square += apart * apart;
  }
  const double reach = m.geom_rbound[geom1] + m.geom_rbound[geom2] + kTouching;
  return square <= reach * reach && mj_geomDistance(&m, &data, geom1, geom2, 2.0 * kTouching, nullptr) <= kTouching;
}

int root_of(const std::vector<int>& parent, int g) {
  while (parent[static_cast<std::size_t>(g)] != g) g = parent[static_cast<std::size_t>(g)];
  return g;
}

/// The first geom of those that are connected with each geom, itself if it touches none.
std::vector<int> connect(const mjModel& m, const Model& model, mjData& data) {
  std::vector<int> parent(static_cast<std::size_t>(model.ngeom));
  std::iota(parent.begin(), parent.end(), 0);
  for (int g = 0; g < model.ngeom; ++g) {
    const int geom1 = model.geom_source_id[static_cast<std::size_t>(g)];
    for (int k = g + 1; k < model.ngeom && may_be_piece(m, geom1); ++k) {
      const int geom2 = model.geom_source_id[static_cast<std::size_t>(k)];
      if (model.geom_body[g] != model.geom_body[k] || !may_be_piece(m, geom2)) continue;
      const int a = root_of(parent, g), b = root_of(parent, k);
      if (a != b && touch(m, geom1, geom2, data)) parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (int g = 0; g < model.ngeom; ++g) parent[static_cast<std::size_t>(g)] = root_of(parent, g);
  return parent;
}

bool has_several(const Model& model) {
  std::vector<int> bodies = model.geom_body;
  std::sort(bodies.begin(), bodies.end());
  return std::adjacent_find(bodies.begin(), bodies.end()) != bodies.end();
}

}  // namespace

void import_pieces(const CompiledModel& compiled, Model& model) {
  model.geom_piece.assign(static_cast<std::size_t>(model.ngeom), -1);
  if (!has_several(model)) return;
  const mjModel& m = *compiled.model;
  const std::unique_ptr<mjData, DataDeleter> data(mj_makeData(&m));
  mj_kinematics(&m, data.get());
  const std::vector<int> first = connect(m, model, *data);
  int count = 0;
  for (int g = 0; g < model.ngeom; ++g) {
    const auto own = static_cast<std::size_t>(g), root = static_cast<std::size_t>(first[own]);
    if (root == own && std::count(first.begin(), first.end(), g) > 1) model.geom_piece[own] = count++;
    if (root != own) model.geom_piece[own] = model.geom_piece[root];
  }
}

}  // namespace stiction
