// Claims: stage by stage, the kernels' contact problem is the reference's, and both solve it to the same motion; for
// every dynamics, law, cone and solver of the registries and every scene.
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "host/model/error.hpp"
#include "host/reference/contact_newton.hpp"
#include "host/reference/convex_contacts.hpp"
#include "tests/reference/every_row_scene.hpp"
#include "tests/reference/same_problem.hpp"
#include "tests/support/every_choice.hpp"
#include "tests/support/every_dynamics.hpp"
#include "tests/support/host_environment.hpp"

namespace stiction::reference {
namespace {

using Eigen::VectorXd;

/// What a residual leaves open of the velocity at a contact: that share of u_0 [m/s].
double open_speed(const DenseProblem& p, const VectorXd& v, double residual) {
  const VectorXd speed = p.J * v + p.offset;
  double largest = 1e-3 / p.step_size;
  for (int i = 0; i < p.num_contacts(); ++i)
    largest = std::max(largest, speed.segment(p.dimension * i, p.dimension).norm());
  return residual * largest;
}

/// What it leaves open of the objective: every impulse times the velocity that its row may be off by.
double duality_gap(const DenseProblem& p, const DenseSolution& x, double residual) {
  return (x.lambda.lpNorm<1>() + x.row_lambda.lpNorm<1>()) * open_speed(p, x.v, residual);
}

/// How far v_a, what the actuators or inertia determine, is from the other's over one step [m].
double actuated_difference(const Scene& scene, const DenseProblem& p, const VectorXd& v, const VectorXd& other) {
  double largest = 0.0;
  for (int j = 0; j < p.nv(); ++j)
    if (scene.model->dof_actuated[j] || has_momentum(scene.physics.dynamics))
      largest = std::max(largest, p.step_size * p.dof_radius[j] * std::abs(v[j] - other[j]));
  return largest;
}

/// Under Coulomb's law a problem may have several solutions. Which one it is, its shift says: the convex problem with
/// the shift of v in the gaps, and the room that the residual leaves open, has one objective and one v_a.
DenseProblem convex_problem_at(DenseProblem p, const VectorXd& v, double residual) {
  if (p.law != ContactLaw::kCoulomb) return p;
  const VectorXd speed = p.J * v + p.offset;
  for (int i = 0; i < p.num_contacts(); ++i)
    p.gap_rate[i] += shift(p, i, speed.segment(p.dimension * i, p.dimension)) + open_speed(p, v, residual);
  p.law = ContactLaw::kAnitescu;
  return p;
}

/// `motion` bounds h v_a [m].
void expect_same_motion(const Scene& scene, const DenseProblem& dense, const DenseSolution& found, double error,
                        double motion) {
  const DenseProblem convex = convex_problem_at(dense, found.v, error);
  ContactAnswer answer = solve_contacts(convex);
  if (answer.status == QpStatus::kIterationLimit) {  // its own steps go on from here, too
    keep_better(convex, refine_contacts(convex, found), answer);
    judge(answer);
  }
  ASSERT_EQ(answer.status, QpStatus::kSolved) << "residual " << answer.residual;
  const double size = 0.5 * std::abs(found.v.dot(dense.H * found.v)) + std::abs(dense.g.dot(found.v)) + 1e-3;
  const double room = dense.law == ContactLaw::kCoulomb ? error : 0.0;
  EXPECT_LE(std::abs(objective(dense, found.v) - objective(dense, answer.solution.v)),
            tolerance::kObjective * size + duality_gap(dense, found, error + room));
  EXPECT_LE(actuated_difference(scene, dense, found.v, answer.solution.v), motion) << "residual " << error;
}

enum class Verdict { kSolved, kInfeasible, kFlagged };

/// Both solve the problem or both find it infeasible, or the kernels say that they did not solve it, and so it is. (The
/// overlap of elastic answers is not compared: the kernels' rows give way too.)
Verdict expect_same_solution(const Scene& scene, const HostEnvironment& host, const DenseProblem& dense,
                             double motion) {
  const DenseSolution found = host.solution();
  const ContactAnswer answer = solve_contacts(dense);
  if (answer.status == QpStatus::kInfeasible) {
    EXPECT_EQ(host.report.status, status::kInfeasible);
    return Verdict::kInfeasible;
  }
  EXPECT_EQ(answer.status, QpStatus::kSolved) << "residual " << answer.residual;
  EXPECT_LE(answer.residual, tolerance::kResidualAny);
  const double theirs = residual(dense, found);
  // prescribed motion is written over v afterwards, which changes it by less than was asked
  const bool kinematic = scene.physics.dynamics == Dynamics::kKinematic;
  const double text = kinematic ? host.config.solver.tolerance : tolerance::kResidualText * std::max(1.0, theirs);
  EXPECT_NEAR(theirs, host.report.residual, text);
  const bool solved = (host.report.status & status::kConverged) != 0;  // whatever else the step is flagged for
  EXPECT_EQ(solved, theirs <= host.config.solver.tolerance) << "status " << host.report.status;
  if (!solved) return Verdict::kFlagged;
  expect_same_motion(scene, dense, found, theirs, motion);
  return Verdict::kSolved;
}

/// The reference's problem at the state and the contacts of the kernels.
DenseProblem reference_problem(const Scene& scene, const HostEnvironment& host) {
  const Model& model = *scene.model;
  MotionState state{{host.qpos(), host.qvel(), host.drive(), host.last_ctrl()}, {}};
  for (const Impulse& impulse : scene.impulses)
    if (impulse.step == std::lround(host.time() / scene.step_size)) state.impulses.push_back(impulse);
  const Kinematics kinematics = forward_kinematics(model, host.qpos(), host.mocap_pose());
  DenseProblem reference;
  reference.step_size = scene.step_size;
  reference.law = scene.physics.law;
  reference.cone = scene.physics.cone;
  reference.facets = scene.physics.facets;
  reference.dimension = contact_dimension(model, scene.physics);
  const SpringRule springs = write_motion(model, kinematics, state, scene.physics, reference).springs;
  write_contact_rows(model, kinematics, host.contacts(), host.mocap_velocity(), reference);
  const std::vector<double>& mocap_velocity = host.mocap_velocity();
  const VectorXd qvel = host.qvel();
  if (has_momentum(scene.physics.dynamics))
    let_slide(model, host.contacts(), qvel, scene.physics.threshold_speed, reference);
  const WeldState welds{kinematics, mocap_velocity, qvel, has_momentum(scene.physics.dynamics), scene.physics.equality};
  write_general_rows(model, host.qpos(), springs, scene.physics.dynamics, welds, reference);
  release_unmoved_rows(reference);
  prescribe_rows(reference);
  if (!has_momentum(scene.physics.dynamics)) return reference;
  return hold_overlaps(model, reference, host.contacts(),
                       reference::dead_band(scene.step_size, scene.solver.tolerance));
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

Verdict expect_same_step(const Scene& scene, const HostEnvironment& host, double motion) {
  expect_same_scripts(scene, host);
  const DenseProblem ours = expand(host.problem());
  expect_same_problem(ours, reference_problem(scene, host));
  return expect_same_solution(scene, host, ours, motion);
}

/// Runs `steps` steps along the kernels' own motion and looks at `looks` of them, evenly spread. What comes after an
/// infeasible step begins in an overlap, of which an elastic answer among several decides: it is not compared.
void expect_equal_steps(const Scene& scene, int steps, int looks, double motion = tolerance::kActuatedMotion) {
  HostEnvironment host(scene);
  double fastest_script = 0.0;  // or prescribed joint, that a contact of any step has seen
  int flagged = 0, infeasible = 0;
  for (int l = 0, seen = 0; l < steps && infeasible == 0 && !testing::Test::HasFailure(); ++l) {
    SCOPED_TRACE("step " + std::to_string(l));
    host.solve();
    fastest_script = std::max(fastest_script, fastest_offset(expand(host.problem())));
    if (l * looks >= seen * steps) {
      const Verdict verdict = expect_same_step(scene, host, motion);
      flagged += verdict == Verdict::kFlagged;
      infeasible += verdict == Verdict::kInfeasible;
      ++seen;
    }
    const FreeMotion way = has_momentum(scene.physics.dynamics) ? FreeMotion::kStraight : FreeMotion::kTwist;
    const VectorXd next = integrate(*scene.model, host.qpos(), host.solution().v, scene.step_size, way);
    host.finish();
    EXPECT_LE(relative(host.qpos(), next), tolerance::kKinematics);
  }
  const bool moves = !scene.mocap.empty() || scene.physics.dynamics == Dynamics::kKinematic;
  EXPECT_EQ(fastest_script > 0.0, moves);
  EXPECT_LE(flagged, tolerance::kShareFlagged * looks);
  EXPECT_LT(infeasible, looks);
  testing::Test::RecordProperty("flagged", flagged);
  testing::Test::RecordProperty("infeasible", infeasible);
}

using Law = test::Named<ContactLaw>;
using Cone = test::Named<ConeType>;
using Solver = test::Named<SolverName>;

/// "iiwa_stack_coulomb_box"
constexpr auto kNames = [](const auto& info) {
  std::ostringstream text;
  std::apply([&](const auto& first, const auto&... rest) { text << first, ((text << '_' << rest), ...); }, info.param);
  return text.str();
};

bool is_compared(const Scene& scene) { return !has_torsion(scene) && scene.physics.order == StepOrder::kSolveFirst; }

/// Those without torsional friction of their own, and whose order of a step the reference has.
std::vector<std::string> every_scene() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(STICTION_SOURCE_DIR) / "scenes"))
    if (std::filesystem::exists(entry.path() / "scene.toml") && is_compared(load_scene(entry.path().string())))
      found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

Scene scene_of(const std::string& name, ContactLaw law, ConeType cone) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / name).string());
  scene.physics.law = law;
  scene.physics.cone = cone;
  return scene;
}

