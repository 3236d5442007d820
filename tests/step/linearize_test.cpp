// Claims about the derivatives of a smoothed step: by hand with one dof; central differences of the smoothed steps
// themselves, for every dynamics and cone; those of the steps with hard contact as the smoothing vanishes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/backend/capacity.hpp"
#include "host/backend/host_backend.hpp"
#include "host/backend/initial_state.hpp"
#include "host/model/choices.hpp"
#include "tests/step/derivatives.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/every_dynamics.hpp"

namespace stiction {
namespace {

/// A finger on a spring in front of a wall: h² kp v = h kp (u − q) − w/(φ/h − v).
TEST(Linearize, OneDofIsDoneByHand) {
  const double kp = 200, h = 0.1, q = 0.02, u = 0.3, w = 0.05, phi = 0.1 - q;
  Scene scene = test::load_convex_scene(test::write_temporary("finger.xml", R"(
<mujoco><worldbody>
  <body name="wall" pos=".2 0 0"><geom type="box" size=".05 1 1"/></body>
  <body><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size=".05" mass="1"/></body>
</worldbody><actuator><position joint="x" kp="200"/></actuator></mujoco>)"));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  scene.physics.law = ContactLaw::kFrictionless;
  scene.physics.facets = 3;
  scene.step_size = h;
  Simulator sim(scene, {.device = "cpu"});
  sim.set_qpos(std::vector{q});
  sim.set_ctrl(std::vector{u});
  const Derivatives d = derivatives_of(sim, w);
  ASSERT_EQ(d.status, status::kConverged);
  const double push = w / (phi / h - d.v[0]), slope = push / (phi / h - d.v[0]);
  EXPECT_NEAR(h * h * kp * d.v[0] + push, h * kp * (u - q), tolerance::kSmoothedForce);
  const double matrix = h * h * kp + slope;
  EXPECT_NEAR(d.B(0, 0), h * h * kp / matrix, tolerance::kHandDerivative);
  EXPECT_NEAR(d.A(0, 0), 1 - h * (h * kp + slope / h) / matrix, tolerance::kHandDerivative);
}

class LinearizeOf : public testing::TestWithParam<std::tuple<Dynamics, ConeType>> {};

Scene boxes(Dynamics dynamics, ConeType cone) {
  Scene scene = test::pushed_boxes();
  scene.physics.dynamics = dynamics;
  scene.physics.cone = cone;
  scene.randomize.qpos_noise.clear();
  return scene;
}

/// The pushed boxes, with a box for the ball: without momentum a barrier would roll that away.
Scene boxes_for(Dynamics dynamics, ConeType cone) {
  Scene scene = boxes(dynamics, cone);
  scene.model = test::load_convex_scene(test::write_temporary("only_boxes.xml", test::only_boxes())).model;
  return scene;
}

/// Tilted a little, so that no edge lies along another and no two gaps are equal.
Vector uneven(const Scene& scene) {
  const Model& m = *scene.model;
  Vector by(m.nv);
  for (int k = 0; k < m.nv; ++k) by[k] = 0.02 * std::sin(1.0 + 2.0 * k);
  Vector qpos = reference::integrate(m, as_vector(scene.qpos), by, 1.0);
  for (int j = 0; j < m.njoint; ++j)
    if (static_cast<JointType>(m.joint_type[j]) == JointType::kFree) qpos[m.joint_qpos_adr[j] + 2] += 0.01;
  return qpos;
}

TEST_P(LinearizeOf, IsTheDifferenceOfSmoothedSteps) {
  const auto [dynamics, cone] = GetParam();
  const Scene scene = boxes_for(dynamics, cone);
  Simulator sim(scene, {.device = "cpu"});
  const Vector q = uneven(scene), u = Vector::Constant(1, 0.07);
  const auto place = [&](const Vector& qpos, const Vector& ctrl) {
    sim.set_qpos(as_values(qpos));
    sim.set_ctrl(as_values(ctrl));
  };
  for (const double smoothing : {1e-2, 1e-4}) {
    const auto next = [&](const Vector& qpos, const Vector& ctrl) {
      place(qpos, ctrl);
      return reference::integrate(*scene.model, qpos, derivatives_of(sim, smoothing).v, scene.step_size,
                                  free_motion(scene));
    };
    const Derivatives truth = central_differences(scene, q, u, next);
    place(q, u);
    const Derivatives d = derivatives_of(sim, smoothing);
    ASSERT_EQ(d.status, status::kConverged) << status_names(d.status);
    EXPECT_LE(relative_difference(d.A, truth.A), tolerance::kDerivative) << smoothing;
    EXPECT_LE(relative_difference(d.B, truth.B), tolerance::kDerivative) << smoothing;
    EXPECT_GT(relative_difference(d.A, Matrix::Identity(d.A.rows(), d.A.cols())), 0.1);
  }
}

/// A slider that a finger pushes along the floor and another that rests there: nothing is free to roll or to tilt, so
/// that steps with hard contact have derivatives.
Scene sliders(Dynamics dynamics, ConeType cone) {
  Scene scene = test::load_convex_scene(test::write_temporary("sliders.xml", R"(
<mujoco><worldbody>
  <geom type="plane" size="2 2 .1" friction=".5 0 0"/>
  <body pos=".12 0 .05"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
    <geom type="sphere" size=".05" mass=".2" friction=".5 0 0"/></body>
  <body pos=".6 0 .05"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
    <geom type="sphere" size=".05" mass=".3" friction=".5 0 0"/></body>
  <body pos="0 0 .06" gravcomp="1"><joint name="push" type="slide" axis="1 0 0"/>
    <geom type="sphere" size=".03" mass=".5" friction=".2 0 0"/></body>
</worldbody><actuator><position joint="push" kp="500"/></actuator></mujoco>)"));
  scene.physics.dynamics = dynamics;
  scene.physics.cone = cone;
  scene.step_size = 0.05;
  scene.solver.tolerance = 1e-10;
  return scene;
}

TEST_P(LinearizeOf, TendsToTheDerivativesOfHardSteps) {
  const auto [dynamics, cone] = GetParam();
  const Scene scene = sliders(dynamics, cone);
  Simulator sim(scene, {.device = "cpu"});
  Vector u = Vector::Zero(1);
  for (int step = 0; step < 10; ++step) {
    u[0] += 0.01;
    sim.set_ctrl(as_values(u));
    sim.step();
  }
  u[0] += 0.01;
  const Vector q = as_vector(sim.qpos());
  const SimulatorState start = sim.state();
  const auto next = [&](const Vector& qpos, const Vector& ctrl) {
    sim.set_state(start);
    sim.set_qpos(as_values(qpos));
    sim.set_ctrl(as_values(ctrl));
    EXPECT_EQ(sim.step()[0], status::kConverged);
    return as_vector(sim.qpos());
  };
  const Derivatives truth = central_differences(scene, q, u, next);
  sim.set_state(start);
  sim.set_ctrl(as_values(u));
  const Derivatives d = derivatives_of(sim, 1e-10);
  ASSERT_EQ(d.status, status::kConverged) << status_names(d.status);
  EXPECT_LE(relative_difference(d.A, truth.A), tolerance::kHardDerivative);
  EXPECT_LE(relative_difference(d.B, truth.B), tolerance::kHardDerivative);
}

INSTANTIATE_TEST_SUITE_P(Step, LinearizeOf,
                         testing::Combine(testing::ValuesIn(test::kEveryDynamics),
                                          testing::Values(ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox)),
                         [](const auto& info) {
                           return test::dynamics_name({std::get<0>(info.param), 0}) + "_" +
                                  choice_name(cone_choice(), std::get<1>(info.param));
                         });

Scene scene_of(const char* text, Dynamics dynamics, double h) {
  Scene scene = test::load_convex_scene(test::write_temporary("linearized.xml", text));
  scene.physics.dynamics = dynamics;
  scene.step_size = h;
  return scene;
}

/// The derivatives at the scene's start with the command u, and the differences of its smoothed steps.
std::pair<Derivatives, Derivatives> both_ways(const Scene& scene, const Vector& u, double smoothing) {
  Simulator sim(scene, {.device = "cpu"});
  const Vector q = as_vector(scene.qpos);
  const auto at = [&](const Vector& qpos, const Vector& ctrl) {
    sim.set_qpos(as_values(qpos));
    sim.set_ctrl(as_values(ctrl));
    return derivatives_of(sim, smoothing);
  };
  const auto next = [&](const Vector& qpos, const Vector& ctrl) {
    return reference::integrate(*scene.model, qpos, at(qpos, ctrl).v, scene.step_size, free_motion(scene));
  };
  const Derivatives truth = central_differences(scene, q, u, next);
  return {at(q, u), truth};
}

TEST(Linearize, FollowsAFaceWhoseCornersChange) {
  const Scene scene = scene_of(R"(
<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 -.1" friction=".5 0 0"/>
  <body pos="0 0 .1001"><freejoint/><geom type="cylinder" size=".05 .1" mass="1" friction=".5 0 0"/></body>
</worldbody></mujoco>)",
                               Dynamics::kQuasidynamic, 0.05);
  const auto [found, truth] = both_ways(scene, Vector(0), 1e-5);
  ASSERT_EQ(found.status, status::kConverged);
  for (const int turn : {3, 4}) {  // it stands firmly: a tilt is righted, though each tilt stands on other corners
    EXPECT_LE(std::fabs(truth.A(turn, turn)), tolerance::kRighted);
    EXPECT_LE(std::fabs(found.A(turn, turn)), tolerance::kRighted);
  }
}

TEST(Linearize, OfASinglePrecisionStateFollowsNarrowBoxesAndFarCommands) {
  const char* narrow = R"(
<mujoco><worldbody><geom type="plane" size="1 1 .1" friction=".5 0 0"/>
  <body pos="0 0 .0066" quat=".996 .087 0 0"><freejoint/><geom type="box" size=".03 .002 .006" mass="1" friction=".5 0 0"/>
  </body></worldbody></mujoco>)";
  const Scene scene = scene_of(narrow, Dynamics::kQuasidynamic, 0.05);
  Simulator sim(scene, {.device = "cpu"}), single(scene, {.device = "cpu", .dtype = Dtype::kFloat32});
  EXPECT_LE(relative_difference(derivatives_of(single, 1e-4).A, derivatives_of(sim, 1e-4).A),
            tolerance::kDerivativeSingle);

  const Scene motor = scene_of(R"(
<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0" damping="4"/><geom size=".1" mass="1"/></body>
</worldbody><actuator><motor joint="x"/></actuator></mujoco>)",
                               Dynamics::kQuasistatic, 0.05);
  for (const double u : {1.0, 100.3, 10000.1}) {
    Simulator pushed(motor, {.device = "cpu", .dtype = Dtype::kFloat32});
    pushed.set_ctrl(std::vector{u});
    EXPECT_NEAR(derivatives_of(pushed, 1e-3).B(0, 0), 0.05 / 4, tolerance::kFarCommandSingle) << u;
  }
}

TEST(Linearize, OfAnUnturnedBallJointKnowsNoAxis) {
  const Scene scene = scene_of(R"(
<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="ball" range="0 1.5" limited="true"/>
  <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass=".1"/></body></worldbody>
<compiler angle="radian"/></mujoco>)",
                               Dynamics::kDynamic, 0.02);
  Simulator sim(scene, {.device = "cpu"});
  const Derivatives d = derivatives_of(sim, 1e-5);
  ASSERT_EQ(d.status, status::kConverged);
  EXPECT_LE(d.v.cwiseAbs().maxCoeff(), tolerance::kHandDerivative);
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(d.A(i, i), 0.0);
    EXPECT_LE(d.A(i, i), 1.0 + tolerance::kHandDerivative);
  }
}

