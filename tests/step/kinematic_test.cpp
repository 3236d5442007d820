// Claims about kinematic steps: commanded dofs follow exactly, the rest balances, and what can not be is said to be so.
#include <gtest/gtest.h>

#include <cmath>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/inline_scene.hpp"

namespace stiction {
namespace {

Scene kinematic_scene(const std::string& name, const std::string& world, const std::string& rest = "",
                      const std::string& gravity = "0 0 -9.81") {
  return test::inline_scene({"kinematic_" + name, world, rest, gravity}, Dynamics::kKinematic, 1e-10);
}

const char* const kArm =
    "<body><joint name='a' type='hinge' axis='0 1 0'/><geom type='capsule' size='.02 .1' mass='3' pos='.1 0 0'/>"
    "<body pos='.2 0 0'><joint name='b' type='slide' axis='1 0 0'/><geom size='.03' mass='2'/></body></body>";

class Kinematic : public testing::TestWithParam<const char*> {};

TEST_P(Kinematic, APositionIsReachedExactlyWhateverGearWeightAndForceRange) {
  Scene scene = kinematic_scene("arm", kArm,
                                "<actuator><position joint='a' kp='7' gear='-3' forcerange='-.1 .1'/>"
                                "<velocity joint='b' kv='5' gear='2'/></actuator>");
  scene.command = {{0.0, 1.0}, {{0.3, 0.0}, {-0.9, 0.8}}};
  Simulator sim(scene, {.device = GetParam()});
  double slide = 0.0;
  for (int k = 1; k <= 50; ++k) {
    ASSERT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
    const double t = 0.01 * k;
    slide += 0.01 * 0.8 * t / 2.0;
    EXPECT_NEAR(sim.qpos()[0], (0.3 - 1.2 * t) / -3.0, tolerance::kPrescribed);
    EXPECT_NEAR(sim.qpos()[1], slide, tolerance::kPrescribed);
  }
}

// P1 of the validation page: the fingers touch at the end of step 2 and can not go on
TEST_P(Kinematic, TheGripperHasNoSolutionOnceItsFingersWouldEnterTheBall) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "gripper2d").string());
  scene.physics.dynamics = Dynamics::kKinematic;
  Simulator sim(scene, {.device = GetParam()});
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << step << ": " << status_names(sim.status()[0]);
    EXPECT_NEAR(sim.qpos()[3], -0.106 + 0.2 * 0.01 * (step + 1), tolerance::kPrescribed);
    EXPECT_NEAR(sim.qpos()[0], 0.0, tolerance::kRest);
    EXPECT_NEAR(sim.qpos()[1], 0.1, tolerance::kRest);
  }
  EXPECT_EQ(sim.step()[0], status::kInfeasible) << status_names(sim.status()[0]);
  EXPECT_NEAR(sim.stats().violation[0], 0.004, tolerance::kRest);  // 2 mm on either side
}

TEST_P(Kinematic, APushedBlockMovesWithThePusherAndItsWeightRests) {
  Scene scene = kinematic_scene(
      "push",
      "<geom name='floor' type='plane' size='2 2 .1' friction='0 0 0'/>"
      "<body pos='.2 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2' friction='0 0 0'/></body>"
      "<body pos='0 0 .1'><joint name='x' type='slide' axis='1 0 0'/><geom type='box' size='.1 .1 .05' "
      "mass='1'/></body>",
      "<actuator><position joint='x' kp='100'/></actuator>");
  scene.command = {{0.0, 1.0}, {{0.0}, {1.0}}};
  Simulator sim(scene, {.device = GetParam()});
  for (int k = 1; k <= 20; ++k) {
    ASSERT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
    EXPECT_NEAR(sim.qpos()[0], 0.2 + 0.01 * k, tolerance::kPushed);
  }
  double up = 0.0;
  const ContactArrays contacts = sim.contacts();
  for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.count[0]); ++i)
    if (contacts.frame[9 * i + 2] > 0.5) up += contacts.force[3 * i];
  EXPECT_NEAR(up, 2.0 * 9.81, tolerance::kPushedForce);
}

TEST_P(Kinematic, AJointThatIsCommandedBeyondItsRangeIsInfeasible) {
  Scene scene = kinematic_scene("range",
                                "<body><joint name='x' type='slide' axis='1 0 0' range='-1 .005' limited='true'/>"
                                "<geom size='.1'/></body>",
                                "<actuator><position joint='x' kp='1'/></actuator>");
  scene.command = {{0.0, 1.0}, {{0.0}, {1.0}}};
  scene.step_size = 0.002;
  Simulator sim(scene, {.device = GetParam()});
  for (int k = 1; k <= 2; ++k) EXPECT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
  EXPECT_EQ(sim.step()[0], status::kInfeasible) << status_names(sim.status()[0]);
}

// no impulse matters between motions that are all given: friction does not lift the finger, only penetration counts
TEST_P(Kinematic, AFingerMaySlideAlongAWallButNotEnterIt) {
  const char* kFinger =
      "<geom type='plane' size='2 2 .1' friction='.8 0 0'/>"
      "<body pos='0 0 .1'><joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>"
      "<geom type='box' size='.1 .1 .1' mass='1' friction='.8 0 0'/></body>";
  Scene scene = kinematic_scene("slide", kFinger,
                                "<actuator><position joint='x' kp='9'/><position joint='z' kp='9'/></actuator>");
  scene.command = {{0.0, 0.1, 0.2}, {{0.0, 0.0}, {0.1, 0.0}, {0.2, -0.01}}};
  Simulator sim(scene, {.device = GetParam()});
  for (int k = 1; k <= 10; ++k) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << k << ": " << status_names(sim.status()[0]);
    EXPECT_NEAR(sim.qpos()[0], 0.01 * k, tolerance::kPrescribed);
    EXPECT_NEAR(sim.qpos()[1], 0.0, tolerance::kPrescribed);
  }
  EXPECT_EQ(sim.step()[0], status::kInfeasible) << status_names(sim.status()[0]);
}

INSTANTIATE_TEST_SUITE_P(OnEveryHost, Kinematic, testing::Values("cpu", "reference"),
                         [](const auto& info) { return std::string(info.param); });

TEST(KinematicRefusals, NameTheActuatorThatCanNotBeFollowed) {
  const auto refusal = [](const std::string& rest) {
    const Scene scene = kinematic_scene("refused", kArm, rest);
    try {
      Simulator sim(scene, {.device = "cpu"});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string several = refusal(
      "<tendon><fixed name='t'><joint joint='a' coef='1'/><joint joint='b' coef='2'/></fixed></tendon>"
      "<actuator><position name='pull' tendon='t' kp='1'/></actuator>");
  EXPECT_NE(several.find("'pull' acts on several joints"), std::string::npos) << several;
  const std::string twice =
      refusal("<actuator><position name='p' joint='a' kp='1'/><velocity name='v' joint='a' kv='1'/></actuator>");
  EXPECT_NE(twice.find("'v' and 'p' both prescribe joint 'a'"), std::string::npos) << twice;
}

}  // namespace
}  // namespace stiction
