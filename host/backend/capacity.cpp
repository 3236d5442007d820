#include "host/backend/capacity.hpp"

#include <algorithm>

#include "host/backend/own_pairs.hpp"
#include "kernels/collision/contact_point.hpp"
#include "kernels/contact/general_rows.hpp"

namespace stiction {
namespace {

/// Slots of one kind: of the scene, of a tree, of a geom, of a robot's pair with itself.
struct Slots {
  int scene, tree, geom, own_pair;
};

// A resting box has 4 contacts, one in a pile about 12, one gripped about 16; steps of 0.4 s see three times as many.
// A robot gets room for all its pairs with itself: of a hand's nearly all are within reach in long steps, and of one
// that falls half of them in 10 ms, with 3 points a pair where links are boxes.
constexpr Slots kPairSlots{32, 8, 12, 1}, kContactSlots{64, 32, 16, kFewPoints};

/// Keeps memory linear in the number of geoms: 36 has a hand of 61 moving boxes.
constexpr int kMostOwnPairs = 48;  // of a moving geom

/// What is moved by others reaches as far as the step is long; within 20 ms half of the slots are four times what is
/// used: a pile has at most 5 contacts a body then.
double passive_share(const Scene& scene) {
  constexpr double kLeast = 0.5, kLongStep = 0.04;  // [s]
  const bool automatic = !scene.physics.contact_distance;
  return automatic ? std::clamp(scene.step_size / kLongStep, kLeast, 1.0) : 1.0;
}

/// Share of every tree; a driven one reaches as far as its actuators ask, however short the step.
std::vector<double> tree_shares(const Scene& scene) {
  const Model& model = *scene.model;
  std::vector<double> share(static_cast<std::size_t>(model.ntree), passive_share(scene));
  for (std::size_t k = 0; k < model.dof_tree.size(); ++k)
    if (model.dof_actuated[k]) share[static_cast<std::size_t>(model.dof_tree[k])] = 1.0;
  return share;
}

/// Lemke's tableau grows with the square of the contacts: its robots have no room beyond that of their geoms.
OwnPairs pairs_with_room(const Scene& scene) {
  OwnPairs own = find_own_pairs(*scene.model);
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

}  // namespace

int most_points(const Model& model) {
  const auto type = [&](int side, int p) {
    return static_cast<GeomType>(model.geom_type[static_cast<std::size_t>(model.pair_geom[2 * p + side])]);
  };
  int points = 0;
  for (int p = 0; p < model.npair; ++p) points += most_points(type(0, p), type(1, p));
  return points;
}

Capacity choose_capacity(const Scene& scene) {
  const Model& model = *scene.model;
  const std::vector<double> share = tree_shares(scene);
  const OwnPairs own = pairs_with_room(scene);
  const int pairs = count_slots(model, share, own, kPairSlots);
  const int contacts = count_slots(model, share, own, kContactSlots);
  Capacity capacity;
  capacity.max_pairs = std::min(model.npair, scene.solver.max_pairs.value_or(pairs));
  capacity.max_contacts = scene.solver.max_contacts.value_or(std::min(most_points(model), contacts));
  capacity.max_couplings = std::max(contacts, capacity.max_contacts);
  capacity.max_rows = count_general_rows(ModelStorage<double>(model).view(), scene.physics.dynamics);
  return capacity;
}

}  // namespace stiction
