// Claim: bodies that hang together more than there is room for keep their state, and the status says so.
#include <gtest/gtest.h>

#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/initial_state.hpp"
#include "host/scene/families.hpp"

namespace stiction {
namespace {

/// A batch of one environment with room for `couplings` pairs of bodies.
std::unique_ptr<Backend> batch_with_room(const Scene& scene, int couplings) {
  Capacity capacity = choose_capacity(scene);
  capacity.max_couplings = couplings;
  auto backend = make_host_backend(scene, capacity, 1, false, 1);
  const int only[] = {0};
  write_initial_state(scene, 0, only, *backend);
  return backend;
}

TEST(Couplings, OfATowerThatDoNotFitLeaveItWhereItIs) {
  const Scene scene = *make_family_scene("stack:4");  // 3 couplings
  const auto enough = batch_with_room(scene, 3), scarce = batch_with_room(scene, 2);
  const std::vector<double> start = scarce->read(EnvField::qpos);
  for (Backend* batch : {enough.get(), scarce.get()}) batch->step(1);
  EXPECT_EQ(enough->read(EnvField::status)[0], status::kConverged);
  EXPECT_EQ(scarce->read(EnvField::status)[0], status::kFactorFull);
  EXPECT_EQ(scarce->read(EnvField::qpos), start);
  EXPECT_LT(scarce->scratch_bytes(), enough->scratch_bytes());
}

}  // namespace
}  // namespace stiction
