// Claim: what nothing but weight moves lands where it is stopped, from any height, in the first step without momentum:
// bodies on a floor, joints at their limits; long ways and bodies far aside do not keep a solver from its answer.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/convex_scene.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

using test::uniform;

/// 10 to the power of a number between low and high.
double decades(test::Rng& rng, double low, double high) { return std::pow(10.0, uniform(rng, low, high)); }

const char* const kShapes[] = {"type='sphere' size='.05'", "type='box' size='.05 .04 .03'",
                               "type='capsule' size='.03 .05'"};

std::string falling_body(test::Rng& rng, const char* shape, double x, double z) {
  std::ostringstream text;
  text << "<body pos='" << x << " 0 " << z << "' quat='1 " << uniform(rng, -1, 1) << " " << uniform(rng, -1, 1) << " "
       << uniform(rng, -1, 1) << "'><freejoint/><geom " << shape << " mass='" << decades(rng, -2, 1) << "'/></body>";
  return text.str();
}

/// Two bodies in the air, a third on a spring beside them.
std::string fall(test::Rng& rng, int i) {
  const char* shape = kShapes[i % 3];
  std::ostringstream text;
  text
      << "<mujoco><worldbody><geom type='plane' size='5 5 .1'/>" << falling_body(rng, shape, 0, uniform(rng, .1, 1.5))
      << falling_body(rng, shape, uniform(rng, -.5, .5), uniform(rng, 1.7, 2))
      << "<body pos='1 0 .5'><joint name='x' type='slide' axis='1 0 0'/><geom type='sphere' size='.1' mass='1'/></body>"
      << "</worldbody><actuator><position joint='x' kp='" << decades(rng, 1, 4) << "'/></actuator></mujoco>";
  return text.str();
}

/// A slide and a hinge that sink to their limits, another with a spring.
std::string sink(test::Rng& rng) {
  std::ostringstream text;
  text << "<mujoco><worldbody><body><joint type='slide' axis='0 0 1' range='" << -uniform(rng, .05, 3)
       << " 2' limited='true'/><geom size='.05' mass='" << decades(rng, -2, 1) << "' contype='0' conaffinity='0'/>"
       << "<body pos='.2 0 0'><joint type='hinge' axis='0 1 0' range='-150 " << uniform(rng, 1, 85)
       << "' limited='true'/><geom size='.05' pos='.2 0 0' mass='" << decades(rng, -2, 1)
       << "' contype='0' conaffinity='0'/></body></body><body pos='1 0 .5'>"
       << "<joint name='x' type='slide' axis='1 0 0' range='-1 1' limited='true'/><geom size='.1' mass='1'/></body>"
       << "</worldbody><actuator><position joint='x' kp='" << decades(rng, 1, 4) << "'/></actuator></mujoco>";
  return text.str();
}

class Landing : public testing::TestWithParam<std::tuple<SolverName, ConeType>> {
 protected:
  void expect_steps(const std::string& model, test::Rng& rng, int i) {
    Scene scene = test::load_convex_scene(test::write_temporary("landing.xml", model));
    scene.physics.dynamics = i % 2 == 0 ? Dynamics::kQuasidynamic : Dynamics::kQuasistatic;
    scene.physics.mass_ratio = decades(rng, 0, 4);
    scene.physics.cone = std::get<1>(GetParam());
    scene.step_size = decades(rng, -3, -.4);
    scene.solver.name = std::get<0>(GetParam());
    scene.solver.tolerance = tolerance::kLanding;
    Simulator sim(scene, {.device = "cpu", .threads = 1});
    for (int step = 0; step < 3; ++step) {
      const std::uint32_t status = sim.step()[0];
      // what lies on another may push it aside for ever where nothing has mass: certified
      if (status == status::kUnbounded && scene.physics.dynamics == Dynamics::kQuasistatic) return;
      open_ += (status & status::kMeetingsOpen) != 0;  // of what turns by several radians in a step,
      steps_ += 1;
      EXPECT_EQ(status & ~(status::kMeetingsOpen | status::kBeyondOrder), status::kConverged)  // which the step says
          << status_names(status) << ", sample " << i << ", step " << step << ", h " << scene.step_size
          << ", mass ratio " << scene.physics.mass_ratio << ": " << model;
    }
  }

  int open_ = 0, steps_ = 0;
};

TEST_P(Landing, OfBodiesConverges) {
  test::Rng rng(11);
  for (int i = 0; i < test::samples(40); ++i) expect_steps(fall(rng, i), rng, i);
  EXPECT_LE(open_, tolerance::kOpenLandings * steps_);
}

TEST_P(Landing, OfJointsConverges) {
  test::Rng rng(12);
  for (int i = 0; i < test::samples(20); ++i) expect_steps(sink(rng), rng, i);
}

INSTANTIATE_TEST_SUITE_P(Step, Landing,
                         testing::Values(std::tuple(SolverName::kInteriorPoint, ConeType::kPyramid),
                                         std::tuple(SolverName::kInteriorPoint, ConeType::kQuadratic),
                                         std::tuple(SolverName::kNewton, ConeType::kPyramid)),
                         [](const auto& info) {
                           return choice_name(solver_choice(), std::get<0>(info.param)) + "_" +
                                  choice_name(cone_choice(), std::get<1>(info.param));
                         });

}  // namespace
}  // namespace stiction
