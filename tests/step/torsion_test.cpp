// Claims about torsional friction (condim 4), against closed forms: what spins on a floor slows down by the torque of
// its cone, and a bar held off its centre slips where the cones of the grip end.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/every_choice.hpp"
#include "tests/support/models.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction {
namespace {

constexpr double kMu = 0.5, kMuR = 0.01, kWeight = 9.81, kStep = 0.01;  // μ [-], μ_r [m], 1 kg [N], h [s]

Scene scene_of(const std::string& body, ContactLaw law, double tolerance, ConeType cone = ConeType::kQuadratic) {
  const std::string text =
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<geom name='floor' type='plane' size='2 2 .1' friction='0 0 0'/>" +
      body + "</worldbody></mujoco>";
  Scene scene = make_scene(std::make_shared<Model>(load_model(test::write_temporary("torsion.xml", text))), "torsion");
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = law;
  scene.physics.cone = cone;
  scene.step_size = kStep;
  scene.solver.tolerance = tolerance;
  scene.solver.max_iterations = 500;
  return scene;
}

constexpr double kBallInertia = 0.4 * 0.1 * 0.1;  // a ball of 1 kg, radius 0.1 m [kg m²]
const char* const kBall =
    "<body pos='0 0 .1'><freejoint/><geom type='sphere' size='.1' mass='1' condim='4' friction='.5 .01 0'/></body>";

constexpr double kHalf = 0.05, kBoxInertia = 2.0 / 3.0 * kHalf * kHalf;  // a box of 1 kg
const char* const kBox =
    "<body pos='0 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' mass='1' condim='4' friction='.5 .01 "
    "0'/></body>";

double total_torsion(const Simulator& sim) {
  const ContactArrays contacts = sim.contacts();
  double sum = 0.0;
  for (int i = 0; i < contacts.count[0]; ++i) sum += contacts.torsion[static_cast<std::size_t>(i)];
  return sum;
}

class TorsionWith : public testing::TestWithParam<SolverName> {
 protected:
  /// The cones that the solver can do.
  static std::vector<ConeType> cones() {
    std::vector<ConeType> all;
    for (const auto& cone : test::kEveryCone)
      if (can_solve(GetParam(), cone.value)) all.push_back(cone.value);
    return all;
  }
  bool iterative() const { return test::is_iterative(GetParam()); }
  double asked() const { return iterative() ? tolerance::kIterative : 1e-10; }
  double spin() const { return iterative() ? tolerance::kSpinIterative : tolerance::kSpin; }
  double torque() const { return iterative() ? tolerance::kSpinTorqueIterative : tolerance::kSpinTorque; }

  /// Steps of a ball that spins at 5 rad/s; expects each to slow it down by μ_r times its weight.
  void expect_a_ball_to_stop(ConeType cone) const {
    Scene scene = scene_of(kBall, ContactLaw::kCoulomb, asked(), cone);
    scene.qvel = {0, 0, 0, 0, 0, 5};
    Simulator sim = simulate(scene);
    double before = 5.0;
    for (int k = 0; k < 40; ++k) {
      ASSERT_EQ(sim.step()[0], status::kConverged) << "step " << k << ": " << status_names(sim.status()[0]);
      const double slowed = before - kMuR * kWeight * kStep / kBallInertia, after = std::max(slowed, 0.0);
      EXPECT_NEAR(sim.qvel()[5], after, spin()) << "step " << k;
      EXPECT_NEAR(total_torsion(sim), kBallInertia * (after - before) / kStep, torque()) << "step " << k;
      before = after;
    }
    EXPECT_EQ(before, 0.0);
  }

