#include "host/backend/capacity.hpp"

#include <algorithm>

#include "kernels/collision/contact_point.hpp"
#include "kernels/contact/general_rows.hpp"

namespace stiction {
namespace {

/// Slots of one kind: of the scene, of a tree, of a geom.
struct Slots {
  int scene, tree, geom;
};

// A resting box has 4 contacts, one in a pile about 12, one gripped about 16; steps of 0.4 s see three times as many.
// A hand of 38 geoms that closes fast has 512 within reach, an arm of 21 that does 331.
constexpr Slots kPairSlots{32, 8, 12}, kContactSlots{64, 32, 16};

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

int count_slots(const Model& model, const std::vector<double>& share, const Slots& slots) {
  double count = slots.scene;
  for (const double s : share) count += s * slots.tree;
  for (const int body : model.geom_body) {
    const int tree = model.body_tree[static_cast<std::size_t>(body)];
    count += (tree < 0 ? 1.0 : share[static_cast<std::size_t>(tree)]) * slots.geom;
  }
  return static_cast<int>(count);
}

}  // namespace

Capacity choose_capacity(const Scene& scene) {
  const Model& model = *scene.model;
  const std::vector<double> share = tree_shares(scene);
  const int pairs = count_slots(model, share, kPairSlots), contacts = count_slots(model, share, kContactSlots);
  Capacity capacity;
  capacity.max_pairs = std::min(model.npair, scene.solver.max_pairs.value_or(pairs));
  capacity.max_contacts = scene.solver.max_contacts.value_or(std::min(kMaxManifold * model.npair, contacts));
  capacity.max_couplings = std::max(contacts, capacity.max_contacts);
  capacity.max_rows = count_general_rows(ModelStorage<double>(model).view(), scene.physics.dynamics);
  return capacity;
}

}  // namespace stiction
