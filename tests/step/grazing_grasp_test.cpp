// Claims: of a grasp that only grazes the ball, Pang & Tedrake 2021, section III-B, hold: with fingers that follow
// their command exactly, (1), the ball may stay on the ground or rise with them, and both are exact solutions of one
// step; which one is returned is where the solver starts. With the actuators' springs, (6) and (10), the command
// decides.
//
// The fingers rise with V and touch the ball with gap 0. With c_n >= 0 on either side and W the ball's weight,
//   the ball stays:  v = 0, c_f = μ c_n on either side, ground W − 2 μ c_n,  c_n <= W/(2μ)          (a)
//   the ball rises:  v = V, c_f = W/2 on either side, ground 0,              c_n >= W/(2μ)          (b)
// and at c_n = W/(2μ) every v between the two.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "host/api/simulator.hpp"
#include "tests/solver/solve.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/host_environment.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction {
namespace {

constexpr double kWeight = 10.0, kFriction = 0.5, kStiffness = 1000.0, kRise = 0.2;  // [N], [-], [N/m], [m/s]
constexpr int kFirstRising = 5, kRisingSteps = 30, kSteps = 35;
enum Dof { kBallX, kBallY, kFingersY, kLeft, kRight, kDofs };
const std::vector<double> kWithTheFingers = {0.0, kRise, kRise, 0.0, 0.0};

Scene grazing_grasp() {
  return load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "grazing_grasp").string());
}

/// The problem of the first step in which the fingers rise, and where its contacts are.
class RisingStep {
 public:
  explicit RisingStep(Scene of) : scene(std::move(of)), host(scene) {
    for (int step = 0; step <= kFirstRising; ++step) {
      if (step > 0) host.finish();
      host.solve();
    }
    names = scene.model->geom_names;
    for (int i = 0; i < *host.scratch.contacts.count; ++i) {
      const int pair = pair_of_key(host.scratch.contacts.key[i]);
      geoms.push_back({scene.model->pair_geom[2 * pair], scene.model->pair_geom[2 * pair + 1]});
    }
  }

  /// Impulses of `normal` and of `vertical` along world z on the ball [N], where the ball meets `geom`.
  void press(const char* geom, double normal, double vertical, std::vector<double>& lambda) const {
    for (std::size_t i = 0; i < geoms.size(); ++i) {
      const int other = names[geoms[i][0]] == "ball" ? 1 : 0;
      if (names[geoms[i][other]] != geom) continue;
      const double sign = other == 1 ? -1.0 : 1.0, h = host.config.step_size;
      lambda[3 * i] = h * normal;
      for (std::size_t axis = 1; axis < 3; ++axis)
        lambda[3 * i + axis] = sign * h * vertical * host.scratch.contacts.frame[9 * i + 3 * axis + 2];
    }
  }

  Residual<double> residual(std::vector<double> v, std::vector<double> lambda) const {
    const ContactProblem<double> p = host.problem();
    std::vector<double> rows(static_cast<std::size_t>(p.num_rows), 0.0);
    return test::certify(p, v, lambda, rows);
  }
  std::size_t impulses() const { return 3 * geoms.size(); }

  const Scene scene;
  reference::HostEnvironment host;

 private:
  std::vector<std::string> names;
  std::vector<std::array<int, 2>> geoms;
};

/// Residual of a ball that moves up with `speed`, pressed with `normal` and dragged with `drag` by either finger [N].
double residual_of(const RisingStep& step, double speed, double normal, double drag, double ground) {
  std::vector<double> v = {0.0, speed, kRise, 0.0, 0.0}, lambda(step.impulses());
  for (const char* finger : {"finger_left", "finger_right"}) step.press(finger, normal, drag, lambda);
  step.press("ground", ground, 0.0, lambda);
  return step.residual(v, lambda).total;
}

constexpr double kLift = kWeight / (2.0 * kFriction);  // c_n that carries the ball [N]

TEST(GrazingGrasp, HasTwoExactSolutionsUnderCoulombsLaw) {
  const RisingStep step(grazing_grasp());
  for (const double squeeze : {0.0, 0.4 * kLift, kLift}) {  // (a)
    const double drag = kFriction * squeeze;
    EXPECT_LE(residual_of(step, 0.0, squeeze, drag, kWeight - 2.0 * drag), tolerance::kExactSolution) << squeeze;
  }
  for (const double squeeze : {kLift, 2.5 * kLift})  // (b)
    EXPECT_LE(residual_of(step, kRise, squeeze, 0.5 * kWeight, 0.0), tolerance::kExactSolution) << squeeze;
  EXPECT_LE(residual_of(step, 0.3 * kRise, kLift, 0.5 * kWeight, 0.0), tolerance::kExactSolution);
}

