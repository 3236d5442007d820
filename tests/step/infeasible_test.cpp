// Claims about steps without a solution, and about rows that no dof can move and that therefore make none.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "host/api/infeasibility.hpp"
#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/every_dynamics.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

Scene scene_of(const std::string& name, const std::string& text) {
  return test::load_convex_scene(test::write_temporary(name + ".xml", text));
}

// --- rows that no dof moves ------------------------------------------------------------------------------------------

/// A puck of 2 kg on two slides over a table that both lean by 30 degrees, `overlap` deep in it [m].
Scene puck_scene(double overlap) {
  char height[32];
  std::snprintf(height, sizeof height, "%.17g", 0.05 - overlap);
  return scene_of("puck", R"(<mujoco><option gravity="0 0 0"/><worldbody><body euler="30 20 0">
    <geom name="table" type="plane" size="2 2 1" friction=".8 0 0"/>
    <body name="puck" pos="0 0 )" +
                              std::string(height) + R"(">
      <joint type="slide" axis="1 0 0" damping="4"/><joint type="slide" axis="0 1 0" damping="4"/>
      <geom type="cylinder" size=".1 .05" mass="2" friction=".8 0 0"/></body></body></worldbody></mujoco>)");
}

class UnmovedRows : public testing::TestWithParam<Dynamics> {};

TEST_P(UnmovedRows, APuckOnSlidesMovesWhateverTheGapToItsTable) {
  for (const double overlap : {-1e-4, 0.0, 1e-12, 5e-3}) {
    for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
      Scene scene = puck_scene(overlap);
      scene.physics.dynamics = GetParam();
      scene.physics.law = law;
      scene.impulses.push_back({1, 2, {0.3, 0.1, 0.0, 0.0, 0.0, 0.0}});
      for (const char* device : {"cpu", "reference"}) {
        Simulator with(scene, {.device = device});
        for (int k = 0; k < 5; ++k)
          ASSERT_EQ(with.step()[0], status::kConverged)
              << device << ", overlap " << overlap << ": " << status_names(with.status()[0]);
        EXPECT_GT(std::hypot(with.qpos()[0], with.qpos()[1]), 1e-4) << device;
        for (const double force : with.contacts().force) {
          EXPECT_TRUE(std::isnan(force) || force == 0.0) << device << ": " << force;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, UnmovedRows, testing::ValuesIn(test::kEveryDynamics), test::dynamics_name);

// --- steps without a solution ----------------------------------------------------------------------------------------

/// A ball of 20 cm in a channel of 15 cm, on slides across and up.
Scene channel_scene(InfeasibleStep infeasible) {
  Scene scene = scene_of("channel", R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <geom name="left" type="plane" size="1 1 1" pos="-.075 0 0" zaxis="1 0 0"/>
    <geom name="right" type="plane" size="1 1 1" pos=".075 0 0" zaxis="-1 0 0"/>
    <body name="stuck"><joint type="slide" axis="1 0 0" damping="1"/>
      <joint type="slide" axis="0 0 1" damping="1"/><geom name="ball" size=".1" mass="1"/></body>
    </worldbody></mujoco>)");
  scene.solver.infeasible = infeasible;
  return scene;
}

TEST(InfeasibleStep, TakesTheMotionWithTheLeastViolation) {
  for (const char* device : {"cpu", "reference"}) {
    Scene scene = channel_scene(InfeasibleStep::kLeastViolation);
    scene.qpos = {0.04, 0.0};
    Simulator sim(scene, {.device = device});
    EXPECT_EQ(sim.step()[0], status::kInfeasible) << device;
    EXPECT_LT(sim.qpos()[0], 0.025 + tolerance::kCarried) << device;
    EXPECT_NEAR(sim.stats().violation[0], 0.05, tolerance::kServo) << device;  // 20 - 15 cm
  }
}

TEST(InfeasibleStep, KeepsTheStateWhereTheSceneSaysSo) {
  for (const char* device : {"cpu", "reference"}) {
    Scene scene = channel_scene(InfeasibleStep::kKeep);
    scene.qpos = {0.04, 0.2};
    scene.qvel = {0.0, 0.3};
    Simulator sim(scene, {.device = device});
    for (int k = 0; k < 3; ++k) EXPECT_EQ(sim.step()[0], status::kInfeasible) << device;
    EXPECT_EQ(sim.qpos(), scene.qpos) << device;
    EXPECT_EQ(sim.qvel(), scene.qvel) << device;
    EXPECT_NEAR(sim.stats().violation[0], 0.05, tolerance::kServo) << device;
    EXPECT_NEAR(sim.time()[0], 3 * scene.step_size, tolerance::kServo) << device;
  }
}

TEST(InfeasibleStep, ThatIsKeptLeavesOtherEnvironmentsAsTheyAre) {
  Scene kept = channel_scene(InfeasibleStep::kKeep);
  kept.physics.dynamics = Dynamics::kQuasidynamic;
  kept.qpos = {0.0, 0.0};
  Simulator sim(kept, {.batch = 2, .device = "cpu", .dtype = Dtype::kFloat32});
  EXPECT_EQ(sim.step()[0], status::kInfeasible);
  EXPECT_EQ(sim.qpos(), (std::vector<double>{0.0, 0.0, 0.0, 0.0}));
}

TEST(Infeasibility, NamesThePairItsDepthAndTheStep) {
  for (const auto infeasible : {InfeasibleStep::kLeastViolation, InfeasibleStep::kKeep}) {
    Simulator sim(channel_scene(infeasible), {.device = "cpu"});
    sim.step(2);
    const auto found = find_infeasibility(sim, 0);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(found->what == "world/left and stuck/ball overlap" ||
                found->what == "world/right and stuck/ball overlap")
        << found->what;
    EXPECT_EQ(found->unit, "m");
    EXPECT_GE(found->depth, 0.025 - tolerance::kServo);
    EXPECT_LE(found->depth, 0.05 + tolerance::kServo);
    EXPECT_EQ(found->step, 2);
    EXPECT_NE(found->describe().find(" mm after step 2"), std::string::npos) << found->describe();
  }
}

// 0 <= q <= 0.1 and q = 0.5 exclude each other
TEST(Infeasibility, NamesTheJointOrCouplingThatIsBrokenMost) {
  Scene scene = scene_of("bound", R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body><joint name="elbow" type="hinge" axis="0 0 1" range="0 0.1" limited="true" damping="1"/>
      <geom size=".1" mass="1"/></body></worldbody>
    <equality><joint joint1="elbow" polycoef="0.5 0 0 0 0"/></equality><compiler angle="radian"/></mujoco>)");
  Simulator sim(scene, {.device = "cpu"});
  EXPECT_EQ(sim.step()[0], status::kInfeasible);
  const auto found = find_infeasibility(sim, 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->what == "joint elbow is beyond its limit" ||
              found->what == "the coupling of joint elbow is broken")
      << found->what;
  EXPECT_EQ(found->unit, "rad");
  EXPECT_GE(found->depth, 0.2 - tolerance::kServo);
}

TEST(Infeasibility, IsNoneOfAStepThatWasSolved) {
  Simulator sim(puck_scene(0.0), {.device = "cpu"});
  sim.step();
  EXPECT_FALSE(find_infeasibility(sim, 0).has_value());
}

}  // namespace
}  // namespace stiction
