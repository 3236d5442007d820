// Claims about trees of several joints in second-order steps: energy of pendulums, chains and tops beside closed forms,
// the bit of steps that are too long for them, and contact that stops them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/api/simulator.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kGravity = 9.81, kPi = 3.14159265358979323846;
constexpr double kMilliseconds[] = {0.001, 0.005, 0.01};  // [s]

/// Links that turn about parallel axes, the first about the origin; stretched along x.
struct Links {
  int count;
  double length = 0.05, mass = 0.01, weight = 1.0;  // of one [m], [kg], of the sphere at the end [kg]
  std::string joint = "hinge' axis='0 1 0";
  std::string gravity = "0 0 -9.81";

  std::string text() const {
    const std::string l = std::to_string(length), m = std::to_string(mass);
    std::string bodies, ends;
    for (int i = 0; i < count; ++i) {
      bodies += "<body pos='" + (i == 0 ? "0" : l) + " 0 0'><joint type='" + joint +
                "'/><geom type='capsule' size='.005' fromto='0 0 0 " + l + " 0 0' mass='" + m +
                "' contype='0' conaffinity='0'/>";
      ends += "</body>";
    }
    if (weight > 0.0)
      bodies +=
          "<geom size='.02' pos='" + l + " 0 0' mass='" + std::to_string(weight) + "' contype='0' conaffinity='0'/>";
    return "<mujoco><option gravity='" + gravity + "'/><worldbody>" + bodies + ends + "</worldbody></mujoco>";
  }

  /// Energy of the fall from the side to where they hang [J].
  double fall() const {
    double energy = weight * kGravity * count * length;
    for (int i = 0; i < count; ++i) energy += mass * kGravity * (i + 0.5) * length;
    return energy;
  }
};

Scene dynamic_scene(const std::string& name, const std::string& text, double h) {
  Scene scene = test::load_convex_scene(test::write_temporary("linkage_" + name + ".xml", text));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.solver.tolerance = 1e-10;
  scene.step_size = h;
  return scene;
}

double energy_of(Simulator& sim) {
  sim.measure_energy();
  const std::vector<double> energy = sim.read(EnvField::energy);
  return energy[0] + energy[1];
}

/// What a run did to the energy, over a scale.
struct EnergyChange {
  double rise = 0.0, fall = 0.0;  // the most above and below that of the start
  double unflagged = 0.0;         // the most above it before the first step that was flagged
  int flagged = 0;                // steps
};

EnergyChange follow_energy(const Scene& scene, double seconds, double scale,
                           const SimulatorOptions& options = {.device = "cpu"}) {
  Simulator sim(scene, options);
  const double start = energy_of(sim);
  EnergyChange found;
  for (long k = 0; k < std::lround(seconds / scene.step_size); ++k) {
    const std::uint32_t bits = sim.step()[0];
    EXPECT_EQ(bits & status::kFailed, 0u) << "step " << k << ": " << status_names(bits);
    if (bits & status::kBeyondOrder) ++found.flagged;
    const double change = (energy_of(sim) - start) / scale;
    if (!std::isfinite(change)) return {change, change, found.flagged ? 0.0 : change, found.flagged};
    found.rise = std::fmax(found.rise, change), found.fall = std::fmax(found.fall, -change);
    if (!found.flagged) found.unflagged = std::fmax(found.unflagged, change);
  }
  return found;
}

TEST(Linkage, OneAndTwoLinksKeepTheirEnergyToFirstOrder) {
  for (const int count : {1, 2})
    for (const double h : kMilliseconds) {
      SCOPED_TRACE(std::to_string(count) + " links, h " + std::to_string(h));
      const Links links{.count = count, .length = 1.0, .mass = 0.001};
      const EnergyChange energy = follow_energy(dynamic_scene("few", links.text(), h), 5.0, links.fall());
      EXPECT_LE(energy.rise, tolerance::kLinkEnergyRise * h / 0.01);
      EXPECT_LE(energy.fall, tolerance::kLinkEnergyFall * h / 0.01);
    }
}

