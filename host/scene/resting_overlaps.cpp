// Pairs of one robot that overlap where a scene begins.
//
// Collision shapes of neighbouring links are coarser than the links: they overlap around the joints, in every posture.
// Soft contact would push against such an overlap for ever; with hard contact no motion opens it. Therefore a pair is
// assumed to overlap on purpose, and no longer checked, if it overlaps in the configuration in which the scene begins
// and both geoms belong to one robot: to one kinematic tree, or to trees and geoms of the static body that carries
// them. The world's own geoms do not count as carriers (a floor is no part of what stands on it), except in a URDF,
// which is one robot.
#include <algorithm>
#include <memory>

#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

constexpr double kLeastOverlap = 1e-8;  // smaller overlaps are rounding of lengths of a metre [m]

struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// The body that carries this one: the topmost static body among its ancestors, or itself if it is static; 0: the
/// world.
int carrier_of(const mjModel& m, int body) {
  int carrier = 0;
  for (int b = body; b > 0; b = m.body_parentid[b])
    if (m.body_weldid[b] == 0) carrier = b;
  return carrier;
}

bool is_mocap(const mjModel& m, int body) { return m.body_mocapid[m.body_rootid[body]] >= 0; }

bool of_one_robot(const mjModel& m, bool world_is_robot, int body1, int body2) {
  const int tree1 = m.body_treeid[body1], tree2 = m.body_treeid[body2];
  if (tree1 >= 0 && tree1 == tree2) return true;
  if (is_mocap(m, body1) || is_mocap(m, body2)) return false;
  const int carrier = carrier_of(m, body1);
  return carrier == carrier_of(m, body2) && (carrier != 0 || world_is_robot);
}

/// Deepest overlap of every pair of geoms in contact at qpos.
std::vector<RestingOverlap> find_overlaps(const mjModel& m, const std::vector<double>& qpos) {
  const std::unique_ptr<mjData, DataDeleter> data(mj_makeData(&m));
  std::copy(qpos.begin(), qpos.end(), data->qpos);
  mj_kinematics(&m, data.get());
  mj_comPos(&m, data.get());
  mj_collision(&m, data.get());
  std::vector<RestingOverlap> found;
  for (int i = 0; i < data->ncon; ++i) {
    const mjContact& contact = data->contact[i];
    if (contact.dist >= -kLeastOverlap) continue;
    const RestingOverlap overlap{{contact.geom[0], contact.geom[1]}, -contact.dist};
    const auto same = [&](const RestingOverlap& o) { return o.geom == overlap.geom; };
    const auto known = std::find_if(found.begin(), found.end(), same);
    if (known == found.end())
      found.push_back(overlap);
    else
      known->depth = std::max(known->depth, overlap.depth);
  }
  return found;
}

template <class T>
void erase_row(std::vector<T>& values, int row, int width) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(row) * width;
  values.erase(first, first + width);
}

void erase_pair(int pair, Model& model) {
  erase_row(model.pair_geom, pair, 2);
  erase_row(model.pair_condim, pair, 1);
  erase_row(model.pair_explicit, pair, 1);
  erase_row(model.pair_friction_rule, pair, 1);
  erase_row(model.pair_friction, pair, 5);
  erase_row(model.pair_kinetic, pair, 1);
  erase_row(model.pair_margin, pair, 1);
  --model.npair;
}

/// The candidate pair of two geoms of the MuJoCo model; -1: there is none, or it is an explicit <pair>.
int find_pair(const Model& model, const std::array<int, 2>& source) {
  for (int pair = 0; pair < model.npair; ++pair) {
    const int a = model.geom_source_id[static_cast<std::size_t>(model.pair_geom[2 * pair])];
    const int b = model.geom_source_id[static_cast<std::size_t>(model.pair_geom[2 * pair + 1])];
    const bool same = (a == source[0] && b == source[1]) || (a == source[1] && b == source[0]);
    if (same && !model.pair_explicit[pair]) return pair;
  }
  return -1;
}

}  // namespace

void drop_resting_overlaps(const CompiledModel& compiled, const std::vector<double>& qpos, Model& model) {
  const mjModel& m = *compiled.model;
  for (RestingOverlap overlap : find_overlaps(m, qpos)) {
    const int body1 = m.geom_bodyid[overlap.geom[0]], body2 = m.geom_bodyid[overlap.geom[1]];
    const int pair = find_pair(model, overlap.geom);
    if (pair < 0 || !of_one_robot(m, model.world_is_robot, body1, body2)) continue;
    overlap.geom = {model.pair_geom[2 * pair], model.pair_geom[2 * pair + 1]};
    model.resting_overlaps.push_back(overlap);
    erase_pair(pair, model);
  }
}

}  // namespace stiction