TEST(Linearize, OfAPrescribedJointAtItsLimitIsThatWithoutALimit) {
  const auto at_limit = [](const std::string& range) {
    const std::string text = R"(
<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 .1"><joint name="x" type="slide" axis="1 0 0" limited="true" range="-1 )" +
                             range + R"("/><geom size=".05" mass="1"/></body>
  <body pos=".3 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>
</worldbody><actuator><position joint="x" kp="100"/></actuator></mujoco>)";
    Simulator sim(scene_of(text.c_str(), Dynamics::kKinematic, 0.1), {.device = "cpu"});
    sim.set_ctrl(std::vector{0.2});
    return derivatives_of(sim, 1e-4);
  };
  const Derivatives limited = at_limit("0.2"), open = at_limit("5");
  ASSERT_EQ(limited.status, status::kConverged);
  EXPECT_LE(relative_difference(limited.A, open.A), tolerance::kDerivative);
  EXPECT_LE(relative_difference(limited.B, open.B), tolerance::kDerivative);
}

TEST(Linearize, OfCoupledJointsSharesTheMotion) {
  const Scene scene = scene_of(R"(
<mujoco><option gravity="0 0 0"/><worldbody>
  <body><joint name="a" type="slide" axis="1 0 0"/><geom size=".1" mass="100"/></body>
  <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="100"/></body></worldbody>
<equality><joint joint1="a" joint2="b" polycoef="0 1 0 0 0"/></equality></mujoco>)",
                               Dynamics::kDynamic, 0.01);
  Simulator sim(scene, {.device = "cpu"});
  const Matrix A = derivatives_of(sim, 1e-3).A;
  EXPECT_LE((A - Matrix::Constant(2, 2, 0.5)).cwiseAbs().maxCoeff(), tolerance::kDerivative);
}

