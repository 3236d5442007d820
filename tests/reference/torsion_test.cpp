// Claims about the reference's cone with torsion, and its solutions of random problems with it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "host/api/reference_points.hpp"
#include "host/reference/contact_solver.hpp"
#include "host/reference/step.hpp"
#include "kernels/problem/cone.hpp"
#include "kernels/team/team.hpp"
#include "tests/reference/random_programs.hpp"
#include "tests/reference/settled.hpp"
#include "tests/reference/tolerances.hpp"
#include "tests/support/every_choice.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {
namespace {

using Eigen::Vector4d;
using Eigen::VectorXd;

constexpr int kFacets = 5;  // of pyramids

/// One contact with torsion and nothing else.
FrictionCone cone_with(const Eigen::Vector3d& mu, ConeType cone = ConeType::kQuadratic) {
  DenseProblem p;
  p.cone = cone, p.facets = kFacets, p.dimension = 4;
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

class TorsionConeOf : public testing::TestWithParam<test::Named<ConeType>> {};

TEST_P(TorsionConeOf, IsThatOfTheKernels) {
  const ConeShape shape = shape_cone(ContactLaw::kAnitescu, GetParam().value, kFacets, 4);
  std::vector<double> cosine(static_cast<std::size_t>(shape.polygon)), sine(cosine.size());
  FacetTable<double> table{shape.polygon, cosine.data(), sine.data(), shape.cone};
  fill_facet_table(HostTeam<>{}, table);
  Dice dice(31);
  for (int k = 0; k < 5000; ++k) {
    const Eigen::Vector3d mu = random_mu(dice, k);
    const VectorXd x = dice.vector(4);
    const Friction<double> friction{mu[0], mu[1], mu[2]};
    const ContactVector<double> vector{x[0], x[1], x[2], x[3]};
    const auto ours = stiction::project_to_cone(table, friction, vector).point;
    const Vector4d point(ours.n, ours.t, ours.o, ours.r);
    const FrictionCone cone = cone_with(mu, GetParam().value);
    EXPECT_LE((project(cone, x) - point).norm(), tolerance::kKinematics * x.norm()) << k;
    EXPECT_NEAR(support(cone, x), support_friction(table, friction, vector), tolerance::kKinematics * x.norm()) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCone, TorsionConeOf, testing::ValuesIn(test::kEveryCone),
                         [](const auto& info) { return info.param.name; });

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

class TorsionUnder : public testing::TestWithParam<std::tuple<test::Named<ContactLaw>, test::Named<ConeType>>> {};

TEST_P(TorsionUnder, LeavesAResidualOfRoundingOnRandomContacts) {
  Dice dice(32);
  expect_residuals_of_rounding(16, [&] {
    const int bodies = dice.integer(1, 3);
    DenseProblem p = add_torsion(
        dice, random_contacts(dice, bodies, dice.integer(0, 9), 4 * bodies + dice.integer(0, 3 * bodies)), bodies);
    p.law = std::get<0>(GetParam()).value, p.cone = std::get<1>(GetParam()).value, p.facets = kFacets;
    for (int i = 0; i < p.num_contacts(); ++i) p.mu(i, 1) *= dice.uniform(0.5, 1.5);
    return p;
  });
}

INSTANTIATE_TEST_SUITE_P(EveryLawAndCone, TorsionUnder,
                         testing::Combine(testing::ValuesIn(test::kEveryLaw), testing::ValuesIn(test::kEveryCone)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

TEST(TorsionStep, SlowsASpinningBallByMuTimesItsWeight) {
  const std::string text =
      "<mujoco><worldbody><geom type='plane' size='2 2 .1' friction='0 0 0'/><body pos='0 0 .1'><freejoint/>"
      "<geom size='.1' mass='1' condim='4' friction='.5 .01 0'/></body></worldbody></mujoco>";
  Scene scene = load_scene(test::write_temporary("reference_spin.xml", text));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = ContactLaw::kCoulomb;
  scene.qvel = {0, 0, 0, 0, 0, 5};
  for (const auto& cone : test::kEveryCone) {
    scene.physics.cone = cone.value;
    ReferenceEnvironment env(scene, narrow_phase_source(*scene.model));
    for (int k = 1; k <= 10; ++k) {
      ASSERT_EQ(env.step(), status::kConverged) << "step " << k;
      EXPECT_NEAR(env.qvel[5], 5 - k * 0.01 * 9.81 * scene.step_size / 4e-3, tolerance::kPosition) << "step " << k;
      ASSERT_EQ(env.contacts.size(), 1u);
      EXPECT_NEAR(env.contacts[0].torsion, -0.01 * 9.81, tolerance::kPosition) << "step " << k;
    }
  }
}

}  // namespace
}  // namespace stiction::reference
