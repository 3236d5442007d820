// Claims: stage by stage, the kernels' contact problem is the reference's, and both solve it to the same motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/reference/tolerances.hpp"
#include "tests/support/every_dynamics.hpp"
#include "tests/support/host_environment.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double relative(const MatrixXd& a, const MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return 1.0;
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(b.cwiseAbs().maxCoeff(), 1e-300);
}

/// A row as one vector, to be looked for among the other side's rows.
VectorXd row_vector(const DenseProblem& p, int r) {
  const auto finite = [](double x) { return std::isfinite(x) ? x : (x > 0.0 ? 1e3 : -1e3); };
  VectorXd all(p.nv() + 5);
  all << p.row_J.row(r).transpose(), p.row_offset[r], finite(p.row_lower[r]), finite(p.row_upper[r]),
      p.row_compliance[r], p.row_radius[r];
  return all;
}

/// Every row of the reference is a row of the kernels; the kernels' other rows cannot act (equal bounds or no rate).
void expect_same_rows(const DenseProblem& ours, const DenseProblem& reference) {
  for (int r = 0; r < reference.num_rows(); ++r) {
    const VectorXd wanted = row_vector(reference, r);
    double nearest = 1e300;
    for (int k = 0; k < ours.num_rows(); ++k)
      nearest = std::min(nearest, (row_vector(ours, k) - wanted).cwiseAbs().maxCoeff());
    EXPECT_LE(nearest, tolerance::kKinematics * std::max(1.0, wanted.cwiseAbs().maxCoeff()))
        << "row " << r << ": " << wanted.transpose();
  }
  EXPECT_EQ(ours.num_rows(), reference.num_rows());
}

void expect_same_problem(const DenseProblem& ours, const DenseProblem& reference) {
  EXPECT_LE(relative(ours.H, reference.H), tolerance::kKinematics);
  EXPECT_LE(relative(ours.g, reference.g), tolerance::kKinematics);
  EXPECT_LE(relative(ours.M, reference.M), tolerance::kKinematics);
  EXPECT_LE(relative(ours.dof_radius, reference.dof_radius), tolerance::kKinematics);
  EXPECT_LE(relative(ours.J, reference.J), tolerance::kKinematics);
  if (reference.num_contacts() > 0) {  // gaps of a millimetre and more to ten digits, smaller ones as well as that
    const double size = std::max(reference.gap_rate.cwiseAbs().maxCoeff(), 1e-3 / reference.step_size);
    EXPECT_LE((ours.gap_rate - reference.gap_rate).cwiseAbs().maxCoeff(), tolerance::kKinematics * size);
  }
  EXPECT_LE(relative(ours.offset, reference.offset), tolerance::kKinematics);
  EXPECT_LE(relative(ours.mu, reference.mu), tolerance::kKinematics);
  expect_same_rows(ours, reference);
}

/// What a residual leaves open of the objective: every impulse times the velocity that its row may be off by.
double duality_gap(const DenseProblem& p, const DenseSolution& x, double residual) {
  const double speed = std::max(1e-3 / p.step_size, (p.J * x.v + p.offset).lpNorm<Eigen::Infinity>());
  return residual * (x.lambda.lpNorm<1>() + x.row_lambda.lpNorm<1>()) * speed;
}

void expect_same_solution(const HostEnvironment& host, const DenseProblem& dense) {
  const DenseSolution found = host.solution();
  EXPECT_EQ(host.report.status, status::kConverged) << "iterations " << host.report.iterations;
  const ContactAnswer answer = solve_contacts(dense);
  ASSERT_EQ(answer.status, QpStatus::kSolved);
  EXPECT_LE(answer.residual, tolerance::kResidual);
  const double theirs = residual(dense, found);
  EXPECT_NEAR(theirs, host.report.residual, tolerance::kResidualText * std::max(1.0, theirs));
  EXPECT_LE(theirs, host.config.solver.tolerance);
  const double size = 0.5 * std::abs(found.v.dot(dense.H * found.v)) + std::abs(dense.g.dot(found.v)) + 1e-3;
  EXPECT_LE(std::abs(objective(dense, found.v) - objective(dense, answer.solution.v)),
            tolerance::kObjective * size + duality_gap(dense, found, theirs));
  const VectorXd moved = dense.H * (found.v - answer.solution.v);  // what H determines
  EXPECT_LE(moved.cwiseAbs().maxCoeff(), tolerance::kMotion * std::max(1e-9, dense.H.cwiseAbs().maxCoeff()));
}

