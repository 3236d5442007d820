#include "host/backend/capacity.hpp"

#include <algorithm>

#include "host/backend/own_pairs.hpp"
#include "kernels/collision/contact_point.hpp"
#include "kernels/contact/general_rows.hpp"

namespace stiction {
namespace {

/// Slots of one kind: for the scene, per tree, per geom, and per pair of a robot with itself.
struct Slots {
  int scene, tree, geom, own_pair;
};

// A resting box has 4 contacts, a box in a pile about 12, a gripped box about 16; steps of 0.4 s see three times as
// many. A robot gets slots for all its pairs with itself: nearly all pairs of a hand are within reach in long steps,
// and half of them in steps of 10 ms if the hand falls, with 3 points per pair if the links are boxes.
constexpr Slots kPairSlots{32, 8, 12, 1}, kContactSlots{64, 32, 16, kFewPoints};

/// Keeps memory linear in the number of geoms. A hand of 61 moving boxes has 36.
constexpr int kMostOwnPairs = 48;  // pairs of a robot with itself, per moving geom

/// Share of the slots for trees that only others move. Their reach grows with the step size; for steps up to 20 ms half
/// of the slots are four times as many as are used: a pile then has at most 5 contacts per body.
double passive_share(const Scene& scene) {
  constexpr double kLeast = 0.5, kLongStep = 0.04;  // [s]
  const bool automatic = !scene.physics.contact_distance;
  return automatic ? std::clamp(scene.step_size / kLongStep, kLeast, 1.0) : 1.0;
}

/// Share of the slots for every tree. A driven tree has all: it reaches as far as its actuators ask, however short the
/// step is.
std::vector<double> tree_shares(const Scene& scene, const Model& model) {
  std::vector<double> share(static_cast<std::size_t>(model.ntree), passive_share(scene));
  for (std::size_t k = 0; k < model.dof_tree.size(); ++k)
    if (model.dof_actuated[k]) share[static_cast<std::size_t>(model.dof_tree[k])] = 1.0;
  return share;
}

/// The pairs of robots with themselves that get slots. With Lemke's method there are none beyond the slots of the
/// geoms, because its tableau grows with the square of the number of contacts.
OwnPairs pairs_with_room(const Scene& scene, const Model& model) {
  OwnPairs own = find_own_pairs(model);
  const int most = scene.solver.name == SolverName::kLemke ? 0 : kMostOwnPairs * own.moving_geoms;
  own.count = std::min(own.count, most);
  return own;
}

int count_slots(const Model& model, const std::vector<double>& share, const OwnPairs& own, const Slots& slots) {
  double robots = 0.0, others = slots.scene;
  for (std::size_t tree = 0; tree < share.size(); ++tree)
    (own.tree[tree] ? robots : others) += share[tree] * slots.tree;
  for (const int body : model.geom_body) {
    const int tree = model.body_tree[static_cast<std::size_t>(body)];
    const std::size_t t = static_cast<std::size_t>(std::max(tree, 0));
    (tree >= 0 && own.tree[t] ? robots : others) += (tree < 0 ? 1.0 : share[t]) * slots.geom;
  }
  return static_cast<int>(others + std::max(robots, static_cast<double>(own.count) * slots.own_pair));
}

/// Contact points of pairs of two robots beyond kFewPoints. Arms that reach into each other have them all.
int wide_points(const OwnPairs& own) { return std::min(own.count, own.wide_between) * (kMaxManifold - kFewPoints); }

int most_points_of(const Scene& scene, const Model& model) {
  if (scene.physics.contact == ContactModel::kPatch) return kMaxManifold * model.npair;  // no corner is left out
  const auto type = [&](int side, int p) {
    return static_cast<GeomType>(model.geom_type[static_cast<std::size_t>(model.pair_geom[2 * p + side])]);
  };
  int points = 0;
  for (int p = 0; p < model.npair; ++p) points += most_points(type(0, p), type(1, p));
  return points;
}

Capacity capacity_for(const Scene& scene, const Model& model) {
  const std::vector<double> share = tree_shares(scene, model);
  const OwnPairs own = pairs_with_room(scene, model);
  const int pairs = count_slots(model, share, own, kPairSlots);
  const int contacts = count_slots(model, share, own, kContactSlots) + wide_points(own);
  Capacity capacity;
  capacity.max_pairs = std::min(model.npair, scene.solver.max_pairs.value_or(pairs));
  if (scene.physics.contact == ContactModel::kPatch) capacity.max_patches = capacity.max_pairs;
  capacity.max_contacts = scene.solver.max_contacts.value_or(std::min(most_points_of(scene, model), contacts));
  capacity.max_couplings = std::max(contacts, capacity.max_contacts) + 2 * model.nweld;  // a ring has as many, and fill
  return capacity;
}

/// What the numbers of slots depend on, without the spare slots of a variant and their pairs.
Model without_spares(const Model& joined, const Model& own) {
  Model m;
  m.ntree = joined.ntree, m.nweld = joined.nweld, m.world_is_robot = joined.world_is_robot;
  m.body_tree = joined.body_tree, m.body_parent = joined.body_parent;
  m.dof_tree = joined.dof_tree, m.dof_actuated = joined.dof_actuated;
  std::vector<int> kept(joined.geom_type.size(), -1);
  for (std::size_t g = 0; g < kept.size(); ++g) {
    if (own.geom_mesh[g] == kSpareGeom) continue;
    kept[g] = m.ngeom++;
    m.geom_body.push_back(joined.geom_body[g]), m.geom_type.push_back(joined.geom_type[g]);
  }
  for (int p = 0; p < joined.npair; ++p) {
    const int a = kept[static_cast<std::size_t>(joined.pair_geom[2 * p])];
    const int b = kept[static_cast<std::size_t>(joined.pair_geom[2 * p + 1])];
    if (a >= 0 && b >= 0) m.pair_geom.insert(m.pair_geom.end(), {a, b}), ++m.npair;
  }
  return m;
}

/// Calls count(model) for the model of every variant.
template <class Count>
void visit_models(const Scene& scene, Count count) {
  if (scene.variants.empty()) return count(*scene.model);
  for (const Variant& variant : scene.variants) count(without_spares(*scene.model, variant.model));
}

}  // namespace

int most_points(const Scene& scene) {
  int points = 0;
  visit_models(scene, [&](const Model& model) { points = std::max(points, most_points_of(scene, model)); });
  return points;
}

Capacity choose_capacity(const Scene& scene) {
  Capacity all;
  all.max_couplings = 0;
  visit_models(scene, [&](const Model& model) {
    const Capacity own = capacity_for(scene, model);
    all.max_pairs = std::max(all.max_pairs, own.max_pairs);
    all.max_patches = std::max(all.max_patches, own.max_patches);
    all.max_contacts = std::max(all.max_contacts, own.max_contacts);
    all.max_couplings = std::max(all.max_couplings, own.max_couplings);
  });
  all.max_rows = count_general_rows(ModelStorage<double>(*scene.model).view(), scene.physics.dynamics);
  return all;
}

}  // namespace stiction