TEST(Linearize, HasNoneWhereTheBarrierDrivesABodyAway) {
  const Scene scene = scene_of(R"(
<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
  <body pos=".1005 0 .05"><freejoint/><geom type="sphere" size=".05" mass=".2" friction=".5 0 0"/></body>
  <body pos="0 0 .05"><joint name="x" type="slide" axis="1 0 0"/>
    <geom type="sphere" size=".05" mass="1" friction=".5 0 0"/></body>
</worldbody><actuator><position joint="x" kp="500"/></actuator></mujoco>)",
                               Dynamics::kQuasistatic, 0.05);
  Simulator sim(scene, {.device = "cpu"});
  const Derivatives d = derivatives_of(sim, 1e-3);
  EXPECT_EQ(d.status, status::kIterationLimit) << status_names(d.status);
  EXPECT_TRUE(d.A.array().isNaN().all());
}

template <class Real, PhaseOrder kOrder>
std::vector<double> linearized_in_order(const Scene& scene) {
  HostBackend<Real, HostTeam<kOrder>> backend(scene, choose_capacity(scene), 2, 1);
  const int ids[] = {0, 1};
  write_initial_state(scene, 0, ids, backend);
  backend.step(3);
  const Linearization l = backend.linearize(1e-3);
  std::vector<double> values;
  for (const FieldMemory* memory : {&l.v, &l.A, &l.B}) {
    const double* data = static_cast<const double*>(memory->data);
    values.insert(values.end(), data, data + 2 * memory->length);
  }
  return values;
}

