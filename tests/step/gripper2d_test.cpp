// Claims: the planar gripper moves and pushes as in Pang & Tedrake 2021, figures 3 to 6, under the QP (10) and under
// the LCP (6), with every solver; with prescribed fingers, (1), the step that squeezes the ball has no solution.
//
// While the fingers squeeze, K(q̄ − x) = c_n. While they slide, c_f = μ c_n, and Anitescu's row
// φ⁺ = μ |slip| makes the boundary layer φ_k = 1 mm (1 − 3^−k); at rest it shrinks by 1/3 a step. Coulomb's law has
// none.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "host/api/simulator.hpp"
#include "tests/support/models.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction {
namespace {

constexpr double kStiffness = 1000.0, kWeight = 10.0;

/// What the paper's equations give at the end of step `step`.
struct Expected {
  double x_finger;  // distance of either contact face from the middle [m]
  double y;         // height of the fingers [m]
  double normal;    // c_n1 = c_n2 [N]
  double friction;  // c_f1 + c_f2, on the ball, along world z [N]
  double ground;    // c_n3 [N]
};

double command_x(double t) { return 0.106 - 0.2 * std::fmin(t, 0.08); }
double command_y(double t) { return t <= 0.08 ? 0.0 : -0.2 * (std::fmin(t, 0.23) - 0.08); }

/// Thickness of the boundary layer after `step` [m].
double layer(int step) {
  if (step < 13) return 0.0;
  const int sliding = std::min(step, 22) - 12;
  const double after_slide = 1e-3 * (1.0 - std::pow(3.0, -sliding));
  return step <= 22 ? after_slide : after_slide * std::pow(3.0, 22 - step);
}

Expected expected_after(int step, ContactLaw law) {
  const double t = 0.01 * (step + 1);
  const double air = law == ContactLaw::kAnitescu ? layer(step) : 0.0;
  Expected e;
  e.x_finger = std::fmax(0.1 + air, command_x(t));
  e.normal = step >= 2 ? kStiffness * (e.x_finger - command_x(t)) : 0.0;
  if (step < 13) {  // the ball holds the fingers up
    e.y = 0.0;
    e.friction = kStiffness * command_y(t);
  } else {  // two fingers slide, each with half its normal force
    e.friction = -e.normal;
    e.y = command_y(t) + e.normal / kStiffness;
  }
  e.ground = kWeight - e.friction;
  return e;
}

/// Forces on the ball, summed over the contacts with one geom.
struct Forces {
  double normal[3] = {};    // with ground, left and right finger [N]
  double vertical[3] = {};  // along world z [N]
};

Forces read_forces(const Simulator& sim) {
  const ContactArrays contacts = sim.contacts();
  const std::vector<std::string>& names = sim.scene().model->geom_names;
  const auto id = [&](const char* name) {
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const int ball = id("ball"), others[3] = {id("ground"), id("finger_left"), id("finger_right")};
  Forces forces;
  for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.count[0]); ++i) {
    const bool ball_first = contacts.geom[2 * i] == ball;
    const int other = contacts.geom[2 * i + (ball_first ? 1 : 0)];
    const int which = static_cast<int>(std::find(others, others + 3, other) - others);
    double vertical = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      vertical += contacts.force[3 * i + axis] * contacts.frame[9 * i + 3 * axis + 2];
    forces.normal[which] += contacts.force[3 * i];
    forces.vertical[which] += ball_first ? -vertical : vertical;
  }
  return forces;
}

Scene gripper() { return load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "gripper2d").string()); }

