// Claim: what stands on a slope tips where its weight passes the border of its foot, whichever way the slope runs below
// it and however many sides the foot has.
//
//   tan(angle) = (way from below the centre of mass, downhill, to the border) / (height of the centre of mass)
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <sstream>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRadius = 0.1, kHalfHeight = 0.15, kAside = 0.05;  // of the foot, of the body, of the weight [m]
constexpr int kAzimuths = 16;
constexpr double kSeconds = 2.0;  // ten times the time in which what tips by the tolerance grows by e

struct Foot {
  int sides;    // 0: round
  bool weight;  // a weight beside the axis, as heavy as the body itself
};

std::string geom(const Foot& foot) {
  std::ostringstream text;
  text << "<geom mass='1' ";
  if (foot.sides == 0)
    text << "type='cylinder' size='" << kRadius << " " << kHalfHeight << "'/>";
  else
    text << "type='mesh' mesh='prism'/>";
  if (foot.weight) text << "<geom type='sphere' size='.01' mass='1' contype='0' conaffinity='0' pos='.1 0 0'/>";
  return text.str();
}

/// A prism of circumradius kRadius with a corner on x.
std::string prism(int sides) {
  std::ostringstream text;
  text.precision(17);
  for (int k = 0; k < sides; ++k)
    for (double z : {-kHalfHeight, kHalfHeight})
      text << kRadius * std::cos(2 * kPi * k / sides) << " " << kRadius * std::sin(2 * kPi * k / sides) << " " << z
           << " ";
  return text.str();
}

const char* const kGrounds[] = {"type='plane' size='5 5 .1'", "type='box' size='1 1 .5' pos='0 0 -.5'"};

Scene standing_scene(const Foot& foot, const char* ground, double h) {
  std::ostringstream text;
  text << "<mujoco><asset>";
  if (foot.sides > 0) text << "<mesh name='prism' vertex='" << prism(foot.sides) << "'/>";
  text << "</asset><worldbody><geom " << ground << " friction='2'/><body pos='0 0 " << kHalfHeight << "'><freejoint/>"
       << geom(foot) << "</body></worldbody></mujoco>";
  Scene scene = load_scene(test::write_temporary("standing.xml", text.str()));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = ContactLaw::kCoulomb;
  scene.physics.cone = ConeType::kQuadratic;
  scene.step_size = h;
  return scene;
}

/// The way from below the centre of mass to the border, downhill at `azimuth` from the body's x [m].
double way_to_border(const Foot& foot, double azimuth) {
  const double x = foot.weight ? kAside : 0, ux = std::cos(azimuth), uy = std::sin(azimuth);
  if (foot.sides == 0) return std::sqrt(kRadius * kRadius - x * x * uy * uy) - x * ux;
  double way = 1e30;
  for (int k = 0; k < foot.sides; ++k) {  // sides n·p <= r cos(π / sides)
    const double angle = 2 * kPi * (k + 0.5) / foot.sides, nx = std::cos(angle), ny = std::sin(angle);
    const double along = nx * ux + ny * uy;
    if (along > 1e-9) way = std::min(way, (kRadius * std::cos(kPi / foot.sides) - nx * x) / along);
  }
  return way;
}

/// Largest tilt [rad] on a slope of this angle, downhill at `azimuth` from the body's x.
double tilt_on(const Foot& foot, const char* ground, double h, double azimuth, double angle) {
  Scene scene = standing_scene(foot, ground, h);
  auto model = std::make_shared<Model>(*scene.model);
  const double turn = 0.3 + azimuth, g = 9.81;  // of the slope on the floor; the body's x stays 0.3 from the world's
  model->gravity[0] = g * std::sin(angle) * std::cos(turn);
  model->gravity[1] = g * std::sin(angle) * std::sin(turn);
  model->gravity[2] = -g * std::cos(angle);
  scene.model = model;
  Simulator sim(scene, {.device = "cpu", .threads = 1});
  sim.set_qpos(std::vector<double>{0, 0, kHalfHeight, std::cos(0.15), 0, 0, std::sin(0.15)});
  const int steps = static_cast<int>(std::lround(kSeconds / h));
  double tilt = 0;
  for (int k = 0; k < steps && tilt < 0.5; ++k) {
    EXPECT_FALSE(sim.step()[0] & ~status::kConverged) << status_names(sim.status()[0]) << " step " << k;
    const std::vector<double> q = sim.qpos();
    tilt = std::max(tilt, 2 * std::asin(std::min(1.0, std::hypot(q[4], q[5]))));
  }
  return tilt;
}

class Tipping : public testing::TestWithParam<Foot> {};

TEST_P(Tipping, BeginsWhereTheWeightPassesTheBorderOfTheFoot) {
  const Foot& foot = GetParam();
  const double height = kHalfHeight, slack = tolerance::kTippingAngle * kPi / 180.0;
  for (const char* ground : kGrounds)
    for (double h : {0.005, 0.02})
      for (int k = 0; k < kAzimuths; ++k) {
        const double azimuth = 2 * kPi * (k + 0.37) / kAzimuths;
        const double limit = std::atan(way_to_border(foot, azimuth) / height);
        EXPECT_LE(tilt_on(foot, ground, h, azimuth, limit - slack), tolerance::kStanding) << azimuth << " " << h;
        EXPECT_GE(tilt_on(foot, ground, h, azimuth, limit + slack), tolerance::kTipped) << azimuth << " " << h;
      }
}

std::vector<Foot> feet() {
  const char* full = std::getenv("ST_FULL");
  std::vector<Foot> feet = {{0, false}, {0, true}, {7, true}};
  for (int sides = 5; sides <= 24; ++sides)
    if ((full != nullptr && *full != 0) || sides == 5 || sides == 6 || sides == 12 || sides == 17 || sides == 24)
      feet.push_back({sides, false});
  return feet;
}

INSTANTIATE_TEST_SUITE_P(Feet, Tipping, testing::ValuesIn(feet()), [](const auto& info) {
  const std::string shape = info.param.sides == 0 ? "Cylinder" : "Prism" + std::to_string(info.param.sides);
  return shape + (info.param.weight ? "WithAWeightAside" : "");
});

}  // namespace
}  // namespace stiction