TEST(Linkage, ChainsDoNotGainEnergyWithoutABit) {
  for (const int count : {10, 50})
    for (const double h : kMilliseconds) {
      if (count == 50 && h < 0.005) continue;  // minutes
      SCOPED_TRACE(std::to_string(count) + " links, h " + std::to_string(h));
      const Links links{.count = count};
      const EnergyChange energy = follow_energy(dynamic_scene("chain", links.text(), h), 2.0, links.fall());
      EXPECT_LE(energy.unflagged, tolerance::kChainEnergyRise);
      EXPECT_LE(energy.rise, tolerance::kChainEnergyFlagged);
      EXPECT_LE(energy.fall, tolerance::kChainEnergyFall);
    }
}

TEST(Linkage, TenLinksAtAMillisecondAreWithinTheOrder) {
  for (const double weight : {0.0, 0.1, 1.0, 10.0})
    for (const double angle : {0.0, 0.05 - kPi / 2.0, kPi / 2.0}) {
      SCOPED_TRACE("weight " + std::to_string(weight) + ", angle " + std::to_string(angle));
      const Links links{.count = 10, .weight = weight};
      Scene scene = dynamic_scene("ten", links.text(), 0.001);
      scene.qpos[0] = angle;
      if (angle > 0.0)
        for (std::size_t i = 0; i < scene.qvel.size(); ++i) scene.qvel[i] = 10.0 * std::sin(1.0 + 2.0 * i);
      const EnergyChange energy = follow_energy(scene, 1.0, links.fall());
      EXPECT_EQ(energy.flagged, 0);
      EXPECT_LE(energy.rise, tolerance::kChainEnergyRise);
    }
}

// its swing of 2.2 rad per step is fast although the bodies turn by 0.05 rad
TEST(Linkage, ALinkOfHalfAMillimetreComesToRestOnAnArm) {
  const std::string model = R"(<mujoco><option gravity="0 0 0"/><worldbody><body>
    <joint type="hinge" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 1 0 0" mass="1" contype="0"
     conaffinity="0"/><body pos="1 0 0"><joint type="hinge" axis="0 1 0"/><geom type="sphere" size=".0002"
     pos=".0005 0 0" mass="1e-6" contype="0" conaffinity="0"/></body></body></worldbody></mujoco>)";
  Scene scene = dynamic_scene("tiny", model, 0.01);
  scene.qvel = {5.0, 0.5};
  Simulator sim(scene, {.device = "cpu"});
  for (int k = 0; k < 3000; ++k) EXPECT_EQ(sim.step()[0], status::kConverged) << k;
  const std::vector<double> v = sim.read(EnvField::qvel);
  EXPECT_NEAR(v[0], 5.0, 1e-6);
  EXPECT_NEAR(v[1], 0.0, 1e-6);
}

TEST(Linkage, WithoutForcesKeepsItsEnergy) {
  for (const char* joint : {"hinge' axis='0 1 0", "ball"})
    for (const double h : {0.001, 0.01, 0.03, 0.1}) {
      SCOPED_TRACE(std::string(joint) + ", h " + std::to_string(h));
      const Links links{.count = 2, .length = 0.3, .mass = 1.0, .weight = 0.0, .joint = joint, .gravity = "0 0 0"};
      Scene scene = dynamic_scene("free", links.text(), h);
      for (std::size_t i = 0; i < scene.qvel.size(); ++i) scene.qvel[i] = i < scene.qvel.size() / 2 ? 10.0 : -10.0;
      Simulator sim(scene, {.device = "cpu"});
      const EnergyChange energy = follow_energy(scene, 2.0, energy_of(sim));
      EXPECT_LE(energy.rise, tolerance::kFreeSpinEnergy);
      EXPECT_LE(energy.fall, tolerance::kFreeLinkageFall);
      EXPECT_EQ(energy.flagged, 0);
    }
}

/// Two links of 1 m with 1 kg at the elbow and at the end, at a right angle, that turn about an axle at 10 rad/s.
std::string bent_arm(const std::string& elbow, const std::string& rest) {
  return "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint axis='0 0 1'/>"
         "<geom size='.02' pos='1 0 0' mass='1' contype='0' conaffinity='0'/>"
         "<body pos='1 0 0' euler='0 0 1.5707963267948966'><joint name='elbow' axis='0 0 1' " +
         elbow + "/><geom size='.02' pos='1 0 0' mass='1' contype='0' conaffinity='0'/></body></body></worldbody>" +
         rest + "</mujoco>";
}