int steps_of(const Scene& scene) { return static_cast<int>(std::lround(scene.duration / scene.step_size)); }

class EveryScene : public testing::TestWithParam<std::tuple<std::string, Law, Cone>> {};

TEST_P(EveryScene, HasTheSameProblemsAndSolutions) {
  const auto& [name, law, cone] = GetParam();
  Scene scene = scene_of(name, law.value, cone.value);
  scene.solver.tolerance = law.value == ContactLaw::kFrictionless ? tolerance::kSmoothScene : tolerance::kScene;
  const int looks = std::getenv("ST_FULL") ? 200 : std::clamp(150 / scene.model->nv, 3, 12);
  expect_equal_steps(scene, steps_of(scene), looks);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryScene,
                         testing::Combine(testing::ValuesIn(every_scene()), testing::ValuesIn(test::kEveryLaw),
                                          testing::ValuesIn(test::kEveryCone)),
                         kNames);

/// Every pair with friction gets torsional friction of 8 mm.
void add_torsion(Scene& scene) {
  auto model = std::make_shared<Model>(*scene.model);
  for (int& condim : model->pair_condim)
    if (condim == 3) condim = 4;
  for (int p = 0; p < model->npair; ++p) model->pair_friction[5 * p + 2] = 8e-3;
  for (int g = 0; g < model->ngeom; ++g) model->geom_friction[3 * g + 1] = 8e-3;
  scene.model = model;
}

