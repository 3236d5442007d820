// Claims about second-order steps with fitted springs: exact alone, second order together, stable, held things stay
// held.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/api/simulator.hpp"
#include "kernels/model/spring_weights.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/inline_scene.hpp"

namespace stiction {
namespace {

Scene fitted_scene(const std::string& name, const std::string& world, const std::string& rest = "",
                   const std::string& gravity = "0 0 0") {
  return test::inline_scene({"fitted_" + name, world, rest, gravity}, Dynamics::kDynamicFitted, 1e-12);
}

void expect_converged(Simulator& sim, int step) {
  ASSERT_EQ(sim.step()[0], status::kConverged) << "step " << step << ": " << status_names(sim.status()[0]);
}

/// A mass on a rail.
std::string slider(double mass, double stiffness, double damping) {
  return "<body pos='0 0 1'><joint name='x' type='slide' axis='1 0 0' stiffness='" + std::to_string(stiffness) +
         "' damping='" + std::to_string(damping) + "'/><geom type='sphere' size='.1' mass='" + std::to_string(mass) +
         "'/></body>";
}

std::string servo(double kp, double kv, const std::string& more = "") {
  return "<actuator><position joint='x' kp='" + std::to_string(kp) + "' kv='" + std::to_string(kv) + "'" + more +
         "/></actuator>";
}

/// exp(−a t) + fast exp(−b t), which solves m ẍ + d ẋ + k x = 0 with exponents a <= b.
struct Decay {
  double a, b, fast;
  double at(double t) const { return std::exp(-a * t) + (fast > 0.0 ? fast * std::exp(-b * t) : 0.0); }
};

Decay decay_of(double m, double d, double k) {
  const double mean = d / (2.0 * m), root = std::sqrt(std::max(0.0, mean * mean - k / m));
  return {k / m / (mean + root), mean + root, 0.0};
}

struct Drive {
  double m, d, k;
};
const Drive kDrives[] = {{2.0, 40.0, 200.0}, {1.0, 20.0, 50.0}, {0.5, 300.0, 100.0}, {3.0, 3.0, 0.6}};

// Spring and damper may sit in the joint, in an actuator, or in both.
TEST(DynamicFitted, ADriveAloneIsExactAtTheEndsOfSteps) {
  for (const auto& [m, d, k] : kDrives)
    for (const double in_joint : {0.0, 0.3, 1.0})
      for (const double h : {0.001, 0.02, 0.1, 0.5, 2.0}) {
        const double by_servo = 1.0 - in_joint;
        Scene scene = fitted_scene("alone", slider(m, in_joint * k, in_joint * d),
                                   in_joint < 1.0 ? servo(by_servo * k, by_servo * d) : "");
        Decay x = decay_of(m, d, k);
        if (x.b * h < 5.0) x.fast = 0.4;  // from further back it would be all there is
        scene.step_size = h;
        scene.qpos = {x.at(0.0)};
        scene.qvel = {(x.at(0.0) - x.at(-h)) / h};  // of the step that ends at the start
        Simulator sim(scene, {.device = "cpu"});
        for (int n = 1; n <= 12; ++n) {
          expect_converged(sim, n);
          EXPECT_NEAR(sim.qpos()[0], x.at(n * h), tolerance::kFittedDrive * x.at(-h))
              << "m " << m << " d " << d << " k " << k << " h " << h << " step " << n << " joint " << in_joint;
        }
      }
}

// x = r (t − d/k): the lag behind a ramp is that of the drive at any step size.
TEST(DynamicFitted, ARampIsFollowedWithTheLagOfTheDrive) {
  constexpr double kRate = 0.4;
  for (const auto& [m, d, k] : kDrives)
    for (const double h : {0.02, 0.1, 0.5}) {
      Scene scene = fitted_scene("ramp", slider(m, 0.0, 0.0), servo(k, d));
      scene.step_size = h;
      scene.command = {{0.0, 100.0}, {{0.0}, {100.0 * kRate}}};
      scene.qpos = {-kRate * d / k};
      scene.qvel = {kRate};
      Simulator sim(scene, {.device = "cpu"});
      for (int n = 1; n <= 20; ++n) {
        expect_converged(sim, n);
        EXPECT_NEAR(sim.qpos()[0], kRate * (n * h - d / k), tolerance::kFittedDrive * (1.0 + d / k))
            << "m " << m << " d " << d << " k " << k << " h " << h << " step " << n;
      }
    }
}

// A rate that is asked for is taken on as exp(−d t/m), also if the user asks for it.
TEST(DynamicFitted, ARateServoIsExact) {
  const double m = 2.0, d = 5.0, h = 0.3, rate = 0.7;
  Scene scene = fitted_scene("rate", slider(m, 0.0, 0.0),
                             "<actuator><velocity joint='x' kv='" + std::to_string(d) + "'/></actuator>");
  scene.step_size = h;
  const auto x = [&](double t) { return rate * (t - m / d * (1.0 - std::exp(-d * t / m))); };
  scene.qvel = {-x(-h) / h};
  Simulator sim(scene, {.device = "cpu"});
  const double asked[] = {rate};
  sim.set_ctrl(asked);
  for (int n = 1; n <= 20; ++n) {
    expect_converged(sim, n);
    EXPECT_NEAR(sim.qpos()[0], x(n * h), tolerance::kFittedDrive) << "step " << n;
  }
}

// A force range that is not reached changes nothing; one that is, bounds the force.
TEST(DynamicFitted, AForceRangeBoundsTheDrive) {
  const double m = 2.0, d = 40.0, k = 200.0, h = 0.05;
  const auto track = [&](const std::string& range) {
    Scene scene = fitted_scene("range", slider(m, 0.0, 1.0), servo(k, d, range));
    scene.step_size = h;
    scene.command = {{0.0, 1.0}, {{0.0}, {0.5}}};
    Simulator sim(scene, {.device = "cpu"});
    std::vector<double> x;
    for (int n = 1; n <= 30; ++n) {
      expect_converged(sim, n);
      x.push_back(sim.qpos()[0]);
    }
    return x;
  };
  const std::vector<double> free = track(""), wide = track(" forcerange='-1000 1000'");
  for (std::size_t i = 0; i < free.size(); ++i) EXPECT_NEAR(wide[i], free[i], tolerance::kFittedDrive) << "step " << i;
  const std::vector<double> narrow = track(" forcerange='-2 2'");
  EXPECT_LE((narrow[1] - 2.0 * narrow[0]) / (h * h), 2.0 / m);  // x_0 = 0: acceleration of the second step
  EXPECT_LT(narrow[10], 0.8 * free[10]);
}

/// Largest distance of two driven links from a run with small steps, at common times.
double chain_error(Dynamics dynamics, double h) {
  const auto run = [&](double step) {
    Scene scene = fitted_scene("chain",
                               "<body pos='0 0 1'><joint name='a' axis='0 1 0'/>"
                               "<geom type='capsule' size='.02' fromto='0 0 0 .4 0 0' mass='.6'/>"
                               "<body pos='.4 0 0'><joint name='b' axis='0 1 0' damping='.3' stiffness='1'/>"
                               "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='.3'/></body></body>",
                               "<actuator><position joint='a' kp='8' kv='2.5'/><position joint='b' kp='4' kv='.4'/>"
                               "</actuator>");
    scene.physics.dynamics = dynamics;
    scene.step_size = step;
    scene.command = {{0.0, 0.8}, {{0.0, 0.0}, {0.5, -0.3}}};
    Simulator sim(scene, {.device = "cpu"});
    std::vector<double> angles;
    for (int n = 1; n <= std::lround(1.6 / step); ++n) {
      expect_converged(sim, n);
      const double marks = n * step / 0.16;
      if (std::abs(marks - std::round(marks)) < 1e-6)
        for (const double angle : sim.qpos()) angles.push_back(angle);
    }
    return angles;
  };
  static const std::vector<double> truth = run(2e-4);
  const std::vector<double> found = run(h);
  double error = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) error = std::max(error, std::abs(found[i] - truth[i]));
  return error;
}

TEST(DynamicFitted, AChainIsOfSecondOrder) {
  const double coarse = chain_error(Dynamics::kDynamicFitted, 0.04), fine = chain_error(Dynamics::kDynamicFitted, 0.01);
  EXPECT_GT(coarse / fine, 10.0);
  EXPECT_GT(chain_error(Dynamics::kDynamic, 0.01) / fine, 10.0);
}

/// Links with springs as they come, barely damped, moved a little.
TEST(DynamicFitted, SpringsOfAnyStiffnessAreStableAtAnyStep) {
  std::mt19937 rng(1);
  const auto decade = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution<double>(low, high)(rng));
  };
  for (int chain = 0; chain < 25; ++chain) {
    std::string world, end;
    for (int link = 0; link < 5; ++link) {
      world += "<body pos='" + std::string(link ? ".2" : "0") + " 0 0'><joint axis='0 " + (link % 2 ? "1 0" : "0 1") +
               "' stiffness='" + std::to_string(decade(-1, 5)) + "'/><geom type='capsule' size='.02' mass='" +
               std::to_string(decade(-2, 1)) + "' fromto='0 0 0 .2 0 0'/>";
      end += "</body>";
    }
    Scene scene = fitted_scene("stable", world + end);
    scene.step_size = decade(-3, 0);
    const double start = 1e-5;
    scene.qpos = std::vector<double>(5, start);
    Simulator sim(scene, {.device = "cpu"});
    double energy = 0.0;
    for (int n = 0; n < 400; ++n) {
      expect_converged(sim, n);
      sim.measure_energy();
      const std::vector<double> parts = sim.read(EnvField::energy);
      const double now = parts[0] + parts[1];
      if (n < 20) energy = std::max(energy, now);
      ASSERT_LE(now, 10.0 * energy) << "chain " << chain << " step " << n << " h " << scene.step_size;
    }
  }
}