// The elbow wants to open, and something holds it: as one body, the arm turns on at the same rate.
TEST(Linkage, WhatRowsHoldTurnsOnAsOneBody) {
  const std::string held[][2] = {
      {"limited='true' range='0 2'", ""},
      {"", "<equality><joint joint1='elbow' polycoef='0 0 0 0 0'/></equality>"},
      {"frictionloss='400'", ""},
      {"", "<tendon><fixed limited='true' range='0 2'><joint joint='elbow' coef='1'/></fixed></tendon>"},
      {"", "<actuator><position joint='elbow' kp='1e9' kv='1e6' forcerange='-1e4 1e4'/></actuator>"}};
  for (const auto& [elbow, rest] : held)
    for (const double h : kMilliseconds) {
      SCOPED_TRACE(elbow + rest + ", h " + std::to_string(h));
      Scene scene = dynamic_scene("held", bent_arm(elbow, rest), h);
      scene.qvel = {10.0, 0.0};
      Simulator sim(scene, {.device = "cpu"});
      const double start = energy_of(sim);
      for (long k = 0; k < std::lround(1.0 / h); ++k) EXPECT_EQ(sim.step()[0], status::kConverged);
      EXPECT_NEAR(energy_of(sim), start, tolerance::kHeldArm * start);
      EXPECT_NEAR(sim.qvel()[0], 10.0, tolerance::kHeldArm * 10.0);
    }
}

/// Angular momentum of three rods in a plane about their axle: m (z ẋ − x ż) + I ω of each [N m s].
double momentum_about_axle(Simulator& sim, double half, double inertia) {
  const std::vector<double> q = sim.qpos(), v = sim.qvel();
  double angle = 0.0, rate = 0.0, x = 0.0, z = 0.0, vx = 0.0, vz = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    angle += q[i], rate += v[i];
    const double dx = half * std::cos(angle), dz = -half * std::sin(angle);
    x += dx, z += dz, vx += rate * dz, vz -= rate * dx;
    sum += z * vx - x * vz + inertia * rate;
    x += dx, z += dz, vx += rate * dz, vz -= rate * dx;
  }
  return sum;
}

TEST(Linkage, WithoutTorqueKeepsTheMomentumAboutItsAxle) {
  for (const double h : kMilliseconds) {
    const Links links{.count = 3, .length = 0.3, .mass = 1.0, .weight = 0.0, .gravity = "0 0 0"};
    Scene scene = dynamic_scene("momentum", links.text(), h);
    scene.qvel = {3.0, -7.0, 9.0};
    const double* moments = scene.model->body_inertia.data() + 3;  // principal, of the first rod
    const double across = std::max({moments[0], moments[1], moments[2]});
    Simulator sim(scene, {.device = "cpu"});
    const double start = momentum_about_axle(sim, 0.15, across);
    for (int k = 0; k < 200; ++k) {
      sim.step();
      const double now = momentum_about_axle(sim, 0.15, across);
      EXPECT_NEAR(now, start, tolerance::kLinkageMomentum * std::fabs(start)) << "h " << h << ", step " << k;
    }
  }
}

/// A top about a point that does not move, and its steady precession: A Ω² cos θ − C ω₃ Ω + m g l = 0.
struct Top {
  double tilt = 0.5, precession = 2.0;  // θ [rad], Ω [rad/s]
  double mass = 1.0, arm = 0.1, radius = 0.05, half = 0.01;

  double axial() const { return 0.5 * mass * radius * radius; }
  double across() const { return mass * (3.0 * radius * radius + 4.0 * half * half) / 12.0 + mass * arm * arm; }
  double spin() const {  // ω₃
    return (across() * precession * precession * std::cos(tilt) + mass * kGravity * arm) / (axial() * precession);
  }
  std::string text(const std::string& joints) const {
    return "<mujoco><option gravity='0 0 -9.81'/><worldbody><body>" + joints + "<geom type='cylinder' size='" +
           std::to_string(radius) + " " + std::to_string(half) + "' pos='0 0 " + std::to_string(arm) +
           "' mass='1' contype='0' conaffinity='0'/></body></worldbody></mujoco>";
  }
};

