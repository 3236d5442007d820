// Claim: bodies that do not touch move as if each group were alone in the world.
#include <gtest/gtest.h>

#include <cmath>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

const char* const kFloor = "<geom type='plane' size='9 9 .1' friction='.5 0 0'/>";
/// Two boxes, one landing askew on the other; a sphere that is thrown at an arm; each with what it starts with.
const char* const kIslands[] = {
    "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2' friction='.5 0 0'/></body>"
    "<body pos='.03 .02 .33' euler='.2 .1 .3'><freejoint/>"
    "<geom type='box' size='.08 .1 .1' mass='.7' friction='.5 0 0'/></body>",
    "<body pos='5 0 .5'><joint type='hinge' axis='0 1 0' range='-1 1' limited='true' frictionloss='.1' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.04' mass='1' friction='.3 0 0'/></body>"
    "<body pos='4.6 0 .2'><freejoint/><geom size='.1' mass='.5' friction='.3 0 0'/></body>"};
constexpr int kFirstDofs = 12, kSecondDofs = 7;

std::vector<double> start_velocity(bool first, bool second) {
  std::vector<double> v;
  if (first) v.insert(v.end(), {.5, 0, 0, 0, 0, 0, -.3, .2, 0, 1, 0, 2});
  if (second) v.insert(v.end(), {0, 2, 0, 0, 0, 10, 0});
  return v;
}

struct Islanders {
  double h;      // [s]
  bool torsion;  // condim 4, 2 cm
  ConeType cone = ConeType::kQuadratic;
};

Scene islands_scene(bool first, bool second, const Islanders& how) {
  const double h = how.h;
  std::string text = "<mujoco><compiler angle='radian'/>";
  if (how.torsion) text += "<default><geom condim='4'/></default>";
  text += std::string("<worldbody>") + kFloor;
  if (first) text += kIslands[0];
  if (second) text += kIslands[1];
  for (std::size_t at; how.torsion && (at = text.find(" 0 0'/>")) != std::string::npos;)
    text.replace(at, 7, " .02 0'/>");
  Scene scene = load_scene(test::write_temporary("islands.xml", text + "</worldbody></mujoco>"));
  scene.physics.cone = how.cone;
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.step_size = h;
  scene.solver.tolerance = 1e-12;
  scene.qvel = start_velocity(first, second);
  return scene;
}

class Islands : public testing::TestWithParam<Islanders> {};

TEST_P(Islands, SolvedApartAreTheWhole) {
  SimulatorOptions options;
  options.device = "cpu";
  Simulator whole(islands_scene(true, true, GetParam()), options);
  Simulator first(islands_scene(true, false, GetParam()), options);
  Simulator second(islands_scene(false, true, GetParam()), options);
  ASSERT_EQ(first.scene().model->nv, kFirstDofs);
  ASSERT_EQ(second.scene().model->nv, kSecondDofs);
  ASSERT_EQ(has_torsion(whole.scene()), GetParam().torsion);
  int contacts = 0;
  for (int k = 0; k < 100; ++k) {
    whole.step(), first.step(), second.step();
    std::vector<double> apart = first.qpos();
    const std::vector<double> rest = second.qpos(), together = whole.qpos();
    apart.insert(apart.end(), rest.begin(), rest.end());
    for (std::size_t i = 0; i < apart.size(); ++i)
      ASSERT_NEAR(together[i], apart[i], tolerance::kIslands) << "step " << k << ", qpos " << i;
    contacts += whole.stats().contacts[0];
  }
  EXPECT_GT(contacts, 100);
}

INSTANTIATE_TEST_SUITE_P(StepSizes, Islands,
                         testing::Values(Islanders{0.0025, false}, Islanders{0.01, false}, Islanders{0.0025, true},
                                         Islanders{0.0025, true, ConeType::kPyramid}),
                         [](const auto& info) {
                           return std::string(info.param.h < 0.005 ? "fine" : "coarse") +
                                  (info.param.torsion ? "_torsion" : "") +
                                  (info.param.cone == ConeType::kPyramid ? "_pyramid" : "");
                         });

}  // namespace
}  // namespace stiction