/// A gripper on an arm that swings by a radian, holding a block: how far the block slips in it [m].
double slip_in_hand(Dynamics dynamics, const std::string& device, std::vector<double>* end = nullptr) {
  Scene scene = fitted_scene(
      "hand",
      "<body><joint name='swing' axis='0 0 1'/><geom type='capsule' size='.02' fromto='0 0 0 .4 0 0' mass='1' "
      "contype='0' conaffinity='0'/>"
      "<body name='left' pos='.5 .06 0'><joint name='left' type='slide' axis='0 -1 0'/><geom type='box' "
      "size='.05 .01 .05' mass='.2' friction='.8'/></body>"
      "<body name='right' pos='.5 -.06 0'><joint name='right' type='slide' axis='0 1 0'/><geom type='box' "
      "size='.05 .01 .05' mass='.2' friction='.8'/></body></body>"
      "<body name='block' pos='.5 0 0'><freejoint/><geom type='box' size='.03 .03 .03' mass='.1' "
      "friction='.8'/></body>",
      "<contact><exclude body1='left' body2='right'/></contact><actuator><position joint='swing' kp='300' kv='60'/>"
      "<position joint='left' kp='500' kv='20'/><position joint='right' kp='500' kv='20'/></actuator>");
  scene.physics.dynamics = dynamics;
  scene.solver.tolerance = 1e-9;
  scene.step_size = 0.05;
  scene.command = {{0.0, 0.5, 2.5, 3.0}, {{0.0, 0.04, 0.04}, {0.0, 0.04, 0.04}, {1.0, 0.04, 0.04}, {1.0, 0.04, 0.04}}};
  Simulator sim(scene, {.device = device});
  const auto in_hand = [&] {
    const std::vector<double> q = sim.qpos();
    const double c = std::cos(q[0]), s = std::sin(q[0]);
    return Vec3<double>{c * q[3] + s * q[4], -s * q[3] + c * q[4], q[5]};
  };
  Vec3<double> grasped{};
  for (int n = 1; n <= 60; ++n) {
    expect_converged(sim, n);
    if (n == 10) grasped = in_hand();
  }
  if (end) *end = sim.qpos();
  return norm(in_hand() - grasped);
}

