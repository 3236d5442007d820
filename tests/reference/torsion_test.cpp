// Claims about the reference's cone with torsion, and its solutions of random problems with it.
#include <gtest/gtest.h>

#include <cmath>

#include "host/api/reference_points.hpp"
#include "host/reference/contact_solver.hpp"
#include "host/reference/step.hpp"
#include "kernels/problem/cone.hpp"
#include "tests/reference/random_programs.hpp"
#include "tests/reference/settled.hpp"
#include "tests/reference/tolerances.hpp"
#include "tests/support/every_choice.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {
namespace {

using Eigen::Vector4d;
using Eigen::VectorXd;

/// One contact with torsion and nothing else.
FrictionCone cone_with(const Eigen::Vector3d& mu) {
  DenseProblem p;
  p.cone = ConeType::kQuadratic, p.dimension = 4;
  p.gap_rate = VectorXd::Zero(1);
  p.mu = mu.transpose();
  return cone_of(p, 0);
}

Eigen::Vector3d random_mu(Dice& dice, int k) {
  Eigen::Vector3d mu(dice.uniform(0.05, 2.0), dice.uniform(0.05, 2.0), dice.uniform(0.01, 1.0));
  if (k % 5 == 0) mu[k / 5 % 3] = 0.0;
  if (k % 7 == 0) mu[k / 7 % 3] = 0.0;
  return mu;
}

TEST(TorsionCone, ProjectionHandNumbers) {
  const FrictionCone round = cone_with({1, 1, 1});
  EXPECT_NEAR((project(round, Vector4d(2, 1, 1, -1)) - Vector4d(2, 1, 1, -1)).norm(), 0.0, tolerance::kExact);
  EXPECT_EQ(project(round, Vector4d(-2, 1, 1, -1)).norm(), 0.0);
  EXPECT_NEAR((project(round, Vector4d(0, 2, -2, 1)) - Vector4d(1.5, 1, -1, 0.5)).norm(), 0.0, tolerance::kExact);
  EXPECT_NEAR((project(cone_with({0, 0, 0.5}), Vector4d(0, 3, 4, 1)) - Vector4d(0.4, 0, 0, 0.2)).norm(), 0.0,
              tolerance::kExact);
}

TEST(TorsionCone, TheKernelsProjectToTheSamePoint) {
  const FacetTable<double> table{4, nullptr, nullptr, ConeType::kQuadratic};
  Dice dice(31);
  for (int k = 0; k < 5000; ++k) {
    const Eigen::Vector3d mu = random_mu(dice, k);
    const VectorXd x = dice.vector(4);
    const auto ours = stiction::project_to_cone(table, Friction<double>{mu[0], mu[1], mu[2]},
                                                ContactVector<double>{x[0], x[1], x[2], x[3]})
                          .point;
    const Vector4d point(ours.n, ours.t, ours.o, ours.r);
    EXPECT_LE((project(cone_with(mu), x) - point).norm(), tolerance::kKinematics * x.norm()) << k;
  }
}

TEST(TorsionCone, RateOfTheProjectionIsThatOfDifferences) {
  constexpr double kDifference = 1e-6, kOfDifferences = 1e-5;  // half of a central difference; its error and rounding
  constexpr int kCount = 3000;
  Dice dice(33);
  int smooth = 0;
  for (int k = 0; k < kCount; ++k) {
    const FrictionCone cone = cone_with(random_mu(dice, k));
    const VectorXd x = dice.vector(4), d = kDifference * dice.vector(4).normalized();
    const VectorXd rate = (project(cone, x + d) - project(cone, x - d)) / (2.0 * kDifference);
    const VectorXd predicted = projection_rate(cone, x) * d / kDifference;
    const bool kink = (projection_rate(cone, x + d) - projection_rate(cone, x - d)).norm() > kOfDifferences;
    if (kink) continue;
    ++smooth;
    EXPECT_LE((rate - predicted).norm(), kOfDifferences) << k;
  }
  EXPECT_GE(smooth, tolerance::kShareSettled * kCount);
}

class TorsionUnder : public testing::TestWithParam<test::Named<ContactLaw>> {};

TEST_P(TorsionUnder, LeavesAResidualOfRoundingOnRandomContacts) {
  Dice dice(32);
  expect_residuals_of_rounding(16, [&] {
    const int bodies = dice.integer(1, 3);
    DenseProblem p = add_torsion(
        dice, random_contacts(dice, bodies, dice.integer(0, 9), 4 * bodies + dice.integer(0, 3 * bodies)), bodies);
    p.law = GetParam().value;
    for (int i = 0; i < p.num_contacts(); ++i) p.mu(i, 1) *= dice.uniform(0.5, 1.5);
    return p;
  });
}

INSTANTIATE_TEST_SUITE_P(EveryLaw, TorsionUnder, testing::ValuesIn(test::kEveryLaw),
                         [](const auto& info) { return info.param.name; });

TEST(TorsionStep, SlowsASpinningBallByMuTimesItsWeight) {
  const std::string text =
      "<mujoco><worldbody><geom type='plane' size='2 2 .1' friction='0 0 0'/><body pos='0 0 .1'><freejoint/>"
      "<geom size='.1' mass='1' condim='4' friction='.5 .01 0'/></body></worldbody></mujoco>";
  Scene scene = load_scene(test::write_temporary("reference_spin.xml", text));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = ContactLaw::kCoulomb;
  scene.physics.cone = ConeType::kQuadratic;
  scene.qvel = {0, 0, 0, 0, 0, 5};
  ReferenceEnvironment env(scene, narrow_phase_source(*scene.model));
  for (int k = 1; k <= 10; ++k) {
    ASSERT_EQ(env.step(), status::kConverged) << "step " << k;
    EXPECT_NEAR(env.qvel[5], 5 - k * 0.01 * 9.81 * scene.step_size / 4e-3, tolerance::kPosition) << "step " << k;
    ASSERT_EQ(env.contacts.size(), 1u);
    EXPECT_NEAR(env.contacts[0].torsion, -0.01 * 9.81, tolerance::kPosition) << "step " << k;
  }
}

}  // namespace
}  // namespace stiction::reference
