// Claims about the energy of an environment: by hand, and the reference's with every kind of joint and spring.
#include <gtest/gtest.h>

#include <cmath>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

/// (potential, kinetic) of every environment.
std::vector<double> energy_of(Simulator& sim) {
  sim.measure_energy();
  return sim.read(EnvField::energy);
}

TEST(Energy, OfAFallingBodyIsDoneByHand) {
  Scene scene = load_scene(test::write_temporary("fall.xml", R"(
<mujoco><option gravity="0 0 -10"/><worldbody><body pos="0 0 3"><freejoint/>
  <geom type="box" size=".1 .2 .3" mass="2"/></body></worldbody></mujoco>)"));
  scene.physics.dynamics = Dynamics::kDynamic;
  Simulator sim(scene, {.batch = 2, .device = "cpu"});
  sim.set_qvel(std::vector<double>{0, 0, 0, 0, 0, 0, 1, 2, 2, 0, 0, 3});
  const std::vector<double> energy = energy_of(sim);
  const double inertia = 2.0 * (0.04 + 0.16) / 12;  // about z, of sides 0.2 and 0.4
  EXPECT_NEAR(energy[0], 60.0, tolerance::kEnergy);
  EXPECT_NEAR(energy[1], 0.0, tolerance::kEnergy);
  EXPECT_NEAR(energy[2], 60.0, tolerance::kEnergy);
  EXPECT_NEAR(energy[3], 9.0 + 0.5 * inertia * 9.0, tolerance::kEnergy);
}

TEST(Energy, IsThatOfTheReferenceWithEveryJointAndSpring) {
  std::string text = test::kEveryJoint;
  for (const char* joint : {"<joint type=\"hinge\"", "<joint type=\"slide\"", "<joint type=\"ball\""})
    for (std::size_t at = text.find(joint); at != std::string::npos; at = text.find(joint, at + 1))
      text.insert(at + std::string(joint).size(), " stiffness=\"30\" springref=\"0.2\"");
  Scene scene = load_scene(test::write_temporary("springs.xml", text));
  Simulator sim(scene, {.device = "cpu"}), single(scene, {.device = "cpu", .dtype = Dtype::kFloat32});
  Simulator truth(scene, {.device = "reference"});
  std::vector<double> qpos = scene.qpos, qvel(static_cast<std::size_t>(scene.model->nv));
  for (std::size_t i = 0; i < qpos.size(); ++i) qpos[i] += 0.1 * std::sin(1.0 + static_cast<double>(i));
  for (std::size_t i = 0; i < qvel.size(); ++i) qvel[i] = std::cos(2.0 * static_cast<double>(i));
  for (Simulator* s : {&sim, &single, &truth}) s->set_qpos(qpos), s->set_qvel(qvel);
  const std::vector<double> energy = energy_of(sim), expected = energy_of(truth), rounded = energy_of(single);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(std::fabs(expected[i]), 1.0);
    EXPECT_NEAR(energy[i], expected[i], tolerance::kSpringEnergy * std::fabs(expected[i]));
    EXPECT_NEAR(rounded[i], expected[i], tolerance::kSpringEnergySingle * std::fabs(expected[i]));
  }
}

TEST(Energy, OfATendonsSpringIsDoneByHand) {
  const Scene scene = load_scene(test::write_temporary("tendon.xml", R"(
<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="x" type="slide" axis="1 0 0"/>
  <geom type="sphere" size=".1" mass="1"/></body></worldbody>
<tendon><fixed stiffness="50" springlength="0.1 0.3"><joint joint="x" coef="2"/></fixed></tendon></mujoco>)"));
  Simulator sim(scene, {.batch = 3, .device = "cpu"});
  sim.set_qpos(std::vector{0.0, 0.1, 0.35});  // lengths 0, 0.2, 0.7: short by 0.1, at rest, long by 0.4
  const std::vector<double> energy = energy_of(sim);
  EXPECT_NEAR(energy[0], 0.25, tolerance::kEnergy);
  EXPECT_NEAR(energy[2], 0.0, tolerance::kEnergy);
  EXPECT_NEAR(energy[4], 4.0, tolerance::kEnergy);
}

}  // namespace
}  // namespace stiction