/// The reference's problem at the state and the contacts of the kernels.
DenseProblem reference_problem(const Scene& scene, const HostEnvironment& host) {
  const Model& model = *scene.model;
  MotionState state{host.qpos(), host.qvel(), host.ctrl(), {}};
  for (const Impulse& impulse : scene.impulses)
    if (impulse.step == std::lround(host.time() / scene.step_size)) state.impulses.push_back(impulse);
  const Kinematics kinematics = forward_kinematics(model, state.qpos, host.mocap_pose());
  DenseProblem reference;
  reference.step_size = scene.step_size;
  reference.facets = scene.physics.facets;
  write_motion(model, kinematics, state, scene.physics, reference);
  write_contact_rows(model, kinematics, host.contacts(), host.mocap_velocity(), reference);
  write_general_rows(model, state.qpos, state.ctrl, scene.physics.dynamics, reference);
  prescribe_rows(reference);
  return reference;
}

/// Poses and velocities of the scripted bodies, which the host takes from the same tables.
void expect_same_scripts(const Scene& scene, const HostEnvironment& host) {
  for (const MocapTrack& track : scene.mocap) {
    const std::size_t mocap = static_cast<std::size_t>(scene.model->body_mocap[track.body]);
    const MocapPose pose = track.pose_at(host.time());
    const MocapTwist twist = track.velocity_at(host.time(), scene.step_size);
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(host.mocap_pose()[7 * mocap + i], pose[i], tolerance::kKinematics) << "entry " << i;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(host.mocap_velocity()[6 * mocap + i], twist[i], tolerance::kScriptedVelocity) << "entry " << i;
  }
}

void expect_equal_steps(const Scene& scene, int steps) {
  HostEnvironment host(scene);
  double fastest_script = 0.0;  // that a contact of any step has seen
  for (int l = 0; l < steps && !testing::Test::HasFailure(); ++l) {
    SCOPED_TRACE("step " + std::to_string(l));
    host.solve();
    expect_same_scripts(scene, host);
    const DenseProblem ours = expand(host.problem());
    if (!scene.mocap.empty()) fastest_script = std::max(fastest_script, ours.offset.lpNorm<Eigen::Infinity>());
    expect_same_problem(ours, reference_problem(scene, host));
    expect_same_solution(host, ours);
    const FreeMotion motion = scene.physics.dynamics == Dynamics::kDynamic ? FreeMotion::kStraight : FreeMotion::kTwist;
    const VectorXd next = integrate(*scene.model, host.qpos(), host.solution().v, scene.step_size, motion);
    host.finish();
    EXPECT_LE(relative(host.qpos(), next), tolerance::kKinematics);
  }
  EXPECT_EQ(fastest_script > 0.0, !scene.mocap.empty());
}

Scene scene_of(const std::string& name) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / name).string());
  scene.solver.tolerance = 1e-9;
  return scene;
}

TEST(Equivalence, GripperProblemsAndSolutionsAgreeInEveryStep) { expect_equal_steps(scene_of("gripper2d"), 35); }

TEST(Equivalence, StackingProblemsAndSolutionsAgree) {
  expect_equal_steps(scene_of("iiwa_stack_1"), std::getenv("ST_FULL") ? 80 : 30);
}

TEST(Equivalence, TenCubesAgree) { expect_equal_steps(scene_of("iiwa_stack"), std::getenv("ST_FULL") ? 200 : 5); }

