// Claims about whole steps of the reference, with contact points from the shared narrow phase.
#include "host/reference/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "host/api/reference_points.hpp"
#include "tests/reference/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {
namespace {

ReferenceEnvironment make_environment(const Scene& scene) {
  return ReferenceEnvironment(scene, narrow_phase_source(*scene.model));
}

Scene inline_scene(const std::string& name, const std::string& body) {
  const std::string text = "<mujoco><worldbody><geom name='floor' type='plane' size='2 2 .1' friction='.5 0 0'/>" +
                           body + "</worldbody></mujoco>";
  Scene scene = load_scene(test::write_temporary("reference_" + name + ".xml", text));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  scene.step_size = 0.1;
  return scene;
}

TEST(ReferenceStep, ReproducesTheGripperScene) {
  const Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "gripper2d").string());
  ReferenceEnvironment env = make_environment(scene);
  for (int l = 0; l < 35; ++l) {
    ASSERT_EQ(env.step(), status::kConverged) << "step " << l;
    EXPECT_LE(env.residual, tolerance::kResidual);
    // qpos = x_c, y_c, y, x_l, x_r
    const double phi = env.qpos[0] - env.qpos[3] - 0.1;
    if (l == 2) {
      EXPECT_NEAR(phi, 0.0, tolerance::kPosition);
    }
    if (l >= 13 && l < 23) {
      EXPECT_NEAR(phi, 1e-3 * (1.0 - std::pow(3.0, 12 - l)), tolerance::kPosition) << "step " << l;
    }
    EXPECT_NEAR(env.qpos[1], 0.1, tolerance::kPosition);
    double up = 0.0;  // what the contacts give the ball: its weight
    for (const ContactReadout& c : env.contacts) {
      const bool on_ball = scene.model->geom_body[c.geom[1]] == 1;
      for (int axis = 0; axis < 3; ++axis) up += (on_ball ? 1.0 : -1.0) * c.frame[axis][2] * c.force[axis];
    }
    EXPECT_NEAR(up, 10.0, tolerance::kForce);
  }
}

TEST(ReferenceStep, LandsABoxThatHangsFarAboveTheFloor) {
  const Scene scene =
      inline_scene("drop", "<body pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body>");
  ReferenceEnvironment env = make_environment(scene);
  ASSERT_EQ(env.step(), status::kConverged);
  EXPECT_NEAR(env.qpos[2], 0.1, tolerance::kPosition);
  double weight = 0.0;
  for (const ContactReadout& c : env.contacts) weight += c.force[0];
  EXPECT_NEAR(weight, 2 * 9.81, tolerance::kForce);
  EXPECT_LE(env.penetration, tolerance::kPosition);
  EXPECT_LE(env.hover, tolerance::kPosition);
}

TEST(ReferenceStep, KeepsTheStateOfABodyWithNothingBelow) {
  Scene scene = inline_scene(
      "free", "<body pos='0 0 1'><freejoint/><geom type='sphere' size='.1' contype='0' conaffinity='0'/></body>");
  ReferenceEnvironment env = make_environment(scene);
  EXPECT_EQ(env.step(), status::kUnbounded);
  EXPECT_EQ(env.qpos[2], 1.0);
  EXPECT_LT(env.answer.direction[2], 0.0);
}

TEST(ReferenceStep, FallsByGravityOnceAStepInQuasidynamicsWithTheTrueMass) {
  Scene scene = inline_scene("fall", "<body pos='0 0 1'><freejoint/><geom type='sphere' size='.1' mass='3'/></body>");
  scene.physics.dynamics = Dynamics::kQuasidynamic;
  scene.physics.mass_ratio = 0.0;
  ReferenceEnvironment env = make_environment(scene);
  for (int l = 1; l <= 3; ++l) {
    ASSERT_EQ(env.step(), status::kConverged);
    EXPECT_NEAR(env.qpos[2], 1.0 - l * 0.01 * 9.81, tolerance::kPosition);  // h² g each, momentum forgotten
  }
}

TEST(ReferenceStep, SharesAnOverlapThatNoMotionResolves) {
  const Scene scene =
      inline_scene("closed",
                   "<geom type='box' pos='0 0 .27' size='1 1 .08'/>"  // ceiling at 0.19, sphere 0.2 high
                   "<body pos='0 0 .095'><freejoint/><geom type='sphere' size='.1'/></body>");
  ReferenceEnvironment env = make_environment(scene);
  EXPECT_EQ(env.step(), status::kInfeasible);
  EXPECT_NEAR(env.violation, 0.01, tolerance::kPosition);
}

TEST(ReferenceStep, RefusesAStateThatIsNotFinite) {
  const Scene scene = inline_scene("nan", "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body>");
  ReferenceEnvironment env = make_environment(scene);
  env.qpos[0] = std::nan("");
  EXPECT_EQ(env.step(), status::kNotFinite);
}

}  // namespace
}  // namespace stiction::reference
