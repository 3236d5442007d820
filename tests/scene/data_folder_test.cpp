// Robot descriptions of the optional data folder: they load with the counts that they are known for, or are refused by
// name.
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>

#include "tests/scene/hull_checks.hpp"
#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

struct KnownModel {
  std::string file;
  int nq, nv, nu, ncoupling;
};

void PrintTo(const KnownModel& shown, std::ostream* out) { *out << shown.file; }

/// A folder of the data folder, or empty: the test is then skipped with a reason.
std::string data_file(const std::string& name) {
  const auto folder = shared_folder();
  return folder.empty() ? "" : (folder / "models" / name).string();
}

class DataFolderModel : public testing::TestWithParam<KnownModel> {};

TEST_P(DataFolderModel, LoadsWithItsCounts) {
  const KnownModel& known = GetParam();
  const std::string file = data_file(known.file);
  if (file.empty()) GTEST_SKIP() << "no data folder (STICTION_SHARED)";
  const Scene scene = load_scene(file);
  validate(scene);
  const Model& model = *scene.model;
  EXPECT_EQ(model.nq, known.nq);
  EXPECT_EQ(model.nv, known.nv);
  EXPECT_EQ(model.nu, known.nu);
  EXPECT_EQ(model.ncoupling, known.ncoupling);
}

TEST_P(DataFolderModel, HullsSatisfyEulersFormulaAndNothingIsOutside) {
  const std::string file = data_file(GetParam().file);
  if (file.empty()) GTEST_SKIP() << "no data folder (STICTION_SHARED)";
  const Model model = load_model(file);
  for (int mesh = 0; mesh < model.nmesh; ++mesh) EXPECT_EQ(euler_characteristic(model, mesh), 2) << mesh;
  for (int mesh = 0; mesh < model.nmesh; ++mesh) EXPECT_LE(largest_overhang(model, mesh), kHullTolerance) << mesh;
}

INSTANTIATE_TEST_SUITE_P(
    Table, DataFolderModel,
    testing::Values(KnownModel{"iiwa14/iiwa14.xml", 7, 7, 7, 0}, KnownModel{"iiwa14/scene.xml", 7, 7, 7, 0},
                    KnownModel{"iiwa14_urdf/iiwa14_spheres_mj.urdf", 7, 7, 0, 0},
                    KnownModel{"iiwa14_urdf/iiwa14_polytope_mj.urdf", 7, 7, 0, 0},
                    KnownModel{"iiwa14_urdf/iiwa14_spheres.xml", 7, 7, 0, 0},
                    KnownModel{"iiwa14_urdf/iiwa14_polytope.xml", 7, 7, 0, 0},
                    KnownModel{"allegro/right_hand.xml", 16, 16, 16, 0},
                    KnownModel{"allegro/left_hand.xml", 16, 16, 16, 0},
                    KnownModel{"leap/leap_hand_right.urdf", 16, 16, 0, 0},
                    KnownModel{"bhand/bhand_model.urdf", 8, 8, 0, 0}, KnownModel{"puma560/puma560.xml", 6, 6, 0, 0},
                    KnownModel{"puma560/puma560.urdf", 6, 6, 0, 0}, KnownModel{"panda/panda_collision.xml", 9, 9, 8, 1},
                    KnownModel{"panda/hand_collision.xml", 2, 2, 1, 1}, KnownModel{"wsg50/wsg50.xml", 2, 2, 1, 1},
                    KnownModel{"handset.xml", 7, 6, 0, 0}, KnownModel{"shadow/right_hand.xml", 24, 24, 20, 0},
                    KnownModel{"shadow/left_hand.xml", 24, 24, 20, 0}),
    [](const auto& info) {
      std::string name = info.param.file;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

struct RefusedModel {
  std::string file;
  std::vector<std::string> words;
};

TEST(DataFolder, RefusesByNameWhatIsNotSupported) {
  if (data_file("").empty()) GTEST_SKIP() << "no data folder (STICTION_SHARED)";
  const RefusedModel refused[] = {
      {"panda/panda.xml", {"panda.xml:114", "mesh 'finger_0'", "finger_0.obj"}},
      {"iiwa14_urdf/iiwa14_polytope_collision.urdf", {"mesh 'link_7_polytope'", "link_7_polytope.obj"}}};
  for (const RefusedModel& model : refused) {
    const std::string message = error_of([&] { load_scene(data_file(model.file)); });
    EXPECT_TRUE(is_one_line(message)) << model.file;
    EXPECT_TRUE(has_words(message, model.words)) << message;
  }
}

}  // namespace
}  // namespace stiction::test