template <class Real>
void expect_same_bits_in_every_order() {
  const Scene scene = boxes(Dynamics::kQuasidynamic, ConeType::kQuadratic);
  const std::vector<double> forward = linearized_in_order<Real, PhaseOrder::kForward>(scene);
  EXPECT_TRUE(std::isfinite(as_vector(forward).sum()));
  EXPECT_TRUE(test::same_bits(forward, (linearized_in_order<Real, PhaseOrder::kBackward>(scene))));
  EXPECT_TRUE(test::same_bits(forward, (linearized_in_order<Real, PhaseOrder::kStrided>(scene))));
}

TEST(Linearize, DoesNotDependOnTheOrderOfAPhase) {
  expect_same_bits_in_every_order<double>();
  expect_same_bits_in_every_order<float>();
}

TEST(Linearize, OfASinglePrecisionStateIsNear) {
  const Scene scene = boxes(Dynamics::kQuasidynamic, ConeType::kPyramid);
  Simulator sim(scene, {.device = "cpu"}), single(scene, {.device = "cpu", .dtype = Dtype::kFloat32});
  for (Simulator* s : {&sim, &single}) s->set_qpos(as_values(uneven(scene)));
  EXPECT_LE(relative_difference(derivatives_of(single, 1e-3).A, derivatives_of(sim, 1e-3).A),
            tolerance::kDerivativeSingle);
}

TEST(Linearize, LeavesEverythingWhereItIs) {
  const Scene scene = boxes(Dynamics::kDynamic, ConeType::kPyramid);
  Simulator sim(scene, {.device = "cpu", .threads = 1}), same(scene, {.device = "cpu", .threads = 1});
  for (Simulator* s : {&sim, &same}) s->step(5);
  sim.linearize(1e-3);
  for (Simulator* s : {&sim, &same}) s->step(5);
  EXPECT_TRUE(test::same_bits(sim.qpos(), same.qpos()));
  EXPECT_TRUE(test::same_bits(sim.qvel(), same.qvel()));
}

TEST(Linearize, SaysWhichEnvironmentsHaveNone) {
  const Scene scene = boxes(Dynamics::kQuasidynamic, ConeType::kPyramid);
  Simulator sim(scene, {.batch = 3, .device = "cpu"}), sound(scene, {.batch = 1, .device = "cpu"});
  std::vector<double> qpos = scene.qpos;
  qpos[0] = std::numeric_limits<double>::quiet_NaN();
  const int ids[] = {1};
  sim.write(EnvField::qpos, ids, qpos);
  const Derivatives bad = derivatives_of(sim, 1e-3, 1);
  EXPECT_EQ(bad.status, status::kNotFinite);
  EXPECT_TRUE(bad.A.array().isNaN().all() && bad.B.array().isNaN().all());
  const Derivatives alone = derivatives_of(sound, 1e-3);
  for (const int env : {0, 2}) EXPECT_EQ(derivatives_of(sim, 1e-3, env).A, alone.A) << env;
}

TEST(Linearize, RefusesWhatItCanNotDo) {
  Scene scene = boxes(Dynamics::kQuasidynamic, ConeType::kPyramid);
  Simulator convex(scene, {.device = "cpu"});
  EXPECT_THROW(convex.linearize(0.0), InputError);
  EXPECT_THROW(convex.linearize(std::numeric_limits<double>::quiet_NaN()), InputError);
  EXPECT_THROW(Simulator(scene, {.device = "reference"}).linearize(1e-3), InputError);
}

}  // namespace
}  // namespace stiction
