// Claims: pairs that move apart have no contacts in a step, however large its reach; what an impact turns round in the
// same step has its contacts back, and the answers are those of the reference, which leaves nothing out.
#include <gtest/gtest.h>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/host_environment.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

Scene dynamic_scene(const std::string& name, const std::string& bodies, ContactLaw law, double h = 0.01) {
  const std::string text = "<mujoco><option gravity='0 0 0'/><worldbody>" + bodies + "</worldbody></mujoco>";
  Scene scene = test::load_convex_scene(test::write_temporary("parting_" + name + ".xml", text));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = law;
  scene.solver.tolerance = 1e-10;
  scene.step_size = h;
  return scene;
}

/// Spheres of 1 kg in a row along x that slide along it, `apart` [m] from each other.
std::string row_of_spheres(int count, double apart) {
  std::string bodies;
  for (int i = 0; i < count; ++i)
    bodies += "<body pos='" + std::to_string((0.1 + apart) * i) +
              " 0 0'><joint type='slide' axis='1 0 0'/><geom type='sphere' size='.05' mass='1'/></body>";
  return bodies;
}

/// A trunk in the air with two arms of three spheres each, side by side.
std::string two_arms() {
  std::string bodies = "<body><freejoint/><geom type='sphere' size='.1' mass='5' contype='0' conaffinity='0'/>";
  for (const char* side : {"0.06", "-0.06"}) {
    bodies += "<body pos='0 " + std::string(side) + " 0'><joint type='hinge' axis='0 0 1'/>";
    for (const char* x : {"0.2", "0.3", "0.4"})
      bodies += "<geom type='sphere' size='.04' mass='.2' pos='" + std::string(x) + " 0 0'/>";
    bodies += "</body>";
  }
  return bodies + "</body>";
}

int contacts_after_a_step(double rate) {
  Scene scene = dynamic_scene("arms", two_arms(), ContactLaw::kCoulomb);
  scene.qvel[6] = rate, scene.qvel[7] = -rate;
  reference::HostEnvironment host(scene);
  host.solve();
  EXPECT_EQ(host.report.status, status::kConverged);
  return *host.scratch.contacts.count;
}

TEST(PartingPairs, ArmsThatSwingApartHaveNoContacts) {
  EXPECT_EQ(contacts_after_a_step(10.0), 0);   // 40 mm apart, the arms move apart by up to 80 mm
  EXPECT_GT(contacts_after_a_step(-10.0), 0);  // towards each other
}

// Within the first step the row closes: the first sphere moves by 60 mm, through four gaps of 5 mm.
TEST(PartingPairs, AChainOfImpactsWithinOneStepIsThatOfTheReference) {
  for (const ContactLaw law : {ContactLaw::kCoulomb, ContactLaw::kAnitescu, ContactLaw::kFrictionless}) {
    Scene scene = dynamic_scene("row", row_of_spheres(6, 0.005), law);
    scene.qvel[0] = 6.0;
    Simulator sim(scene, {.device = "cpu"}), truth(scene, {.device = "reference"});
    for (int step = 0; step < 3; ++step) {
      EXPECT_EQ(sim.step()[0], status::kConverged);
      EXPECT_EQ(truth.step()[0], status::kConverged);
      const std::vector<double> q = sim.qpos(), v = sim.qvel(), qt = truth.qpos();
      double momentum = 0.0;
      for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_NEAR(q[i], qt[i], tolerance::kTumbledAlike) << "sphere " << i << ", step " << step;
        const double gap = i > 0 ? q[i] - q[i - 1] + 0.005 : 0.0;
        EXPECT_GE(gap, -tolerance::kTumbledAlike) << "sphere " << i;
        momentum += v[i];
      }
      EXPECT_NEAR(momentum, 6.0, tolerance::kTumbledAlike);
    }
  }
}

// A block follows another that flies away faster, until that one is at the end of its rail.
TEST(PartingPairs, WhatALimitStopsIsMet) {
  const std::string bodies =
      "<body pos='0 0 0'><joint type='slide' axis='1 0 0'/><geom type='box' size='.05 .05 .05' mass='1'/></body>"
      "<body pos='.105 0 0'><joint type='slide' axis='1 0 0' limited='true' range='-.2 .002'/>"
      "<geom type='box' size='.05 .05 .05' mass='1'/></body>";
  Scene scene = dynamic_scene("wall", bodies, ContactLaw::kCoulomb);
  scene.qvel[0] = 3.0, scene.qvel[1] = 4.0;  // they part, until the second one is at its limit after 0.5 ms
  Simulator sim(scene, {.device = "cpu"});
  EXPECT_EQ(sim.step()[0], status::kConverged);
  const std::vector<double> q = sim.qpos();
  EXPECT_NEAR(q[1], 0.002, tolerance::kTumbledAlike);
  EXPECT_NEAR(q[0], 0.007, tolerance::kTumbledAlike);  // stopped by the second one
}

// A block begins 40 mm deep in a fixed one; where it is pushed to, 35 mm away, another block rests.
TEST(PartingPairs, WhatIsPushedOutOfAnOverlapPushesWhatIsInItsWay) {
  const std::string bodies =
      "<geom type='box' size='.5 .5 .5' pos='-.5 0 0'/>"
      "<body pos='.01 0 0'><joint type='slide' axis='1 0 0'/><geom type='box' size='.05 .05 .05' mass='1'/></body>"
      "<body pos='.145 0 0'><joint type='slide' axis='1 0 0'/><geom type='box' size='.05 .05 .05' mass='1'/></body>";
  for (const ContactLaw law : {ContactLaw::kCoulomb, ContactLaw::kAnitescu}) {
    Simulator sim(dynamic_scene("overlap", bodies, law), {.device = "cpu"});
    EXPECT_EQ(sim.step()[0], status::kConverged);
    const std::vector<double> q = sim.qpos();
    EXPECT_NEAR(q[0], 0.04, tolerance::kTumbledAlike);
    EXPECT_NEAR(q[1], 0.005, tolerance::kTumbledAlike);
  }
}

}  // namespace
}  // namespace stiction
