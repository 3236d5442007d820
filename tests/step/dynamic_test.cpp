// Claims about second-order steps with a closed form: flight, rest, spinning, springs, limits, dry friction, couplings.
#include <gtest/gtest.h>

#include <cmath>

#include "host/api/simulator.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/inline_scene.hpp"

namespace stiction {
namespace {

Scene dynamic_scene(const std::string& name, const std::string& world, const std::string& rest = "",
                    const std::string& gravity = "0 0 -9.81") {
  return test::inline_scene({"dynamic_" + name, world, rest, gravity}, Dynamics::kDynamic, 1e-10);
}

void expect_converged(Simulator& sim, int step) {
  ASSERT_EQ(sim.step()[0], status::kConverged) << "step " << step << ": " << status_names(sim.status()[0]);
}

const char* const kFlyingBox = "<body pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .3' mass='2'/></body>";

// v_k = v_0 + k h g,  p_k = p_0 + k h v_0 + h² g k (k + 1)/2
TEST(Dynamic, AFreeFlightIsTheSchemesParabola) {
  Scene scene = dynamic_scene("flight", kFlyingBox);
  scene.qvel = {1.0, -2.0, 3.0, 0.0, 0.0, 0.0};
  scene.solver.tolerance = 1e-14;
  Simulator sim(scene, {.device = "cpu"});
  const double h = scene.step_size;
  constexpr double kLargest = 20.0;  // [m], [m/s]
  for (int k = 1; k <= 200; ++k) {
    expect_converged(sim, k);
    const std::vector<double> q = sim.qpos(), v = sim.qvel();
    EXPECT_NEAR(v[2], 3.0 - 9.81 * h * k, tolerance::kFlight * kLargest);
    EXPECT_NEAR(q[0], 1.0 * h * k, tolerance::kFlight * kLargest);
    EXPECT_NEAR(q[1], -2.0 * h * k, tolerance::kFlight * kLargest);
    EXPECT_NEAR(q[2], 1.0 + 3.0 * h * k - 9.81 * h * h * k * (k + 1) / 2.0, tolerance::kFlight * kLargest);
  }
}

TEST(Dynamic, ABodyAtRestOnTheFloorStays) {
  Scene scene = dynamic_scene("rest",
                              "<geom type='plane' size='2 2 .1' friction='.5 0 0'/>"
                              "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body>");
  Simulator sim(scene, {.device = "cpu"});
  const std::vector<double> start = sim.qpos();
  for (int k = 0; k < 300; ++k) expect_converged(sim, k);
  const std::vector<double> end = sim.qpos(), v = sim.qvel();
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(end[i], start[i], tolerance::kRest) << "qpos " << i;
  for (const double rate : v) EXPECT_NEAR(rate, 0.0, tolerance::kRest);
}

/// World angular momentum of a free box with half lengths a.
Vec3<double> angular_momentum(const Simulator& sim) {
  const std::vector<double> q = sim.qpos(), v = sim.qvel();
  const std::vector<double>& I = sim.scene().model->body_inertia;
  const Quat<double> inertial = load_quat(sim.scene().model->body_iquat.data() + 4);
  const Quat<double> back = {inertial.w, -inertial.x, -inertial.y, -inertial.z};
  const Vec3<double> w = rotate(back, load3(v.data() + 3));
  const Vec3<double> L = {I[3] * w.x, I[4] * w.y, I[5] * w.z};
  return rotate(load_quat(q.data() + 3) * inertial, L);
}

double momentum_error(double h, double duration) {
  Scene scene = dynamic_scene("spin", kFlyingBox, "", "0 0 0");
  scene.qvel = {0.0, 0.0, 0.0, 3.0, 0.5, -1.0};
  scene.step_size = h;
  Simulator sim(scene, {.device = "cpu"});
  const Vec3<double> start = angular_momentum(sim);
  sim.step(static_cast<int>(std::lround(duration / h)));
  return norm(angular_momentum(sim) - start) / norm(start);
}

TEST(Dynamic, ASpinningBodyKeepsItsMomentum) {
  for (const double h : {1e-3, 1e-2, 0.1}) EXPECT_LT(momentum_error(h, 1.0), tolerance::kSpinMomentum) << "h " << h;
}

// one dof, k = 40 N/m, m = 2 kg: E_k = E_0 / (1 + h² k/m)^k, the damping of implicit Euler and no other
TEST(Dynamic, ASpringLosesTheEnergyOfImplicitEulerOnly) {
  Scene scene = dynamic_scene(
      "spring", "<body><joint type='slide' axis='1 0 0' stiffness='40'/><geom size='.1' mass='2'/></body>", "",
      "0 0 0");
  scene.qpos = {0.3};
  scene.qvel = {0.4};
  scene.solver.tolerance = 1e-14;
  Simulator sim(scene, {.device = "cpu"});
  const double h = scene.step_size, loss = 1.0 + h * h * 40.0 / 2.0;
  double energy = 0.5 * 40.0 * 0.09 + 0.5 * 2.0 * 0.16;
  for (int k = 0; k < 300; ++k) {
    expect_converged(sim, k);
    energy /= loss;
    const double q = sim.qpos()[0], v = sim.qvel()[0];
    EXPECT_NEAR(0.5 * 40.0 * q * q + 0.5 * 2.0 * v * v, energy, tolerance::kEnergy);
  }
}

// gravity at the start of the step, velocity at its end: energy stays in a band of width h
TEST(Dynamic, APendulumKeepsItsEnergyToFirstOrder) {
  Scene scene = dynamic_scene(
      "pendulum", "<body><joint type='hinge' axis='0 1 0'/><geom size='.02' mass='1' pos='0 0 -1'/></body>");
  scene.qpos = {1.0};
  scene.step_size = 1e-3;
  Simulator sim(scene, {.device = "cpu"});
  const double inertia = 1.0 + 0.4 * 0.02 * 0.02, start = -9.81 * std::cos(1.0);
  for (int k = 0; k < 4000; ++k) {
    expect_converged(sim, k);
    const double q = sim.qpos()[0], v = sim.qvel()[0];
    EXPECT_NEAR(0.5 * inertia * v * v - 9.81 * std::cos(q), start, tolerance::kPendulumEnergy);
  }
}

// m v⁺ = m v + h kp (u − q) − h² kp v⁺ − h kv v⁺
TEST(Dynamic, APositionActuatorIsAnImplicitSpringAndDamper) {
  Scene scene =
      dynamic_scene("servo", "<body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body>",
                    "<actuator><position joint='x' kp='50' kv='3'/></actuator>", "0 0 0");
  scene.command = {{0.0}, {{0.7}}};
  Simulator sim(scene, {.device = "cpu"});
  const double h = scene.step_size;
  double q = 0.0, v = 0.0;
  for (int k = 0; k < 200; ++k) {
    expect_converged(sim, k);
    v = (2.0 * v + h * 50.0 * (0.7 - q)) / (2.0 + h * h * 50.0 + h * 3.0);
    q += h * v;
    EXPECT_NEAR(sim.qpos()[0], q, tolerance::kServo);
    EXPECT_NEAR(sim.qvel()[0], v, tolerance::kServo);
  }
}

// far from its target the force is the bound: v = h f/m a step
TEST(Dynamic, AForceRangeBoundsTheForceOfAnActuator) {
  Scene scene =
      dynamic_scene("limited", "<body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body>",
                    "<actuator><position joint='x' kp='5000' kv='10' forcerange='-3 3'/></actuator>", "0 0 0");
  scene.command = {{0.0}, {{1.0}}};
  Simulator sim(scene, {.device = "cpu"});
  const double h = scene.step_size;
  for (int k = 1; k <= 20; ++k) {
    expect_converged(sim, k);
    EXPECT_NEAR(sim.qvel()[0], k * h * 3.0 / 2.0, tolerance::kServo);
  }
}

TEST(Dynamic, DryFrictionStopsASlideAndHoldsIt) {
  Scene scene = dynamic_scene(
      "dry", "<body><joint type='slide' axis='1 0 0' frictionloss='4'/><geom size='.1' mass='2'/></body>", "", "1 0 0");
  scene.qvel = {0.1};
  Simulator sim(scene, {.device = "cpu"});
  const double h = scene.step_size;
  double v = 0.1;
  for (int k = 0; k < 30; ++k) {
    expect_converged(sim, k);
    v = std::fmax(v + h * (1.0 - 4.0 / 2.0), 0.0);
    EXPECT_NEAR(sim.qvel()[0], v, tolerance::kServo);
  }
}

TEST(Dynamic, AVelocityThatIsNotANumberIsFlagged) {
  Scene scene = dynamic_scene("nan", kFlyingBox);
  Simulator sim(scene, {.device = "cpu"});
  std::vector<double> v = sim.qvel();
  v[2] = std::nan("");
  sim.set_qvel(v);
  EXPECT_EQ(sim.step()[0], status::kNotFinite);
}

TEST(Dynamic, AFastBodyDoesNotTunnelThroughAThinWall) {
  Scene scene = dynamic_scene("fast",
                              "<geom type='box' size='.01 1 1' pos='1 0 0'/>"
                              "<body><freejoint/><geom size='.02' mass='1'/></body>",
                              "", "0 0 0");
  scene.qvel = {300.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  Simulator sim(scene, {.device = "cpu"});
  expect_converged(sim, 0);
  EXPECT_NEAR(sim.qpos()[0], 1.0 - 0.01 - 0.02, tolerance::kRest);
}

}  // namespace
}  // namespace stiction
