// Claims about a geared actuator and a polynomial coupling, one step each against numbers by hand.
#include <gtest/gtest.h>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

Scene scene_of(const std::string& name, const std::string& text) {
  Scene scene = test::load_convex_scene(test::write_temporary(name + ".xml", text));
  scene.solver.tolerance = 1e-11;
  return scene;
}

constexpr double kStep = 0.01;                               // [s]
constexpr double kStiffness = 5000.0, kGear = 3.0;           // [N/m], [-]
constexpr double kMass = 2.0, kDamping = 30.0, kPull = 4.0;  // [kg], [N s/m], gravity along x [m/s^2]

// (eps m + h d) v = h m g,  eps = gear^2 kp h^2 / (s m): the stiffness is that on the joint's side of the gear
TEST(Quasidynamic, WeighsMassByTheStiffnessOnTheJointsSideOfTheGear) {
  Scene scene = scene_of("geared", R"(<mujoco><option gravity="4 0 0"/><worldbody>
    <body><joint name="driven" type="slide" axis="0 1 0"/><geom size=".1" mass="1"/></body>
    <body pos="0 0 1"><joint name="loose" type="slide" axis="1 0 0" damping="30"/><geom size=".1" mass="2"/></body>
    </worldbody><actuator><position joint="driven" kp="5000" gear="3"/></actuator></mujoco>)");
  const double epsilon = kGear * kGear * kStiffness * kStep * kStep / (scene.physics.mass_ratio * kMass);
  const double expected = kStep * kMass * kPull / (epsilon * kMass + kStep * kDamping);
  for (const char* device : {"cpu", "reference"}) {
    Simulator sim(scene, {.device = device});
    ASSERT_EQ(sim.step()[0], status::kConverged) << device;
    EXPECT_NEAR(sim.qvel()[1], expected, tolerance::kServo) << device;
  }
}

// a = p(b) at the start; the row keeps v_a = p'(b) v_b
TEST(PolynomialCoupling, MovesByItsDerivativeUpToTheFourthPower) {
  constexpr double b = 0.8, c[5] = {0.1, 0.2, -0.3, 0.4, 0.5};
  constexpr double slope = c[1] + 2 * c[2] * b + 3 * c[3] * b * b + 4 * c[4] * b * b * b;
  Scene scene = scene_of("quartic", R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body><joint name="a" type="slide" axis="0 1 0" damping="1"/><geom size=".1" mass="1"/></body>
    <body pos="0 0 1"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>
    </worldbody><equality><joint joint1="a" joint2="b" polycoef="0.1 0.2 -0.3 0.4 0.5"/></equality>
    <actuator><position joint="b" kp="500"/></actuator></mujoco>)");
  scene.qpos = {c[0] + b * (c[1] + b * (c[2] + b * (c[3] + b * c[4]))), b};
  scene.command = {{0.0}, {{0.9}}};
  for (const char* device : {"cpu", "reference"}) {
    Simulator sim(scene, {.device = device});
    ASSERT_EQ(sim.step()[0], status::kConverged) << device;
    const std::vector<double> v = sim.qvel();
    EXPECT_GT(v[1], 1.0) << device;
    EXPECT_NEAR(v[0], slope * v[1], tolerance::kServo) << device;
  }
}

}  // namespace
}  // namespace stiction