void expect_paper(const Scene& scene, Dtype dtype, double position, double force) {
  SimulatorOptions options;
  options.dtype = dtype;
  options.device = "cpu";
  Simulator sim(scene, options);
  for (int step = 0; step < 35; ++step) {
    EXPECT_EQ(sim.step()[0], status::kConverged)
        << "step " << step << ": " << status_names(sim.status()[0]) << ", residual " << sim.stats().residual[0];
    const Expected e = expected_after(step, scene.physics.law);
    const std::vector<double> q = sim.qpos();  // x_c, y_c, y, x_l, x_r
    EXPECT_NEAR(q[0], 0.0, position) << "step " << step;
    EXPECT_NEAR(q[1], 0.1, position) << "step " << step;
    EXPECT_NEAR(q[2], e.y, position) << "step " << step;
    EXPECT_NEAR(q[3], -e.x_finger, position) << "step " << step;
    EXPECT_NEAR(q[4], e.x_finger, position) << "step " << step;
    const Forces forces = read_forces(sim);
    EXPECT_NEAR(forces.normal[1], e.normal, force) << "step " << step;
    EXPECT_NEAR(forces.normal[2], e.normal, force) << "step " << step;
    EXPECT_NEAR(forces.vertical[1] + forces.vertical[2], e.friction, force) << "step " << step;
    EXPECT_NEAR(forces.normal[0], e.ground, force) << "step " << step;
  }
}

using LawAndSolver = std::tuple<ContactLaw, SolverName>;

const std::vector<SolverName> kEverySolver = {
#define ST_SOLVER(enumerator, name, solve, scratch) SolverName::enumerator,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
};

/// Solvers that are not known to be direct are held to the bounds of iterative ones.
bool is_iterative(SolverName solver) { return solver != SolverName::kInteriorPoint && solver != SolverName::kLemke; }

class Gripper2dOf : public testing::TestWithParam<LawAndSolver> {
 protected:
  Gripper2dOf() : scene(gripper()) {
    scene.physics.law = std::get<0>(GetParam());
    scene.solver.name = std::get<1>(GetParam());
    iterative = is_iterative(scene.solver.name);
    if (iterative) scene.solver.tolerance = tolerance::kGripperIterative, scene.solver.max_iterations = 500;
  }
  Scene scene;
  bool iterative;
};

TEST_P(Gripper2dOf, FollowsThePaperInDoublePrecision) {
  if (iterative)
    expect_paper(scene, Dtype::kFloat64, tolerance::kGripperPositionIterative, tolerance::kGripperForceIterative);
  else
    expect_paper(scene, Dtype::kFloat64, tolerance::kGripperPosition, tolerance::kGripperForce);
}

TEST_P(Gripper2dOf, FollowsThePaperInSinglePrecision) {
  expect_paper(scene, Dtype::kFloat32, tolerance::kGripperPositionSingle, tolerance::kGripperForceSingle);
}

INSTANTIATE_TEST_SUITE_P(EveryLawAndSolver, Gripper2dOf,
                         testing::Combine(testing::Values(ContactLaw::kAnitescu, ContactLaw::kCoulomb),
                                          testing::ValuesIn(kEverySolver)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) == ContactLaw::kAnitescu ? "anitescu"
                                                                                               : "coulomb") +
                                  std::to_string(static_cast<int>(std::get<1>(info.param)));
                         });

TEST(Gripper2d, PrescribedFingersHaveNoSolutionWhenTheySqueeze) {
  Scene scene = gripper();
  scene.physics.dynamics = Dynamics::kKinematic;
  scene.physics.law = ContactLaw::kCoulomb;
  Simulator sim(scene, {.device = "cpu"});
  for (int step = 0; step < 3; ++step) EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << step;
  const std::uint32_t bits = sim.step()[0];
  EXPECT_TRUE(bits & (status::kInfeasible | status::kNoSolutionFound)) << status_names(bits);
}

TEST(Gripper2d, ClosedFormHasTheFiguresOfThePaper) {
  const auto after = [](int step) { return expected_after(step, ContactLaw::kAnitescu); };
  for (int step = 3; step <= 7; ++step) EXPECT_NEAR(after(step).normal, 2.0 * (step - 2), 1e-12);
  for (int step = 8; step <= 12; ++step) {
    EXPECT_NEAR(after(step).friction, -2.0 * (step - 7), 1e-12);
    EXPECT_NEAR(after(step).ground, 10.0 + 2.0 * (step - 7), 1e-12);
  }
  EXPECT_GT(std::fabs(after(13).y), 1e-4);
}

}  // namespace
}  // namespace stiction