  Simulator simulate(Scene scene) const {
    scene.solver.name = GetParam();
    SimulatorOptions options;
    options.device = "cpu";
    return Simulator(scene, options);
  }
};

TEST_P(TorsionWith, SlowsASpinningBallByMuTimesItsWeightUntilItStops) {
  for (const ConeType cone : cones()) expect_a_ball_to_stop(cone);
}

TEST_P(TorsionWith, TurnsABoxBySlideAndTorsionOfItsCorners) {
  if (!can_solve(GetParam(), ConeType::kQuadratic)) GTEST_SKIP() << "cannot do quadratic cones";
  // a corner at the distance d slides at ω d: friction makes N (μ² d², μ_r²) ω / s, s = ω √(μ² d² + μ_r²), about the
  // axis
  const double lever = std::hypot(kMu * std::sqrt(2.0) * kHalf, kMuR), fall = lever * kWeight * kStep / kBoxInertia;
  Scene scene = scene_of(kBox, ContactLaw::kCoulomb, asked());
  scene.qvel = {0, 0, 0, 0, 0, 12};
  Simulator sim = simulate(scene);
  for (int k = 1; k <= 5; ++k) {
    ASSERT_EQ(sim.step()[0], status::kConverged) << "step " << k << ": " << status_names(sim.status()[0]);
    EXPECT_NEAR(sim.qvel()[5], 12 - k * fall, spin()) << "step " << k;
    EXPECT_NEAR(total_torsion(sim), -kMuR * kMuR / lever * kWeight, torque()) << "step " << k;
  }
}

TEST_P(TorsionWith, LeavesASpinAloneWithoutFriction) {
  for (const ConeType cone : cones()) {
    Scene scene = scene_of(kBall, ContactLaw::kFrictionless, asked(), cone);
    scene.qvel = {0, 0, 0, 0, 0, 5};
    Simulator sim = simulate(scene);
    ASSERT_EQ(sim.step(3)[0], status::kConverged) << status_names(sim.status()[0]);
    EXPECT_NEAR(sim.qvel()[5], 5.0, spin());
    EXPECT_EQ(total_torsion(sim), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(EverySolver, TorsionWith, testing::ValuesIn(test::kEverySolver), test::solver_name);

// a bar of 0.2 kg between two fingertips, 50 mm from its centre
constexpr double kBarWeight = 0.2 * 9.81, kOffset = 0.05, kGripMu = 0.8, kGripMuR = 0.02, kFingerStiffness = 1000.0;
const char* const kGrip = R"(
<mujoco><worldbody>
  <body name="bar"><freejoint/><geom type="box" size=".2 .02 .02" mass=".2" friction=".8 .02 0" condim="4"/></body>
  <body pos=".05 -.04 0"><joint name="left" type="slide" axis="0 1 0"/><geom size=".02" mass=".1" friction="0 0 0"/></body>
  <body pos=".05 .04 0"><joint name="right" type="slide" axis="0 -1 0"/><geom size=".02" mass=".1" friction="0 0 0"/></body>
</worldbody>
<actuator><position joint="left" kp="1000"/><position joint="right" kp="1000"/></actuator></mujoco>)";

/// The force of a grip that holds the bar. Each tip carries half of the weight, f = G/2μ of the force, and half of its
/// moment, m = G d/2μ_r of it: f² + m² <= F² of the ellipsoid, f + m <= F of a pyramid with an edge downwards.
double needed_force(ConeType cone) {
  const double f = 0.5 * kBarWeight / kGripMu, m = 0.5 * kBarWeight * kOffset / kGripMuR;
  return cone == ConeType::kQuadratic ? std::hypot(f, m) : f + m;
}

/// Speed of the bar's far end after 30 steps of a grip with the force `share` times what it needs.
double speed_in_grip(double share, ContactLaw law, ConeType cone, SolverName solver = SolverName::kInteriorPoint) {
  Scene scene = load_scene(test::write_temporary("grip.xml", kGrip));
  scene.physics.law = law;
  scene.physics.cone = cone;
  scene.solver.name = solver;
  scene.solver.tolerance = 1e-10;
  scene.command.time = {0.0};
  scene.command.ctrl = {std::vector<double>(2, share * needed_force(cone) / kFingerStiffness)};
  SimulatorOptions options;
  options.device = "cpu";
  Simulator sim(scene, options);
  for (int k = 0; k < 30; ++k) EXPECT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
  const std::vector<double> v = sim.qvel();
  return std::abs(v[2]) + 0.2 * std::abs(v[4]);
}

TEST(TorsionInAGrip, HoldsABarOffItsCentreUpToTheEllipsoidAndSlipsBeyond) {
  for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
    EXPECT_LE(speed_in_grip(1.0 + tolerance::kGripLimit, law, ConeType::kQuadratic), tolerance::kRest);
    EXPECT_GE(speed_in_grip(1.0 - tolerance::kGripLimit, law, ConeType::kQuadratic), 100.0 * tolerance::kRest);
  }
}

TEST(TorsionInAGrip, HoldsItUpToTheSumOfBothSharesWithFacets) {
  for (const SolverName solver : {SolverName::kInteriorPoint, SolverName::kNewton, SolverName::kLemke})
    for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
      EXPECT_LE(speed_in_grip(1.0 + tolerance::kGripLimit, law, ConeType::kPyramid, solver), tolerance::kRest);
      EXPECT_GE(speed_in_grip(1.0 - tolerance::kGripLimit, law, ConeType::kPyramid, solver), 100.0 * tolerance::kRest);
    }
}

TEST(TorsionInFloat, SlowsTheBallAsInDouble) {
  Scene scene = scene_of(kBall, ContactLaw::kCoulomb, 1e-10);
  scene.qvel = {0, 0, 0, 0, 0, 5};
  SimulatorOptions options;
  options.device = "cpu";
  options.dtype = Dtype::kFloat32;
  Simulator sim(scene, options);
  ASSERT_EQ(sim.step(10)[0], status::kConverged) << status_names(sim.status()[0]);
  EXPECT_NEAR(sim.qvel()[5], 5 - 10 * kMuR * kWeight * kStep / kBallInertia, tolerance::kSpinIterative);
}

}  // namespace
}  // namespace stiction
