// Claims: a robot has room for all pairs with itself, in steps of any size, and that room is linear in its geoms.
#include "host/backend/capacity.hpp"

#include <gtest/gtest.h>

#include "host/api/simulator.hpp"
#include "host/backend/host_backend.hpp"
#include "host/model/choices.hpp"
#include "kernels/collision/contact_point.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

/// Fingers side by side on a static palm, three links each, a link of boxes in a row; links of one finger overlap.
std::string hand(int fingers, int boxes) {
  std::string text = R"(<mujoco><worldbody><body name="palm" pos="0 0 1"><geom type="box" size=".1 .1 .01"/>)";
  for (int f = 0; f < fingers; ++f) {
    for (int link = 0; link < 3; ++link) {
      const std::string place = link > 0 ? ".045 0 0" : ".11 " + std::to_string(0.03 * f) + " 0";
      text += R"(<body pos=")" + place + R"("><joint type="hinge" axis="0 1 0" damping=".01"/>)";
      for (int b = 0; b < boxes; ++b)
        text += R"(<geom type="box" size=".004 .01 .004" pos=")" + std::to_string(0.01 * b) + R"( 0 0"/>)";
    }
    text += "</body></body></body>";
  }
  return text + "</body></worldbody></mujoco>";
}

Scene hand_scene(int fingers, int boxes) { return load_scene(test::write_temporary("hand.xml", hand(fingers, boxes))); }

TEST(Capacity, HoldsAllPairsOfAHandWithItself) {
  Scene scene = hand_scene(4, 4);
  scene.physics.dynamics = Dynamics::kDynamic;
  for (const double h : {0.01, 0.02, 0.05, 0.4}) {
    scene.step_size = h;
    Simulator simulator(scene, {.device = "cpu", .threads = 1});
    for (int step = 0; step < 5; ++step)
      EXPECT_FALSE(simulator.step()[0] & (status::kContactsDropped | status::kPairsDropped)) << h << " " << step;
    EXPECT_EQ(simulator.max_pairs(), scene.model->npair);
    EXPECT_EQ(simulator.max_contacts(), most_points(scene));
  }
}

/// Two arms of boxes, each a tree of its own on the world, that start inside each other.
TEST(Capacity, HoldsAllPairsOfTwoRobotsAtOnePlace) {
  std::string text = "<mujoco><worldbody>";
  for (const char* side : {"left", "right"}) {
    for (int link = 0; link < 8; ++link) {
      text += R"(<body pos="0 0 .05"><joint type="hinge" axis="0 1 0" damping=".01"/>)";
      text += R"(<geom type="box" size=".03 .03 .02"/><geom type="box" size=".02 .04 .02"/>)";
    }
    for (int link = 0; link < 8; ++link) text += "</body>";
    text += std::string("<site name='") + side + "'/>";
  }
  Scene scene = load_scene(test::write_temporary("arms.xml", text + "</worldbody></mujoco>"));
  Simulator simulator(scene, {.device = "cpu", .threads = 1});
  EXPECT_EQ(simulator.max_pairs(), scene.model->npair);
  for (int step = 0; step < 5; ++step)
    EXPECT_FALSE(simulator.step()[0] & (status::kContactsDropped | status::kPairsDropped)) << step;
}

TEST(Capacity, OfRobotsIsLinearInTheirGeoms) {
  const auto pairs = [](int fingers) { return choose_capacity(hand_scene(fingers, 8)).max_pairs; };
  const int few = pairs(8), twice = pairs(16), many = pairs(32);
  EXPECT_EQ(many - twice, 2 * (twice - few));
}

TEST(Capacity, OfLemkesSquareTableauFollowsTheGeomsAlone) {
  Scene scene = hand_scene(8, 8);
  const int all = choose_capacity(scene).max_contacts;
  scene.solver.name = SolverName::kLemke;
  EXPECT_LT(2 * choose_capacity(scene).max_contacts, all);
}

/// Pairs of the robot's cylinders and meshes may have eight points: the room is then that of the geoms.
TEST(Capacity, OfTheStackIsThatOfItsPairs) {
  const Scene scene = load_scene(std::string(STICTION_SOURCE_DIR) + "/scenes/iiwa_stack");
  const Capacity capacity = choose_capacity(scene);
  EXPECT_EQ(capacity.max_pairs, 197);
  EXPECT_EQ(capacity.max_contacts, 800);
}

/// Overlaps are parted without friction and torsion, and such problems go ways that take more memory.
TEST(Capacity, OfScratchHoldsTheProblemThatPartsOverlapsToo) {
  using Team = HostTeam<PhaseOrder::kForward>;
  for (const int boxes : {1, 4})
    for (int solver = 0; solver < static_cast<int>(solver_choice().built.size()); ++solver) {
      Scene scene = hand_scene(2, boxes);
      scene.physics.dynamics = Dynamics::kDynamic, scene.physics.cone = ConeType::kQuadratic;
      scene.solver.name = static_cast<SolverName>(solver);
      const ModelStorage<double> model(*scene.model);
      const Capacity capacity = choose_capacity(scene);
      StepConfig<double> twists = make_step_config<double>(scene), parts = twists;
      ASSERT_TRUE(twists.parts_overlaps);
      twists.dimension = 4;
      parts.dimension = 3, parts.law = ContactLaw::kFrictionless;
      const auto bytes = [&](const StepConfig<double>& config) {
        return step_scratch_bytes<Team, double>(Team{}, model.view(), capacity, config);
      };
      EXPECT_GE(bytes(twists), bytes(parts)) << boxes << " " << solver;
    }
}

}  // namespace
}  // namespace stiction
