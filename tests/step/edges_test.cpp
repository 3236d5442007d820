// Claim: what lies on edges comes to rest, exactly along them or nearly.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "host/api/simulator.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kRadius = 0.08, kHalfGap = 0.05, kTop = 0.2;  // [m]
const double kHeight = kTop + std::sqrt(kRadius * kRadius - kHalfGap * kHalfGap);

/// A roller of this mass [kg] in the groove between two boxes, turned by `angle` degrees about the vertical.
std::string groove(double mass, double angle) {
  std::ostringstream text;
  text.precision(17);
  text << "<mujoco><worldbody><geom type='box' size='.1 .3 .1' pos='-.15 0 .1'/>"
       << "<geom type='box' size='.1 .3 .1' pos='.15 0 .1'/><body pos='0 0 " << kHeight << "' euler='90 0 " << angle
       << "'><freejoint/><geom type='cylinder' size='" << kRadius << " .2' mass='" << mass << "'/></body>"
       << "</worldbody></mujoco>";
  return text.str();
}

TEST(Edges, ARollerInAGrooveLiesStill) {
  constexpr double kStill = 1e-7;  // [m/s], [rad/s]
  for (const double mass : {0.001, 1000.0})
    for (const double angle : {0.0, 1e-10, 0.01}) {
      Scene scene = load_scene(test::write_temporary("groove.xml", groove(mass, angle)));
      scene.step_size = 0.01;
      Simulator sim(scene, {.device = "cpu", .threads = 1});
      for (int step = 0; step < 100; ++step)
        ASSERT_EQ(sim.step()[0], status::kConverged) << mass << " kg, " << angle << " degrees, step " << step;
      for (const double v : sim.qvel()) EXPECT_LE(std::fabs(v), kStill) << mass << " kg, " << angle << " degrees";
      EXPECT_NEAR(sim.qpos()[2], kHeight, 1e-6) << mass << " kg, " << angle << " degrees";
    }
}

}  // namespace
}  // namespace stiction