TEST(GrazingGrasp, HasNoOtherSolution) {
  const RisingStep step(grazing_grasp());
  EXPECT_GT(residual_of(step, 0.0, 2.5 * kLift, 0.5 * kWeight, 0.0), tolerance::kNoSolution);  // sticks, yet slides
  EXPECT_GT(residual_of(step, 0.3 * kRise, 2.5 * kLift, 0.5 * kWeight, 0.0), tolerance::kNoSolution);
  EXPECT_GT(residual_of(step, kRise, 0.4 * kLift, 0.5 * kWeight, 0.0), tolerance::kNoSolution);  // outside the cone
  EXPECT_GT(residual_of(step, 2.0 * kRise, kLift, 0.5 * kWeight, 0.0), tolerance::kNoSolution);  // friction drives
}

TEST(GrazingGrasp, OnlyRisesUnderAnitescusLaw) {
  Scene scene = grazing_grasp();
  scene.physics.law = ContactLaw::kAnitescu;
  const RisingStep step(scene);
  EXPECT_GT(residual_of(step, 0.0, 0.0, 0.0, kWeight), tolerance::kNoSolution);  // a slide needs room: φ >= μ h V
  EXPECT_LE(residual_of(step, kRise, kLift, 0.5 * kWeight, 0.0), tolerance::kExactSolution);
}

/// Height of the ball above the ground in the end.
double final_height(const Scene& scene) {
  Simulator sim(scene, {.device = "cpu"});
  for (int step = 0; step < kSteps; ++step)
    EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << step << ": " << status_names(sim.status()[0]);
  return sim.qpos()[kBallY] - 0.1;
}

class GrazingGraspOf : public testing::TestWithParam<SolverName> {
 protected:
  GrazingGraspOf() : scene(grazing_grasp()) {
    scene.solver.name = GetParam();
    if (test::is_iterative(GetParam())) scene.solver.tolerance = tolerance::kIterative;
  }
  double tolerance() const { return kRisingSteps * scene.solver.tolerance + tolerance::kExactSolution; }
  Scene scene;
};

TEST_P(GrazingGraspOf, EndsOnOneOfItsSolutions) {
  for (const std::vector<double>& start : {std::vector<double>{}, kWithTheFingers}) {
    scene.solver.start = start;
    const double height = final_height(scene);
    EXPECT_GE(height, -tolerance());
    EXPECT_LE(height, kRisingSteps * scene.step_size * kRise + tolerance());
  }
}

TEST_P(GrazingGraspOf, IsDecidedByTheCommandWithSprings) {
  scene.physics.dynamics = Dynamics::kQuasistatic;
  const struct {
    double squeeze;  // asked on either side [N]
    bool lifts;      // 2 μ c_n >= W
  } cases[] = {{0.0, false}, {8.0, false}, {15.0, true}};
  for (const auto& c : cases) {
    for (std::size_t knot = 1; knot < scene.command.time.size(); ++knot) {
      scene.command.ctrl[knot][0] = -0.1 + c.squeeze / kStiffness;
      scene.command.ctrl[knot][1] = 0.1 - c.squeeze / kStiffness;
    }
    scene.command.ctrl.back()[2] = 0.04;  // the fingers hang on a spring, too: the ball's weight bends it by 10 mm
    const double height = c.lifts ? 0.04 - kWeight / kStiffness : 0.0;
    for (const std::vector<double>& start : {std::vector<double>{}, kWithTheFingers}) {
      scene.solver.start = start;
      EXPECT_NEAR(final_height(scene), height, tolerance()) << c.squeeze << " N";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EverySolver, GrazingGraspOf, testing::ValuesIn(test::kEverySolver), test::solver_name);

TEST(GrazingGrasp, StaysOrRisesAsTheStartSays) {
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox})
    for (const double speed : {0.0, kRise}) {
      Scene scene = grazing_grasp();
      scene.physics.cone = cone;
      scene.solver.start = {0.0, speed, kRise, 0.0, 0.0};
      EXPECT_NEAR(final_height(scene), kRisingSteps * scene.step_size * speed, tolerance::kExactSolution);
    }
  EXPECT_NEAR(final_height(grazing_grasp()), 0.0, tolerance::kExactSolution);  // nothing moves that need not
}

}  // namespace
}  // namespace stiction