/// Tilt and azimuth of the axis from the pose of the body.
std::pair<double, double> axis_of(Simulator& sim) {
  const std::vector<double> pose = sim.read(EnvField::body_pose);
  const Vec3<double> axis = rotate(load_quat(pose.data() + 7 + 3), Vec3<double>{0.0, 0.0, 1.0});
  return {std::acos(axis.z), std::atan2(axis.x, -axis.y)};
}

void expect_steady_precession(const Scene& scene, const Top& top, double rise) {
  const double h = scene.step_size;
  Simulator sim(scene, {.device = "cpu"});
  const double start = energy_of(sim);
  double turned = 0.0, last = 0.0;
  for (long k = 0; k < std::lround(2.0 / h); ++k) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << k << ": " << status_names(sim.status()[0]);
    const auto [tilt, azimuth] = axis_of(sim);
    turned += std::remainder(azimuth - last, 2.0 * kPi), last = azimuth;
    EXPECT_NEAR(tilt, top.tilt, tolerance::kTopTilt * h / 0.01) << "step " << k;
    EXPECT_NEAR(energy_of(sim), start, rise * h / 0.01 * std::fabs(start)) << "step " << k;
  }
  EXPECT_NEAR(turned, 2.0 * top.precession, tolerance::kTopPrecession * h / 0.01);
}

TEST(Linkage, AHeavyTopInAGimbalPrecesses) {
  const Top top;
  for (const double h : kMilliseconds) {
    SCOPED_TRACE("h " + std::to_string(h));
    Scene scene =
        dynamic_scene("gimbal", top.text("<joint axis='0 0 1'/><joint axis='1 0 0'/><joint axis='0 0 1'/>"), h);
    scene.qpos = {0.0, top.tilt, 0.0};
    scene.qvel = {top.precession, 0.0, top.spin() - top.precession * std::cos(top.tilt)};
    expect_steady_precession(scene, top, tolerance::kTopEnergy);
  }
}

TEST(Dynamic, AHeavyTopOnAPivotPrecesses) {
  const Top top;
  for (const double h : kMilliseconds) {
    SCOPED_TRACE("h " + std::to_string(h));
    Scene scene = dynamic_scene("pivot", top.text("<joint type='ball'/>"), h);
    scene.qpos = {std::cos(0.5 * top.tilt), std::sin(0.5 * top.tilt), 0.0, 0.0};
    scene.qvel = {0.0, top.precession * std::sin(top.tilt), top.spin()};
    expect_steady_precession(scene, top, tolerance::kTopEnergy);
  }
}

/// A thin disk on its rim, its centre at rest: Ω² sin α = 4 g/R, ω = Ω sin α along the line from the rim to the centre.
struct EulerDisk {
  double radius = 0.075, half = 0.0005, tilt = 0.3;

  double precession() const { return std::sqrt(4.0 * kGravity / (radius * std::sin(tilt))); }
  Scene scene(double h) const {
    Scene scene = dynamic_scene("disk",
                                "<mujoco><option gravity='0 0 -9.81'/><worldbody>"
                                "<geom type='plane' size='5 5 .1' friction='1 0 0'/><body pos='0 0 1'><freejoint/>"
                                "<geom type='cylinder' size='.075 .0005' mass='.4' friction='1 0 0'/></body>"
                                "</worldbody></mujoco>",
                                h);
    scene.physics.law = ContactLaw::kCoulomb;
    scene.physics.cone = ConeType::kQuadratic;
    scene.solver.tolerance = 1e-6;
    const double height = radius * std::sin(tilt) + half * std::cos(tilt);
    scene.qpos = {0.0, 0.0, height, std::cos(0.5 * tilt), std::sin(0.5 * tilt), 0.0, 0.0};
    scene.qvel = {0.0, 0.0, 0.0, 0.0, precession() * std::sin(tilt), 0.0};
    return scene;
  }
};

