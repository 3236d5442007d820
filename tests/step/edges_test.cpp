// Claim: what lies on edges comes to rest, exactly along them or nearly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "host/api/simulator.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kRadius = 0.08, kHalfGap = 0.05, kTop = 0.2;  // [m]
const double kHeight = kTop + std::sqrt(kRadius * kRadius - kHalfGap * kHalfGap);

struct Roller {
  double mass, half_length, y, angle;  // [kg], [m], middle along the groove [m], about the vertical [degrees]
};

/// A roller in the groove of 0.6 m between two boxes.
std::string groove(const Roller& roller) {
  std::ostringstream text;
  text.precision(17);
  text << "<mujoco><worldbody><geom type='box' size='.1 .3 .1' pos='-.15 0 .1'/>"
       << "<geom type='box' size='.1 .3 .1' pos='.15 0 .1'/><body pos='0 " << roller.y << ' ' << kHeight
       << "' euler='90 0 " << roller.angle << "'><freejoint/><geom type='cylinder' size='" << kRadius << ' '
       << roller.half_length << "' mass='" << roller.mass << "'/></body></worldbody></mujoco>";
  return text.str();
}

double fastest(const Simulator& sim) {
  double speed = 0;
  for (const double v : sim.qvel()) speed = std::max(speed, std::fabs(v));
  return speed;
}

/// A roller of any mass inside of the groove, one that hangs over its end, one that is longer and one of the same
/// length.
TEST(Edges, ARollerInAGrooveLiesStill) {
  constexpr double kSettling = 1e-4, kStill = 1e-7, kMoved = 1e-5;  // [m/s], [rad/s]; [m]
  for (const auto& [mass, half_length, y] :
       {std::array{0.001, 0.2, 0.0}, {1000.0, 0.2, 0.0}, {1.0, 0.2, 0.12}, {1.0, 0.4, 0.0}, {1.0, 0.3, 0.0}})
    for (const double angle : {0.0, 1e-10, 0.01}) {
      SCOPED_TRACE(testing::Message() << mass << " kg, " << half_length << " m, " << angle << " degrees");
      Scene scene = load_scene(test::write_temporary("groove.xml", groove({mass, half_length, y, angle})));
      scene.step_size = 0.01;
      Simulator sim(scene, {.device = "cpu", .threads = 1});
      for (int step = 0; step < 3000; ++step) {
        ASSERT_EQ(sim.step()[0], status::kConverged) << step;
        ASSERT_LE(fastest(sim), kSettling) << step;
      }
      EXPECT_LE(fastest(sim), kStill);
      EXPECT_NEAR(sim.qpos()[1], y, kMoved);
      EXPECT_NEAR(sim.qpos()[2], kHeight, kMoved);
    }
}

}  // namespace
}  // namespace stiction