const char* const kEveryRow = R"(
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1" friction=".5 0 0"/>
    <body name="a" pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass=".3" friction=".5 0 0"/></body>
    <body name="c" pos=".2 0 .05"><freejoint/><geom type="sphere" size=".05" mass=".2" friction=".7 0 0" condim="1"/></body>
    <body pos="-.1 0 .05"><joint name="push" type="slide" axis="1 0 0" range="-.1 .08" limited="true" frictionloss="2"
      damping="3" stiffness="20" springref=".01"/>
      <geom type="box" size=".02 .1 .03" mass=".5" friction=".3 0 0"/>
      <body pos="0 0 .2"><joint name="turn" type="hinge" axis="0 1 0" armature=".01"/>
        <geom type="capsule" size=".02 .05" mass=".2" pos=".05 0 0"/>
        <body pos="0 0 .2"><joint name="follow" type="hinge" axis="0 1 0" damping=".1"/>
          <geom type="capsule" size=".02 .05" mass=".1"/></body></body></body>
    <body pos="0 1 .5"><joint name="ball" type="ball" range="0 .3" limited="true" damping=".2" stiffness="4"/>
      <geom type="capsule" size=".02 .05" mass=".2" pos=".05 .02 0"/></body>
    <body pos="0 2 .5"><joint name="l1" type="slide" axis="1 0 0" damping=".3"/><geom size=".05" mass=".1"/>
      <body pos="0 .3 0"><joint name="l2" type="slide" axis="0 0 1" damping=".3"/><geom size=".05" mass=".1"/></body></body>
    <body name="m" pos="0 4 .5"><joint name="m" type="slide" axis="0 0 1" damping=".3"/><geom size=".05" mass=".1"/></body>
    <body name="paddle" mocap="true" pos="0 -.12 .05"><geom type="box" size=".03 .03 .03" friction=".4 0 0"/></body>
    <body name="roller" mocap="true" pos=".2 .2 .05"><geom type="cylinder" size=".04 .05" friction=".4 0 0"/></body>
  </worldbody>
  <tendon><fixed name="both" limited="true" range="-.2 .2" stiffness="30" springlength="-.01 .02" damping=".5" frictionloss=".1">
    <joint joint="l1" coef=".5"/><joint joint="l2" coef="-.8"/></fixed></tendon>
  <equality><joint joint1="follow" joint2="turn" polycoef=".1 .9 .2 0 0"/></equality>
  <actuator>
    <position joint="push" kp="500" gear="2"/>
    <position joint="turn" kp="30" kv="2" forcerange="-1 1.5"/>
    <velocity joint="l1" kv="5"/>
    <motor joint="m" gear="3" forcerange="-.4 .4"/>
  </actuator>
</mujoco>)";

/// The paddle turns while it pushes, at the rate of its poses; the roller has velocity columns.
void add_scripts(Scene& scene) {
  const auto body = [&](const char* name) {
    const std::vector<std::string>& names = scene.model->body_names;
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  scene.mocap.push_back(
      {body("paddle"), {0.0, 1.0}, {{.02, -.12, .05, 1, 0, 0, 0}, {.05, -.04, .05, .8, 0, 0, .6}}, {}});
  scene.mocap.push_back({body("roller"),
                         {0.0, 0.5, 1.0},
                         {{.2, .2, .05, 1, 0, 0, 0}, {.2, .12, .05, 0, 1, 0, 0}, {.2, .1, .05, 0, 1, 0, 0}},
                         {{0, -.16, 0, 6, 0, 0}, {0, -.1, 0, 3, 0, 0}, {0, 0, 0, 0, 0, 0}}});
  scene.impulses.push_back({3, body("m"), {0.0, 0.0, 0.02, 0.0, 0.0, 0.0}});
  scene.impulses.push_back({5, body("a"), {0.0, 0.0, -0.3, 0.001, 0.0, 0.0}});
}

class EveryDynamics : public testing::TestWithParam<Dynamics> {};

TEST_P(EveryDynamics, AgreesOnEveryKindOfRowAndScript) {
  Scene scene = load_scene(test::write_temporary("reference_every_row.xml", kEveryRow));
  scene.physics.dynamics = GetParam();
  scene.physics.facets = 6;
  scene.step_size = 0.05;
  scene.solver.tolerance = 1e-9;
  scene.command.time = {0.0, 1.0};
  scene.command.ctrl = {{0, 0, 0, 0.1}, {0.4, 0.8, 0.05, 0.6}};
  if (GetParam() == Dynamics::kKinematic) scene.command.ctrl[1][0] = 0.15;  // the joint has no other way than its range
  add_scripts(scene);
  validate(scene);
  expect_equal_steps(scene, 20);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryDynamics, testing::ValuesIn(test::kEveryDynamics), test::dynamics_name);

}  // namespace
}  // namespace stiction::reference
