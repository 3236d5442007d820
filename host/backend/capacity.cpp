#include "host/backend/capacity.hpp"

#include <algorithm>

#include "kernels/collision/contact_point.hpp"
#include "kernels/contact/general_rows.hpp"

namespace stiction {

Capacity choose_capacity(const Scene& scene) {
  const Model& model = *scene.model;
  // A resting box has 4 contacts, one in a pile about 12, one gripped about 16; steps of 0.4 s see three times as many.
  // A hand of 38 geoms that closes fast has 512 within reach, an arm of 21 that does 331.
  const int pairs = std::min(model.npair, 32 + 8 * model.ntree + 12 * model.ngeom);
  const int contacts = std::min(kMaxManifold * model.npair, 64 + 32 * model.ntree + 16 * model.ngeom);
  Capacity capacity;
  capacity.max_pairs = std::min(model.npair, scene.solver.max_pairs.value_or(pairs));
  capacity.max_contacts = scene.solver.max_contacts.value_or(contacts);
  capacity.max_rows = count_general_rows(ModelStorage<double>(model).view(), scene.physics.dynamics);
  return capacity;
}

}  // namespace stiction