/// Share of its energy that the disk loses in 0.1 s; no step adds any. With `steady` it keeps tilt and precession.
double disk_loss(double h, bool steady) {
  const EulerDisk disk;
  Simulator sim(disk.scene(h), {.device = "cpu"});
  const double start = energy_of(sim), seconds = 0.1;
  double turned = 0.0, last = axis_of(sim).second, before = start;
  for (long k = 0; k < std::lround(seconds / h); ++k) {
    EXPECT_EQ(sim.step()[0] & status::kFailed, 0u) << "step " << k;
    const double energy = energy_of(sim);
    EXPECT_LE(energy, before + tolerance::kDiskEnergyRise * start) << "step " << k;
    before = energy;
    const auto [now, azimuth] = axis_of(sim);
    turned += std::remainder(azimuth - last, 2.0 * kPi), last = azimuth;
    if (steady) {
      EXPECT_NEAR(now, disk.tilt, tolerance::kDiskTilt) << "step " << k;
    }
  }
  const double way = disk.precession() * seconds;
  if (steady) {
    EXPECT_NEAR(turned, way, tolerance::kDiskPrecession * way);
  }
  return 1.0 - before / start;
}

// Each step ends with the rim in the floor by its curvature, and what closes there is stopped: a loss of first order.
TEST(Dynamic, AnEulerDiskKeepsItsTiltPrecessionAndEnergyToFirstOrder) {
  const double coarse = disk_loss(5e-4, true), fine = disk_loss(2.5e-4, true);
  EXPECT_LT(coarse, tolerance::kDiskEnergy);
  EXPECT_NEAR(coarse / fine, 2.0, tolerance::kFirstOrder);
}

TEST(Linkage, TheReferenceMovesAlike) {
  const std::string chain = Links{.count = 6, .weight = 0.2}.text();
  for (const std::string& text : {chain, Links{.count = 3, .joint = "ball"}.text(), std::string(test::kEveryJoint)})
    for (const double h : {0.002, 0.02}) {
      Scene scene = dynamic_scene("alike", text, h);
      for (std::size_t i = 0; i < scene.qvel.size(); ++i) scene.qvel[i] = 6.0 * std::sin(1.0 + 2.0 * i);
      Simulator sim(scene, {.device = "cpu"}), truth(scene, {.device = "reference"});
      for (int k = 0; k < 10; ++k) EXPECT_EQ(sim.step()[0], truth.step()[0]) << "step " << k;
      const std::vector<double> q = sim.qpos(), v = sim.qvel(), qt = truth.qpos(), vt = truth.qvel();
      for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], qt[i], tolerance::kTumbledAlike) << "qpos " << i;
      for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], vt[i], tolerance::kTumbledAlike) << "qvel " << i;
    }
}

TEST(Linkage, InFloatAChainDoesAsWell) {
  const Links links{.count = 10};
  const EnergyChange energy = follow_energy(dynamic_scene("single", links.text(), 0.002), 1.0, links.fall(),
                                            {.device = "cpu", .dtype = Dtype::kFloat32});
  EXPECT_LE(energy.rise, tolerance::kChainEnergyRise);
  EXPECT_EQ(energy.flagged, 0);
}

TEST(Linkage, ComesToRestOnTheFloor) {
  std::string bodies =
      "<geom type='plane' size='5 5 .1' friction='.5 0 0'/><body pos='0 0 .3'><freejoint/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 .2 0 0' mass='.5' friction='.5 0 0'/>";
  for (int i = 0; i < 3; ++i)
    bodies +=
        "<body pos='.2 0 0'><joint axis='0 1 0' damping='.01'/><geom type='capsule' size='.02' fromto='0 0 0 .2 0 "
        "0' mass='.5' friction='.5 0 0'/>";
  for (const double h : {0.002, 0.01}) {
    Scene scene = dynamic_scene("floor",
                                "<mujoco><option gravity='0 0 -9.81'/><worldbody>" + bodies +
                                    "</body></body></body></body></worldbody></mujoco>",
                                h);
    scene.qvel = {0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 5.0, -5.0, 5.0};
    scene.solver.tolerance = 1e-8;
    Simulator sim(scene, {.device = "cpu"});
    const double start = energy_of(sim);
    for (long k = 0; k < std::lround(4.0 / h); ++k) {
      sim.step();
      EXPECT_LE(energy_of(sim), start + tolerance::kDroppedChain) << "h " << h << ", step " << k;
    }
    for (const double v : sim.qvel()) EXPECT_NEAR(v, 0.0, tolerance::kChainRest) << "h " << h;
  }
}

}  // namespace
}  // namespace stiction
