// Claim: the items of every phase are independent, so that visiting them in another order changes no bit.
#include <gtest/gtest.h>

#include "host/backend/capacity.hpp"
#include "host/backend/host_backend.hpp"
#include "host/backend/initial_state.hpp"
#include "tests/step/different_objects.hpp"
#include "tests/step/patch_bodies.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/step/touching_pieces.hpp"
#include "tests/support/every_dynamics.hpp"

namespace stiction {
namespace {

constexpr int kEnvs = 3, kSteps = 12;

/// Wrenches on bodies that are all different, some of them zero [N], [N m].
std::vector<double> wrenches(const Model& model) {
  std::vector<double> values(6 * static_cast<std::size_t>(model.nbody));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 12 < 6 ? 0.0 : 0.01 * static_cast<double>(i);
  return values;
}

/// Every field of a batch whose bodies are pushed after some steps, with its sensors, and once more after `forward`.
template <class Real, PhaseOrder kOrder>
std::vector<std::vector<double>> run_in_order(const Scene& scene) {
  HostBackend<Real, HostTeam<kOrder>> backend(scene, choose_capacity(scene), kEnvs, 1);
  const int ids[kEnvs] = {0, 1, 2};
  write_initial_state(scene, 0, ids, backend);
  const std::vector<double> pushes = wrenches(*scene.model);
  const FieldRows rows[] = {{EnvField::applied_wrench, pushes}};
  backend.write(ids, rows);
  backend.step(kSteps);
  backend.measure_sensors();
  std::vector<std::vector<double>> fields;
  const auto look = [&] {
    for (std::size_t field = 0; field < kEnvFields; ++field)
      fields.push_back(backend.read(static_cast<EnvField>(field)));
  };
  look();
  backend.forward();
  look();
  return fields;
}

template <class Real>
void expect_same_bits_in_every_order(const Scene& scene) {
  const auto forward = run_in_order<Real, PhaseOrder::kForward>(scene);
  const auto backward = run_in_order<Real, PhaseOrder::kBackward>(scene);
  const auto strided = run_in_order<Real, PhaseOrder::kStrided>(scene);
  for (std::size_t i = 0; i < forward.size(); ++i) {  // after the steps, and after looking again
    EXPECT_TRUE(test::same_bits(forward[i], backward[i])) << "field " << i % kEnvFields << " backwards";
    EXPECT_TRUE(test::same_bits(forward[i], strided[i])) << "field " << i % kEnvFields << " strided";
  }
}

Scene boxes_with(Dynamics dynamics) {
  Scene scene = test::pushed_boxes();
  scene.physics.dynamics = dynamics;
  test::add_paddle_script(scene);
  return scene;
}

/// Bodies with patches whose steps seek their end.
Scene bodies_with(ContactGeometry geometry) {
  Scene scene = test::patch_bodies();
  scene.physics.contact = ContactModel::kPatch, scene.physics.geometry = geometry;
  scene.physics.torsion_radius = TorsionRadius::kUniform;
  scene.physics.law = ContactLaw::kCoulomb, scene.physics.dynamics = Dynamics::kDynamic;
  return scene;
}

class PhaseOrderOf : public testing::TestWithParam<Dynamics> {};

TEST_P(PhaseOrderOf, ChangesNoBit) { expect_same_bits_in_every_order<double>(boxes_with(GetParam())); }
TEST_P(PhaseOrderOf, ChangesNoBitInSinglePrecision) { expect_same_bits_in_every_order<float>(boxes_with(GetParam())); }

TEST(PhaseOrder, ChangesNoBitOfDifferentObjects) {
  expect_same_bits_in_every_order<double>(test::different_objects());
  expect_same_bits_in_every_order<float>(test::different_objects());
}

TEST(PhaseOrder, ChangesNoBitOfBodiesThatMoveFirst) {
  expect_same_bits_in_every_order<double>(test::boxes_that_move_first());
  expect_same_bits_in_every_order<float>(test::boxes_that_move_first());
}

TEST(PhaseOrder, ChangesNoBitOfTouchingPieces) {
  expect_same_bits_in_every_order<double>(test::touching_pieces());
  expect_same_bits_in_every_order<float>(test::touching_pieces());
}

class PhaseOrderOfEnds : public testing::TestWithParam<ContactGeometry> {};

TEST_P(PhaseOrderOfEnds, ChangesNoBit) { expect_same_bits_in_every_order<double>(bodies_with(GetParam())); }
TEST_P(PhaseOrderOfEnds, ChangesNoBitInSinglePrecision) {
  expect_same_bits_in_every_order<float>(bodies_with(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(EveryGeometry, PhaseOrderOfEnds,
                         testing::Values(ContactGeometry::kStart, ContactGeometry::kEnd));
INSTANTIATE_TEST_SUITE_P(EveryDynamics, PhaseOrderOf, testing::ValuesIn(test::kEveryDynamics), test::dynamics_name);

}  // namespace
}  // namespace stiction