class EverySceneWithTorsion : public testing::TestWithParam<std::tuple<std::string, Law, Cone>> {};

TEST_P(EverySceneWithTorsion, HasTheSameProblemsAndSolutions) {
  const auto& [name, law, cone] = GetParam();
  Scene scene = scene_of(name, law.value, cone.value);
  add_torsion(scene);
  validate(scene);
  scene.solver.tolerance = tolerance::kScene;
  expect_equal_steps(scene, steps_of(scene), std::clamp(100 / scene.model->nv, 3, 8));
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EverySceneWithTorsion,
                         testing::Combine(testing::ValuesIn(every_scene()), testing::ValuesIn(test::kEveryLaw),
                                          testing::ValuesIn(test::kEveryCone)),
                         kNames);

/// Every pair with friction has materials: at 0.1 m/s and faster it has 0.4 of its friction.
void add_materials(Scene& scene) {
  auto model = std::make_shared<Model>(*scene.model);
  for (int p = 0; p < model->npair; ++p) {
    if (model->pair_condim[p] == 1) continue;
    model->pair_explicit[p] = 1;
    model->pair_kinetic[p] = 0.4 * std::min(model->pair_friction[5 * p], model->pair_friction[5 * p + 1]);
  }
  scene.physics.threshold_speed = 0.1;
  scene.model = model;
}

class EveryCone : public testing::TestWithParam<std::tuple<test::Named<Dynamics>, Cone>> {};

TEST_P(EveryCone, AgreesOnKineticFriction) {
  const auto& [dynamics, cone] = GetParam();
  PhysicsConfig physics;
  physics.dynamics = dynamics.value;
  physics.cone = cone.value;
  Scene scene = every_row_scene(physics);
  add_materials(scene);
  scene.solver.tolerance = tolerance::kDirectSolver;
  expect_equal_steps(scene, 20, 20);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryCone,
                         testing::Combine(testing::ValuesIn(test::kEveryNamedDynamics),
                                          testing::ValuesIn(test::kEveryCone)),
                         kNames);

class EveryDynamics : public testing::TestWithParam<std::tuple<test::Named<Dynamics>, Law, Cone>> {};

TEST_P(EveryDynamics, AgreesOnEveryKindOfRowAndScript) {
  const auto& [dynamics, law, cone] = GetParam();
  PhysicsConfig physics;
  physics.dynamics = dynamics.value;
  physics.law = law.value;
  physics.cone = cone.value;
  if (law.value == ContactLaw::kAnitescu) physics.equality = Equality::kHard;
  Scene scene = every_row_scene(physics);
  scene.solver.tolerance = tolerance::kDirectSolver;
  expect_equal_steps(scene, 20, 20);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryDynamics,
                         testing::Combine(testing::ValuesIn(test::kEveryNamedDynamics),
                                          testing::ValuesIn(test::kEveryLaw), testing::ValuesIn(test::kEveryCone)),
                         kNames);

class EverySolver : public testing::TestWithParam<std::tuple<Solver, Law, Cone>> {};

TEST_P(EverySolver, SolvesTheGripperAsTheReferenceDoes) {
  const auto& [solver, law, cone] = GetParam();
  Scene scene = scene_of("gripper2d", law.value, cone.value);
  scene.solver.name = solver.value;
  scene.solver.tolerance = tolerance::kAnySolver;
  scene.solver.max_iterations = 500;
  try {
    validate(scene);
  } catch (const InputError& refusal) {
    GTEST_SKIP() << refusal.what();
  }
  expect_equal_steps(scene, steps_of(scene), steps_of(scene), tolerance::kActuatedMotionIterative);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EverySolver,
                         testing::Combine(testing::ValuesIn(test::kEveryNamedSolver),
                                          testing::ValuesIn(test::kEveryLaw), testing::ValuesIn(test::kEveryCone)),
                         kNames);

}  // namespace
}  // namespace stiction::reference
