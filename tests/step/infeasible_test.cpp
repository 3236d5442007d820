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

/// What parts it is far longer than what it parts: the walls are parallel but for rounding.
TEST(InfeasibleStep, WithMomentumIsNotThrownAlongTheWalls) {
  for (const char* device : {"cpu", "reference"}) {
    for (const SolverName solver : {SolverName::kInteriorPoint, SolverName::kNewton, SolverName::kAdmm}) {
      for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
        SCOPED_TRACE(std::string(device) + ", solver " + std::to_string(static_cast<int>(solver)) + ", law " +
                     std::to_string(static_cast<int>(law)));
        Scene scene = channel_scene(InfeasibleStep::kLeastViolation);
        scene.physics.dynamics = Dynamics::kDynamic;
        scene.physics.law = law;
        scene.physics.cone = ConeType::kQuadratic;
        scene.solver.name = solver;
        scene.qpos = {0.01, 0.2};
        scene.qvel = {0.0, 0.3};
        Simulator sim(scene, {.device = device});
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(sim.step()[0] & status::kInfeasible);
        EXPECT_LE(std::fabs(sim.qpos()[0]), 0.025 + tolerance::kServo);
        EXPECT_NEAR(sim.stats().violation[0], 0.05, tolerance::kServo);
        EXPECT_NEAR(sim.qpos()[1], 0.2, 0.3 * 3 * scene.step_size);
      }
    }
  }
}

/// A wedge of half an angle a moves a ball that overlaps both sides by d by d/sin a, however sharp it is.
TEST(InfeasibleStep, IsNoneInASharpWedge) {
  for (const double angle : {0.3, 0.1, 0.02}) {
    char text[1024];
    const double x = std::sin(angle), z = std::cos(angle);
    std::snprintf(text, sizeof text, R"(<mujoco><option gravity="0 0 0"/><worldbody>
      <geom name="left" type="plane" size="1 1 1" zaxis="%.17g 0 %.17g"/>
      <geom name="right" type="plane" size="1 1 1" zaxis="%.17g 0 %.17g"/>
      <body name="ball" pos="0 0 %.17g"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>)",
                  z, x, -z, x, (0.1 - 1e-3) / x);
    for (const char* device : {"cpu", "reference"}) {
      Scene scene = scene_of("wedge", text);
      scene.physics.dynamics = Dynamics::kDynamic;
      Simulator sim(scene, {.device = device});
      EXPECT_EQ(sim.step()[0], status::kConverged) << device << ", angle " << angle;
      EXPECT_NEAR(sim.qpos()[2], 0.1 / x, tolerance::kServo) << device << ", angle " << angle;
    }
  }
}

/// A straight chain of `rods` rods of 10 cm between two nails; `between`: the distance of the nails [m].
Scene chain_scene(int rods, double between) {
  std::string bodies = "<site name='nail' pos='" + std::to_string(between) + " 0 1'/>", joins;
  for (int i = 0; i < rods; ++i) {
    const std::string id = std::to_string(i), next = std::to_string(i + 1);
    bodies += "<body name='rod" + id + "' pos='" + std::to_string(0.1 * i) + " 0 1'><freejoint/><geom type='capsule' " +
              "fromto='0 0 0 .1 0 0' size='.01' mass='.05' contype='0' conaffinity='0'/><site name='start" + id +
              "'/><site name='end" + id + "' pos='.1 0 0'/></body>";
    joins += "<connect site1='end" + id + "' site2='" + (i + 1 < rods ? "start" + next : "nail") + "'/>";
  }
  return scene_of("chain", "<mujoco><worldbody>" + bodies +
                               "</worldbody><equality><connect body1='rod0' anchor='0 0 0'/>" + joins +
                               "</equality></mujoco>");
}

/// No small motion brings the chain between nails that are 20 cm too near; a large one, of no sense, would.
TEST(InfeasibleStep, DoesNotThrowAChainBetweenNailsThatAreTooNear) {
  Scene scene = chain_scene(10, 0.8);
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.equality = Equality::kHard;
  Simulator sim(scene, {.device = "cpu"});
  for (int k = 0; k < 100; ++k) {
    sim.step();
    for (const double value : sim.read(EnvField::body_pose)) ASSERT_LT(std::fabs(value), 3.0) << "step " << k;
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

TEST(Infeasibility, NamesTheHardConnectThatIsOpenMost) {
  Scene scene = chain_scene(3, 0.5);
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.equality = Equality::kHard;
  Simulator sim(scene, {.device = "cpu"});
  EXPECT_TRUE(sim.step()[0] & status::kInfeasible);
  const auto found = find_infeasibility(sim, 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(found->what.find("the connect of "), std::string::npos) << found->what;
  EXPECT_NE(found->what.find(" is open"), std::string::npos) << found->what;
  EXPECT_GE(found->depth, 0.2 / 4 - tolerance::kServo);  // four connects share the 20 cm
}

TEST(Infeasibility, IsNoneOfAStepThatWasSolved) {
  Simulator sim(puck_scene(0.0), {.device = "cpu"});
  sim.step();
  EXPECT_FALSE(find_infeasibility(sim, 0).has_value());
}

}  // namespace
}  // namespace stiction