TEST(DynamicFitted, WhatIsHeldFollowsTheArcOfTheHand) {
  const double slip = slip_in_hand(Dynamics::kDynamicFitted, "cpu");
  EXPECT_LT(slip, 1e-4);
  EXPECT_GT(slip_in_hand(Dynamics::kDynamic, "cpu"), 50.0 * slip);
}

TEST(DynamicFitted, TheReferenceHoldsTheBlockAlike) {
  std::vector<double> cpu, reference;
  slip_in_hand(Dynamics::kDynamicFitted, "cpu", &cpu);
  slip_in_hand(Dynamics::kDynamicFitted, "reference", &reference);
  for (std::size_t i = 0; i < cpu.size(); ++i) EXPECT_NEAR(cpu[i], reference[i], 1e-6) << "qpos " << i;
}

// What rolls, slides or is only touched has no carrier.
TEST(DynamicFitted, WhatIsNotHeldMovesAsWithoutSprings) {
  const char* const kFloor = "<geom type='plane' size='5 5 .1' friction='.6'/>";
  const struct {
    std::string world;
    std::vector<double> qvel;
    ContactLaw law;
    double h;
  } cases[] = {{"<body pos='0 0 .02'><freejoint/><geom type='sphere' size='.02' mass='.1'/></body>",
                {.5, 0, 0, 0, 25, 0},
                ContactLaw::kCoulomb,
                0.02},
               {"<body pos='0 0 .09' euler='0 1.2 0'><freejoint/><geom type='capsule' size='.02 .2' mass='.2'/></body>",
                {0, 0, 0, 0, 0, 0},
                ContactLaw::kFrictionless,
                0.01},
               {"<body pos='0 0 .3' euler='.3 .2 0'><freejoint/><geom type='box' size='.03 .05 .08' mass='.2'/></body>"
                "<body pos='.3 0 .3'><joint axis='0 0 1'/><geom type='box' size='.2 .02 .2' mass='1'/></body>",
                {1, 0, 0, 5, 20, 3, 0},
                ContactLaw::kAnitescu,
                0.02}};
  for (const auto& [world, qvel, law, h] : cases) {
    std::vector<double> end[2];
    for (const bool fitted : {false, true}) {
      Scene scene = fitted_scene("loose", kFloor + world, "", "0 0 -9.81");
      scene.physics.dynamics = fitted ? Dynamics::kDynamicFitted : Dynamics::kDynamic;
      scene.physics.law = law;
      scene.physics.cone = ConeType::kQuadratic;
      scene.step_size = h;
      scene.qvel = qvel;
      scene.solver.tolerance = 1e-9;
      Simulator sim(scene, {.device = "cpu"});
      for (int n = 1; n <= 40; ++n) sim.step();
      end[fitted] = sim.qpos();
    }
    EXPECT_EQ(end[0], end[1]) << world;
  }
}

