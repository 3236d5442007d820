// Claims: a controller is called before every step, with the state where this begins; the steps are those of as many
// calls, and so is their status; what it throws leaves the batch after a whole step.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

/// A slide of 1 kg without weight that a motor pushes.
Scene pushed_slide() {
  const std::string text =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='slide' type='slide' axis='1 0 0'/>"
      "<geom type='sphere' size='.1' mass='1'/></body></worldbody><actuator><motor joint='slide'/></actuator></mujoco>";
  Scene scene = make_scene(std::make_shared<Model>(load_model(test::write_temporary("slide.xml", text))), "slide");
  scene.step_size = 0.01;
  return scene;
}

SimulatorOptions two_environments() {
  SimulatorOptions options;
  options.batch = 2, options.device = "cpu";
  return options;
}

TEST(Controller, IsCalledBeforeEveryStepWithItsState) {
  Simulator sim(pushed_slide(), two_environments());
  std::vector<double> seen;
  sim.step(5, [&](Simulator& now) {
    seen.push_back(now.qpos()[0]);
    const double push = 1.0 - 2.0 * now.qpos()[0];
    now.set_ctrl(std::vector<double>{push, 2.0 * push});
  });
  double x = 0.0, v = 0.0;
  ASSERT_EQ(seen.size(), 5u);
  for (const double at : seen) {
    EXPECT_NEAR(at, x, 1e-15);
    v += 0.01 * (1.0 - 2.0 * x), x += 0.01 * v;
  }
  EXPECT_NEAR(sim.qpos()[0], x, 1e-15);
}

TEST(Controller, LeavesTheStepsAndTheStatusOfAsManyCalls) {
  Simulator one(pushed_slide(), two_environments()), many(pushed_slide(), two_environments());
  const auto push = [](Simulator& sim) { sim.set_ctrl(std::vector<double>{1.0, sim.qpos()[1] > 1e-4 ? NAN : 3.0}); };
  const std::span<const std::uint32_t> status = one.step(6, push);
  const std::vector<std::uint32_t> together(status.begin(), status.end());
  std::uint32_t bits = 0, converged = status::kConverged;
  for (int s = 0; s < 6; ++s) {
    push(many);
    const std::uint32_t now = many.step()[1];
    bits |= now, converged &= now;
  }
  EXPECT_EQ(together[0], status::kConverged);
  EXPECT_EQ(together[1], (bits & ~status::kConverged) | converged);
  EXPECT_TRUE(together[1] & status::kNotFinite);
  EXPECT_EQ(one.qpos(), many.qpos());
}

TEST(Controller, ThatThrowsLeavesAWholeStep) {
  Simulator sim(pushed_slide(), two_environments()), two(pushed_slide(), two_environments());
  const auto throws_third = [steps = 0](Simulator& now) mutable {
    if (++steps == 3) throw std::runtime_error("enough");
    now.set_ctrl(std::vector<double>{1.0, 1.0});
  };
  EXPECT_THROW(sim.step(10, throws_third), std::runtime_error);
  two.set_ctrl(std::vector<double>{1.0, 1.0});
  two.step(2);
  EXPECT_EQ(sim.qpos(), two.qpos());
  EXPECT_THROW(sim.step(0, [](Simulator&) {}), InputError);
}

}  // namespace
}  // namespace stiction
