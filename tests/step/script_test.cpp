// Claims about bodies that a script moves and impulses that a scene applies, in whole steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/every_dynamics.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

SimulatorOptions on(const std::string& device, Dtype dtype = Dtype::kFloat64) {
  SimulatorOptions options;
  options.device = device;
  options.dtype = dtype;
  return options;
}

int body_id(const Scene& scene, const std::string& name) {
  const std::vector<std::string>& names = scene.model->body_names;
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

Scene scripted_scene(const std::string& name, const std::string& world, Dynamics dynamics) {
  const std::string text = "<mujoco><worldbody>" + world + "</worldbody></mujoco>";
  Scene scene = load_scene(test::write_temporary("script_" + name + ".xml", text));
  scene.physics.dynamics = dynamics;
  scene.solver.tolerance = 1e-10;
  return scene;
}

const char* const kBelt =
    "<body name='belt' mocap='true'><geom type='box' size='1 .3 .1' friction='.5 0 0'/></body>"
    "<body name='box' pos='0 0 .15'><freejoint/><geom type='box' size='.05 .05 .05' mass='.4' friction='.5 0 "
    "0'/></body>";

/// A belt that runs on the spot: constant pose, velocity along x.
Scene belt_scene(Dynamics dynamics, double speed) {
  Scene scene = scripted_scene("belt", kBelt, dynamics);
  scene.mocap.push_back(
      {body_id(scene, "belt"), {0.0, 9.0}, {{0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0}}, {{speed}, {speed}}});
  return scene;
}

class EveryDynamics : public testing::TestWithParam<Dynamics> {};

TEST_P(EveryDynamics, ABeltCarriesABoxAtItsSpeed) {
  for (const char* device : {"cpu", "reference"}) {
    constexpr double kSpeed = 0.04;  // below mu g h: without momentum friction must reach it from rest in every step
    Scene scene = belt_scene(GetParam(), kSpeed);
    if (has_momentum(GetParam())) scene.qvel[0] = kSpeed;
    Simulator sim(scene, on(device));
    for (int k = 1; k <= 20; ++k) {
      ASSERT_EQ(sim.step()[0], status::kConverged) << device << ": " << status_names(sim.status()[0]);
      EXPECT_NEAR(sim.qpos()[0], kSpeed * 0.01 * k, tolerance::kCarried) << device;
      EXPECT_NEAR(sim.qpos()[2], 0.15, tolerance::kCarried) << device;
    }
  }
}

// a table that ended holds its body: neither the columns of velocity nor the difference of its last poses go on
TEST(Script, StandsStillAfterItsEnd) {
  for (const bool velocities : {false, true}) {
    Scene scene = belt_scene(Dynamics::kQuasidynamic, 0.04);
    MocapTrack& track = scene.mocap[0];
    track.time = {0.0, 0.05};
    track.pose[1][0] = 0.002;
    if (!velocities) track.velocity.clear();
    for (const char* device : {"cpu", "reference"}) {
      Simulator sim(scene, on(device));
      for (int k = 0; k < 3; ++k) sim.step();
      EXPECT_NEAR(sim.read(EnvField::mocap_velocity)[0], 0.04, tolerance::kCarried) << device;
      for (int k = 3; k < 7; ++k) sim.step();
      const double end = sim.qpos()[0];
      for (int k = 7; k < 12; ++k) {
        ASSERT_EQ(sim.step()[0], status::kConverged) << device;
        EXPECT_EQ(sim.read(EnvField::mocap_velocity), std::vector<double>(6, 0.0)) << device << ", step " << k;
        EXPECT_NEAR(sim.read(EnvField::mocap_pose)[0], 0.002, tolerance::kCarried) << device << ", step " << k;
        EXPECT_NEAR(sim.qpos()[0], end, tolerance::kCarried) << device << ", step " << k;
      }
    }
  }
}

// the wall's pose at the end of the step is the table's, and what it pushes is where it is
TEST_P(EveryDynamics, AWallPushesABallToWhereItsTableSays) {
  for (const char* device : {"cpu", "reference"}) {
    Scene scene =
        scripted_scene("wall",
                       "<body name='wall' mocap='true'><geom type='box' size='.1 1 1' friction='0 0 0'/></body>"
                       "<body pos='.2 0 0' gravcomp='1'><joint type='slide' axis='1 0 0' damping='1'/>"
                       "<geom size='.1' mass='.4' friction='0 0 0'/></body>",
                       GetParam());
    scene.mocap.push_back({body_id(scene, "wall"),
                           {0.0, 0.1, 0.2},
                           {{-.02, 0, 0, 1, 0, 0, 0}, {.03, 0, 0, 1, 0, 0, 0}, {.04, 0, 0, 1, 0, 0, 0}},
                           {}});
    scene.solver.tolerance = 1e-11;
    Simulator sim(scene, on(device));
    for (int k = 1; k <= 10; ++k) {
      ASSERT_EQ(sim.step()[0], status::kConverged) << device << ": " << status_names(sim.status()[0]);
      EXPECT_NEAR(sim.qpos()[0], std::fmax(0.0, -0.02 + 0.5 * 0.01 * k), tolerance::kCarried) << device << " " << k;
    }
    EXPECT_LE(sim.stats().penetration[0], tolerance::kCarried) << device;
  }
}

// a limit that is violated at the start is a row like any other: it is met at the end of the step
TEST_P(EveryDynamics, AJointThatStartsBeyondItsLimitReturnsToIt) {
  for (const char* device : {"cpu", "reference"}) {
    Scene scene = scripted_scene("beyond",
                                 "<body><joint type='slide' axis='1 0 0' range='0 1' limited='true' damping='1'/>"
                                 "<geom size='.1' mass='2'/></body>",
                                 GetParam());
    scene.qpos = {-0.1};
    Simulator sim(scene, on(device));
    ASSERT_EQ(sim.step()[0], status::kConverged) << device << ": " << status_names(sim.status()[0]);
    EXPECT_NEAR(sim.qpos()[0], 0.0, tolerance::kRest) << device;
  }
}

// H v = g + p: one step feels p, and without momentum the next has forgotten it; fitted, v decays by exp(−h d/m)
TEST_P(EveryDynamics, AnImpulseActsInItsStepAndInNoOther) {
  for (const char* device : {"cpu", "reference"}) {
    Scene scene = scripted_scene("kick",
                                 "<body name='cart'><joint type='slide' axis='1 0 0' damping='30'/>"
                                 "<geom size='.1' mass='2'/></body>",
                                 GetParam());
    scene.physics.mass_ratio = 0.0;
    scene.impulses.push_back({2, body_id(scene, "cart"), {0.7, 5.0, 5.0, 1.0, 1.0, 1.0}});
    Simulator sim(scene, on(device));
    const bool has_mass = has_momentum(GetParam()) || GetParam() == Dynamics::kQuasidynamic;
    const double exponent = 0.01 * 30.0 / 2.0, decay = std::exp(-exponent);
    const bool fitted = GetParam() == Dynamics::kDynamicFitted;
    const double H = fitted ? 2.0 * exponent / (1.0 - decay) : (has_mass ? 2.0 : 0.0) + 0.01 * 30.0;
    const double kept = fitted ? H * decay : (has_momentum(GetParam()) ? 2.0 : 0.0);
    double v = 0.0;
    for (int k = 0; k < 5; ++k) {
      ASSERT_EQ(sim.step()[0], status::kConverged) << device << ": " << status_names(sim.status()[0]);
      v = (kept * v + (k == 2 ? 0.7 : 0.0)) / H;
      EXPECT_NEAR(sim.qvel()[0], v, tolerance::kServo) << device << ", step " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, EveryDynamics, testing::ValuesIn(test::kEveryDynamics), test::dynamics_name);

TEST(Impulse, TurnsAFreeBodyAboutItsCentreOfMass) {
  Scene scene = scripted_scene("spin",
                               "<body name='box' pos='0 0 1' gravcomp='1'><freejoint/>"
                               "<geom type='box' size='.1 .2 .3' pos='.5 0 0' mass='2'/></body>",
                               Dynamics::kDynamic);
  scene.impulses.push_back({0, 1, {0.0, 0.0, 0.0, 0.0, 0.0, 0.3}});
  Simulator sim(scene, on("cpu"));
  ASSERT_EQ(sim.step()[0], status::kConverged);
  const double rate = 0.3 / (2.0 / 3.0 * (0.01 + 0.04));  // box: m/3 (a² + b²)
  const std::vector<double> v = sim.qvel();
  EXPECT_NEAR(v[5], rate, tolerance::kServo);
  const double turned = scene.step_size * rate;  // the origin turns about the centre, which was 0.5 m along x from it
  EXPECT_NEAR(v[0], 0.5 * rate * std::sin(turned), tolerance::kServo);
  EXPECT_NEAR(v[1], -0.5 * rate * std::cos(turned), tolerance::kServo);
}

TEST(Script, StartsAgainWithAReset) {
  Simulator sim(belt_scene(Dynamics::kQuasidynamic, 0.3), on("cpu"));
  sim.step(7);
  const std::vector<double> first = sim.qpos();
  sim.reset();
  sim.step(7);
  EXPECT_EQ(sim.qpos(), first);
}

TEST(Script, CarriesInSinglePrecision) {
  Simulator sim(belt_scene(Dynamics::kQuasistatic, 0.2), on("cpu", Dtype::kFloat32));
  for (int k = 0; k < 20; ++k) ASSERT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
  EXPECT_NEAR(sim.qpos()[0], 0.2 * 0.01 * 20, tolerance::kCarriedSingle);
}

// dynamic: friction accelerates the box by μ g until it moves with the belt
TEST(Script, ABeltAcceleratesABoxByItsFriction) {
  Scene scene = belt_scene(Dynamics::kDynamic, 1.0);
  scene.solver.tolerance = 1e-9;
  Simulator sim(scene, on("cpu"));
  sim.step(10);
  EXPECT_NEAR(sim.qvel()[0], 0.5 * 9.81 * 0.1, tolerance::kFrictionSpeed);
  sim.step(30);
  EXPECT_NEAR(sim.qvel()[0], 1.0, tolerance::kFrictionSpeed);
}

}  // namespace
}  // namespace stiction