// What the user asks for between two steps is taken on along a line; the first step has no line.
TEST(DynamicFitted, TheControlOfTheLastStepIsPartOfTheState) {
  Scene scene = fitted_scene("state", slider(2.0, 0.0, 0.0), servo(200.0, 40.0));
  scene.step_size = 0.1;
  Simulator sim(scene, {.device = "cpu"}), other(scene, {.device = "cpu"});
  const auto ask = [](Simulator& s, double value) { s.set_ctrl(std::vector<double>{value}); };
  ask(sim, 0.1);
  sim.step();
  const SimulatorState saved = sim.state();
  ask(sim, 0.3);
  sim.step();
  other.set_state(saved);
  ask(other, 0.3);
  other.step();
  EXPECT_EQ(sim.qpos(), other.qpos());
  EXPECT_EQ(sim.qvel(), other.qvel());
}

TEST(SpringWeights, LieBetweenTheCentralDifferenceAndBackwardEuler) {
  for (const double m : {1e-6, 1.0, 1e6})
    for (const double k : {0.0, 1e-3, 1.0, 1e6})
      for (const double d : {0.0, 1e-3, 1.0, 1e6})
        for (const double h : {1e-6, 1e-2, 10.0}) {
          const SpringWeights w = fitted_weights(h, m, k, d);
          EXPECT_GE(w.shift, 0.0);
          EXPECT_LE(w.shift, 1.0);
          EXPECT_GE(w.next, 0.5);
          EXPECT_LE(w.next, 1.0 + 1e-15);
        }
  const SpringWeights slow = fitted_weights(1e-6, 1.0, 1.0, 2.0), fast = fitted_weights(1e6, 1.0, 1.0, 2.0);
  EXPECT_NEAR(slow.shift, 0.0, 1e-6);
  EXPECT_NEAR(slow.next, 0.5, 1e-6);
  EXPECT_NEAR(fast.shift, 1.0, 1e-5);
  EXPECT_NEAR(fast.next, 1.0, 1e-5);
}

}  // namespace
}  // namespace stiction
