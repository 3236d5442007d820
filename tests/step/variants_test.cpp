// Claims: models of a list share slots, hulls and pairs, each once; what a model does not use is spare and takes no
// room for contacts; a reset gives an environment its variant.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/api/simulator.hpp"
#include "host/backend/capacity.hpp"
#include "host/model/error.hpp"
#include "tests/step/different_objects.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {
namespace {

constexpr int kSphere = static_cast<int>(GeomType::kSphere), kBox = static_cast<int>(GeomType::kBox);

std::set<std::string> names_in(const Model& model) {
  std::set<std::string> names(model.geom_names.begin(), model.geom_names.end());
  names.erase("");
  return names;
}

TEST(Variants, HaveASlotForEachShapeThatAnyOfThemNeeds) {
  const Scene scene = test::different_objects();
  const Model& model = *scene.model;
  ASSERT_EQ(scene.variants.size(), 3u);
  EXPECT_EQ(model.ngeom, 2 + 5);  // a sphere, two boxes, a capsule and a mesh beside floor and pusher
  EXPECT_EQ(std::count(model.geom_type.begin(), model.geom_type.end(), kSphere), 1);
  EXPECT_EQ(std::count(model.geom_type.begin(), model.geom_type.end(), kBox), 3);
  EXPECT_EQ(model.nmesh, 1);
  EXPECT_EQ(model.npair, 1 + 2 * 5);  // pusher and floor, and each slot with both
  const std::set<std::string> always{"floor", "pusher"};
  const std::set<std::string> own[] = {
      {"object_ball"}, {"object_long", "object_short", "object_cap"}, {"object_prism"}};
  for (std::size_t v = 0; v < 3; ++v) {
    std::set<std::string> expected = own[v];
    expected.insert(always.begin(), always.end());
    EXPECT_EQ(names_in(scene.variants[v].model), expected);
    const auto& meshes = scene.variants[v].model.geom_mesh;
    EXPECT_EQ(std::count(meshes.begin(), meshes.end(), kSpareGeom), 7 - static_cast<long>(expected.size()));
  }
}

TEST(Variants, NeedTheRoomOfTheLargestAndNotOfAllTogether) {
  const Scene scene = test::different_objects();
  Scene bars = scene;  // the most contacts
  bars.variants = {scene.variants[1], scene.variants[1]};
  const Capacity all = choose_capacity(scene), one = choose_capacity(bars);
  EXPECT_EQ(all.max_contacts, one.max_contacts);
  EXPECT_EQ(all.max_pairs, one.max_pairs);
  Scene joined = scene;  // as if nothing were spare
  joined.variants.clear();
  EXPECT_GT(choose_capacity(joined).max_contacts, all.max_contacts);
}

TEST(Variants, AreTakenAtAResetAndNeverInPart) {
  for (const char* device : {"cpu", "reference"}) {
    Simulator sim(test::different_objects(), {.batch = 4, .device = device, .threads = 1});
    EXPECT_EQ(sim.read(EnvField::own_variant), (std::vector<double>{0, 1, 2, 0}));
    const std::vector<double> meshes = sim.read(EnvField::geom_mesh);
    const int ids[] = {1, 3};
    sim.write(EnvField::variant, ids, std::vector<double>{2, 3});
    EXPECT_THROW(sim.reset(ids), InputError);
    EXPECT_EQ(sim.read(EnvField::geom_mesh), meshes) << device;
    const auto stepped = sim.step();
    EXPECT_EQ(stepped[1], status::kBadParameter);
    EXPECT_EQ(stepped[2], status::kConverged);
    sim.write(EnvField::variant, ids, std::vector<double>{2, 1});
    sim.reset(ids);
    EXPECT_EQ(sim.read(EnvField::own_variant), (std::vector<double>{0, 2, 2, 1}));
    for (const std::uint32_t status : sim.step()) EXPECT_EQ(status, status::kConverged) << device;
  }
}

}  // namespace
}  // namespace stiction
