// Robot descriptions of the optional data folder step without a bad status, at rest and while their joints are driven
// through their range.
#include <gtest/gtest.h>

#include <cctype>

#include "host/api/simulator.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr int kSteps = 100, kLongSteps = 5;

class DataFolderModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = test::shared_folder();
    if (folder.empty()) GTEST_SKIP() << "no data folder (STICTION_SHARED)";
    scene = load_scene((folder / "models" / GetParam()).string());
  }

  /// Steps one by one along the scene's knots; every one must converge.
  void expect_good_steps() {
    Simulator sim(scene, {.device = "cpu"});
    for (int step = 0; step < kSteps && !HasFailure(); ++step) {
      const std::uint32_t bits = sim.step()[0];
      EXPECT_EQ(bits, status::kConverged)
          << "step " << step << ": " << status_names(bits) << ", residual " << sim.stats().residual[0];
    }
  }

  Scene scene;
};

TEST_P(DataFolderModel, StepsAHundredTimesWithoutABadStatus) { expect_good_steps(); }

/// A target inside the control range, or a hundredth of the unit where there is none.
double target(const Model& model, int actuator) {
  const std::size_t i = 2 * static_cast<std::size_t>(actuator);
  if (!model.actuator_ctrl_limited[i / 2]) return 0.01;
  return model.actuator_ctrl_range[i] + 0.7 * (model.actuator_ctrl_range[i + 1] - model.actuator_ctrl_range[i]);
}

TEST_P(DataFolderModel, StepsAHundredTimesWhileItIsDriven) {
  const Model& model = *scene.model;
  std::vector<double> there;
  for (int i = 0; i < model.nu; ++i) there.push_back(target(model, i));
  scene.command.time = {0.0, 0.5 * kSteps * scene.step_size};
  scene.command.ctrl = {std::vector<double>(there.size(), 0.0), there};
  expect_good_steps();
}

TEST_P(DataFolderModel, HasRoomForWhatItTouchesInStepsOfAnySize) {
  for (const Dynamics dynamics : {Dynamics::kQuasidynamic, Dynamics::kDynamic})
    for (const double h : {0.02, 0.05, 0.4}) {
      scene.physics.dynamics = dynamics, scene.step_size = h;
      Simulator sim(scene, {.device = "cpu"});
      for (int step = 0; step < kLongSteps; ++step)
        EXPECT_FALSE(sim.step()[0] & (status::kContactsDropped | status::kPairsDropped)) << h << " " << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Table, DataFolderModel,
                         testing::Values("iiwa14/iiwa14.xml", "iiwa14/scene.xml", "iiwa14_urdf/iiwa14_spheres_mj.urdf",
                                         "iiwa14_urdf/iiwa14_polytope_mj.urdf", "iiwa14_urdf/iiwa14_spheres.xml",
                                         "iiwa14_urdf/iiwa14_polytope.xml", "allegro/right_hand.xml",
                                         "allegro/left_hand.xml", "leap/leap_hand_right.urdf", "bhand/bhand_model.urdf",
                                         "puma560/puma560.xml", "puma560/puma560.urdf", "panda/panda_collision.xml",
                                         "wsg50/wsg50.xml", "handset.xml", "shadow/right_hand.xml",
                                         "shadow/left_hand.xml"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace stiction
