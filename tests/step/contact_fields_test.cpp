// Claims: every array of kernels/model/contact_fields.inc is written by every backend, and padded behind the contacts;
// so are those of patch_fields.inc, where a scene has patches.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "host/api/simulator.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 2;
constexpr double kUnwritten = -12345.0;  // no value of a contact of small boxes

Simulator simulator_of(const Scene& scene, const char* device) {
  SimulatorOptions options;
  options.batch = kBatch, options.threads = 1, options.device = device;
  return Simulator(scene, options);
}

Scene boxes_with_patches(ContactGeometry geometry) {
  Scene scene = test::pushed_boxes();
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = ContactLaw::kCoulomb;
  scene.physics.cone = ConeType::kQuadratic;
  scene.physics.contact = ContactModel::kPatch;
  scene.physics.geometry = geometry;
  scene.step_size = 0.01;
  return scene;
}

template <class Arrays>
void forget_values(Simulator& sim) {
  const std::vector<int> ids = {0, 1};
  Arrays::visit([&](const ReadoutField& field, auto) {
    sim.write(field.id, ids, std::vector<double>(kBatch * sim.length(field.id), kUnwritten));
  });
}

/// `slots`: room for values of an environment; some of it must be free.
template <class Arrays>
void expect_written_and_padded(const Arrays& arrays, int slots) {
  Arrays::visit([&](const ReadoutField& field, auto array) {
    const auto& values = arrays.*array;
    const int width = field.numbers();
    EXPECT_TRUE(field.is_real ? std::isnan(field.padding) : field.padding == -1.0) << field.name;
    ASSERT_EQ(values.size(), static_cast<std::size_t>(kBatch * slots * width)) << field.name;
    for (int env = 0; env < kBatch; ++env) {
      const int count = arrays.count[static_cast<std::size_t>(env)];
      ASSERT_GT(count, 0);
      ASSERT_LT(count, slots);
      for (int k = 0; k < slots * width; ++k) {
        const double value = values[static_cast<std::size_t>(env * slots * width + k)];
        if (k < count * width)
          EXPECT_TRUE(std::isfinite(value) && value != kUnwritten) << field.name << " " << k << ": " << value;
        else
          EXPECT_TRUE(std::isnan(field.padding) ? std::isnan(value) : value == field.padding) << field.name << " " << k;
      }
    }
  });
}

class ContactFieldsOn : public testing::TestWithParam<const char*> {};

TEST_P(ContactFieldsOn, AreAllWrittenByAStepAndPadded) {
  Simulator sim = simulator_of(test::pushed_boxes(), GetParam());
  forget_values<ContactArrays>(sim);
  sim.step();
  expect_written_and_padded(sim.contacts(), sim.max_contacts());
}

INSTANTIATE_TEST_SUITE_P(Everyone, ContactFieldsOn, testing::Values("cpu", "reference"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PatchFields, AreAllWrittenByAStepAndPadded) {
  for (const ContactGeometry geometry : {ContactGeometry::kStart, ContactGeometry::kEnd}) {
    Simulator sim = simulator_of(boxes_with_patches(geometry), "cpu");
    forget_values<PatchArrays>(sim);
    sim.step();
    expect_written_and_padded(sim.patches(), sim.max_patches());
  }
}

TEST(PatchFields, AreEmptyWithoutPatchesAndAfterAReset) {
  const Simulator points = simulator_of(test::pushed_boxes(), "cpu");
  EXPECT_EQ(points.max_patches(), 0);
  EXPECT_EQ(points.patches().count, std::vector<int>(kBatch, 0));
  EXPECT_TRUE(points.patches().force.empty());

  Simulator sim = simulator_of(boxes_with_patches(ContactGeometry::kEnd), "cpu");
  sim.step();
  EXPECT_GT(sim.patches().count[1], 0);
  const std::vector<int> second = {1};
  sim.reset(second);
  EXPECT_EQ(sim.patches().count[1], 0);
  EXPECT_GT(sim.patches().count[0], 0);
}

}  // namespace
}  // namespace stiction
