// Claims about bodies that spin freely in second-order steps of any size: energy, momentum, the flight of their centre.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/api/simulator.hpp"
#include "kernels/dynamics/spin.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/every_choice.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kSteps[] = {0.01, 0.05, 0.1, 0.4}, kRates[] = {1.0, 10.0, 30.0, 100.0};  // [s], [rad/s]
const Vec3<double> kDirections[] = {{0.1, 1.0, 0.1}, {1.0, 0.1, 0.3}, {0.3, -0.4, 1.0}, {0.6, 0.6, -0.6}};

Scene tumbling_scene(const std::string& name, const std::string& bodies, const std::string& gravity = "0 0 0") {
  Scene scene = test::load_convex_scene(test::write_temporary(
      "spin_" + name + ".xml",
      "<mujoco><option gravity='" + gravity + "'/><worldbody>" + bodies + "</worldbody></mujoco>"));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.solver.tolerance = 1e-10;
  return scene;
}

double energy_of(Simulator& sim) {
  sim.measure_energy();
  const std::vector<double> energy = sim.read(EnvField::energy);
  return energy[0] + energy[1];
}

/// The largest energy of 200 steps over that of the start, and the least.
std::pair<double, double> energy_range(const Scene& scene, const SimulatorOptions& options) {
  Simulator sim(scene, options);
  const double start = energy_of(sim);
  double least = start, most = start;
  for (int k = 0; k < 200; ++k) {
    EXPECT_EQ(sim.step()[0] & status::kFailed, 0u) << status_names(sim.status()[0]);
    const double energy = energy_of(sim);
    least = std::fmin(least, energy), most = std::fmax(most, energy);
    if (!(energy <= most)) return {most, energy};
  }
  return {most / start, least / start};
}

const char* const kBox = "<body><freejoint/><geom type='box' size='.1 .05 .02' mass='1'/></body>";
const char* const kOffCentre =
    "<body><freejoint/><geom type='box' size='.1 .05 .02' mass='1' pos='.3 -.1 .2' euler='10 20 30'/></body>";
const char* const kWelded =
    "<body><freejoint/><geom type='capsule' size='.02 .2' mass='.3'/><body pos='.1 0 .2' euler='0 40 0'>"
    "<geom type='box' size='.05 .1 .04' mass='1'/><body pos='0 .1 0'><geom size='.03' mass='.2'/></body></body></body>";
const char* const kPivoted =
    "<body><joint type='ball' pos='.1 0 .3'/><geom type='box' size='.1 .05 .02' mass='1'/></body>";
const char* const kArmature =
    "<body><joint type='free' armature='.001'/><geom type='box' size='.1 .05 .02' mass='1'/></body>";

using FreeBody = test::Named<const char*>;
class AFreeBody : public ::testing::TestWithParam<FreeBody> {};

TEST_P(AFreeBody, KeepsItsEnergyAtAnyStepAndRate) {
  Scene scene = tumbling_scene(GetParam().name, GetParam().value);
  for (const double h : kSteps)
    for (const double rate : kRates)
      for (const Vec3<double>& direction : kDirections) {
        SCOPED_TRACE("h " + std::to_string(h) + ", rate " + std::to_string(rate));
        const Vec3<double> spin = (rate / norm(direction)) * direction;
        const std::size_t turns = scene.qvel.size() - 3;
        for (std::size_t i = 0; i < turns; ++i) scene.qvel[i] = 0.3 * static_cast<double>(i) - 0.2;
        store3(scene.qvel.data() + turns, spin);
        scene.step_size = h;
        const auto [most, least] = energy_range(scene, {.device = "cpu"});
        EXPECT_LE(most, 1.0 + tolerance::kFreeSpinEnergy);
        EXPECT_GE(least, 1.0 - tolerance::kFreeSpinEnergy);
      }
}

INSTANTIATE_TEST_SUITE_P(Dynamic, AFreeBody,
                         ::testing::Values(FreeBody{kBox, "box"}, FreeBody{kOffCentre, "off_centre"},
                                           FreeBody{kWelded, "welded"}, FreeBody{kPivoted, "pivoted"},
                                           FreeBody{kArmature, "armature"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Dynamic, ATumblingBodyKeepsItsEnergyInFloatAndInTheReference) {
  for (const char* body : {kBox, kOffCentre, kWelded}) {
    Scene scene = tumbling_scene("others", body);
    scene.qvel = {0.5, -1.0, 0.0, 3.0, 30.0, 4.0};
    for (const double h : kSteps) {
      scene.step_size = h;
      const auto [single, lost] = energy_range(scene, {.device = "cpu", .dtype = Dtype::kFloat32});
      EXPECT_NEAR(single, 1.0, tolerance::kFreeSpinEnergySingle);
      EXPECT_NEAR(lost, 1.0, tolerance::kFreeSpinEnergySingle);
      const auto [most, least] = energy_range(scene, {.device = "reference"});
      EXPECT_NEAR(most, 1.0, tolerance::kFreeSpinEnergy);
      EXPECT_NEAR(least, 1.0, tolerance::kFreeSpinEnergy);
    }
  }
}

TEST(Dynamic, TheReferenceTumblesAlike) {
  for (const char* body : {kBox, kOffCentre, kWelded, kPivoted})
    for (const double h : {0.01, 0.1}) {
      Scene scene = tumbling_scene("alike", body, "0 0 -9.81");
      for (std::size_t i = 0; i < scene.qvel.size(); ++i) scene.qvel[i] = 4.0 * std::sin(1.0 + 2.0 * i);
      scene.step_size = h;
      Simulator sim(scene, {.device = "cpu"}), truth(scene, {.device = "reference"});
      for (int k = 0; k < 20; ++k) sim.step(), truth.step();
      const std::vector<double> q = sim.qpos(), v = sim.qvel(), qt = truth.qpos(), vt = truth.qvel();
      for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], qt[i], tolerance::kTumbledAlike) << "qpos " << i;
      for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], vt[i], tolerance::kTumbledAlike) << "qvel " << i;
    }
}

// c_k = c_0 + k h v_0 + h² g k (k + 1)/2, of the centre, whatever the body does about it
TEST(Dynamic, TheCentreOfASpinningBodyFliesTheSchemesParabola) {
  const Vec3<double> com = {0.3, -0.1, 0.2};
  for (const double h : {0.01, 0.1}) {
    Scene scene = tumbling_scene("centre", kOffCentre, "0 0 -9.81");
    scene.qvel = {1.0, -2.0, 3.0, 2.0, 20.0, -5.0};
    scene.step_size = h;
    scene.solver.tolerance = 1e-14;
    Simulator sim(scene, {.device = "cpu"});
    const Vec3<double> v = load3(scene.qvel.data()) + cross(load3(scene.qvel.data() + 3), com);
    for (int k = 1; k <= 100; ++k) {
      ASSERT_EQ(sim.step()[0], status::kConverged) << "step " << k;
      const std::vector<double> q = sim.qpos();
      const Vec3<double> at = load3(q.data()) + rotate(load_quat(q.data() + 3), com);
      const Vec3<double> parabola = com + (k * h) * v + Vec3<double>{0.0, 0.0, -9.81 * h * h * k * (k + 1) / 2.0};
      EXPECT_LE(norm(at - parabola), tolerance::kCentreFlight * (1.0 + norm(parabola))) << "h " << h << " step " << k;
    }
  }
}

TEST(Dynamic, ASpinAboutAPrincipalAxisStaysBitByBit) {
  const Mat3<double> inertia = {{2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0}}, ball = {{2, 0, 0, 0, 2, 0, 0, 0, 2}};
  const auto expect_same = [](const SpinMotion<double>& a, const Vec3<double>& b) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(a.mean[i], b[i]);
      EXPECT_EQ(a.end[i], b[i]);
    }
  };
  for (int i = 0; i < 3; ++i) {
    Vec3<double> spin = {0.0, 0.0, 0.0};
    expect_same(spin_without_torque(inertia, spin, 0.1), spin);
    spin[i] = 7.3;
    expect_same(spin_without_torque(inertia, spin, 0.4), spin);
  }
  expect_same(spin_without_torque(ball, {1.1, -2.3, 77.0}, 0.4), {1.1, -2.3, 77.0});
}

TEST(Dynamic, DroppedEllipsoidsDoNotGainEnergy) {
  std::string bodies = "<geom type='plane' size='5 5 .1' friction='.5 0 0'/>";
  for (int i = 0; i < 3; ++i)
    bodies += "<body pos='" + std::to_string(0.05 * i) + " " + std::to_string(0.02 * i) + " " +
              std::to_string(0.1 + 0.25 * i) + "'><freejoint/><geom type='ellipsoid' size='" +
              std::to_string(0.1 + 0.01 * i) + " .08 " + std::to_string(0.05 + 0.01 * i) +
              "' mass='.5' friction='.4 0 0'/></body>";
  Scene scene = tumbling_scene("ellipsoids", bodies, "0 0 -9.81");
  scene.physics.law = ContactLaw::kFrictionless;
  scene.solver.tolerance = 1e-6;
  for (const double h : {0.05, 0.1}) {
    scene.step_size = h;
    Simulator sim(scene, {.device = "cpu"});
    const double start = energy_of(sim);
    double most = start;
    for (int k = 0; k < 100; ++k) sim.step(), most = std::fmax(most, energy_of(sim));
    EXPECT_LE(most, tolerance::kDroppedEnergy * start) << "h " << h;
  }
}

}  // namespace
}  // namespace stiction
