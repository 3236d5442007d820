// Claims: derivatives of smoothed steps that seek their end are central differences of these steps, for bodies that end
// on every feature of theirs, sticking and sliding, and for several bodies, every dynamics and every cone; those of
// little smoothing are central differences of hard steps; where there are none, the status says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/model/choices.hpp"
#include "tests/patch/feature_states.hpp"
#include "tests/patch/tolerances.hpp"
#include "tests/step/derivatives.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_dynamics.hpp"

namespace stiction::test {
namespace {

using reference::Dice;

/// q ⊞ h v with `rotation`; a body that turns linearly has its centre of mass at its origin.
Vector move(const Scene& scene, const Vector& qpos, const Vector& v) {
  Vector next = reference::integrate(*scene.model, qpos, v, scene.step_size, free_motion(scene));
  if (scene.physics.rotation == Rotation::kExact) return next;
  const Eigen::Quaterniond q(qpos[3], qpos[4], qpos[5], qpos[6]), spin(0, v[3], v[4], v[5]);
  const Eigen::Vector4d turned = q.coeffs() + 0.5 * scene.step_size * (q * spin).coeffs();
  const Eigen::Vector4d xyzw = turned.normalized();
  next.segment(3, 4) << xyzw[3], xyzw[0], xyzw[1], xyzw[2];
  return next;
}

/// ∂next/∂q at qpos, by central differences over `delta` and half of it.
template <class Next>
Matrix extrapolated_differences(const Scene& scene, const Vector& qpos, double delta, const Next& next) {
  const Model& m = *scene.model;
  const Vector at = next(qpos);
  const auto column = [&](int k, double by) {
    const auto side = [&](double sign) {
      return difference(m, next(reference::integrate(m, qpos, Vector::Unit(m.nv, k), sign * by, free_motion(scene))),
                        at);
    };
    return Vector((side(1) - side(-1)) / (2 * by));
  };
  Matrix A(m.nv, m.nv);
  for (int k = 0; k < m.nv; ++k) A.col(k) = (4 * column(k, delta / 2) - column(k, delta)) / 3;
  return A;
}

/// The same of the simulator's smoothed steps from its state.
Matrix smoothed_differences(Simulator& sim, double smoothing, double delta) {
  const Vector q = as_vector(sim.qpos());
  Matrix A = extrapolated_differences(sim.scene(), q, delta, [&](const Vector& qpos) {
    sim.set_qpos(as_values(qpos));
    const Derivatives d = derivatives_of(sim, smoothing);
    EXPECT_EQ(d.status, status::kConverged) << status_names(d.status);
    return move(sim.scene(), qpos, d.v);
  });
  sim.set_qpos(as_values(q));
  return A;
}

class LinearizeFeature : public testing::TestWithParam<std::tuple<Feature, bool>> {};

TEST_P(LinearizeFeature, IsTheDifferenceOfSmoothedSteps) {
  const auto [feature, slides] = GetParam();
  for (int seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    Simulator sim(feature_scene(feature, slides, dice), {.device = "cpu", .threads = 1});
    const Derivatives d = derivatives_of(sim, 1e-4);
    ASSERT_EQ(d.status, status::kConverged) << seed << " " << status_names(d.status);
    EXPECT_LE(relative_difference(d.A, smoothed_differences(sim, 1e-4, 1e-6)), tolerance::kDerivative) << seed;
  }
}

/// How the last step of one body ended.
struct Ending {
  int points = 0;      // points that carry
  double least = 1.0;  // least impulse of these over that of all [-]
  double used = 0.0;   // share of the friction that is used: 1 where it slides [-]

  explicit Ending(const Simulator& sim) {
    const ContactArrays c = sim.contacts();
    Eigen::Vector4d force = Eigen::Vector4d::Zero();
    const auto count = static_cast<std::size_t>(c.count[0]);
    for (std::size_t i = 0; i < count; ++i)
      force += Eigen::Vector4d(c.force[3 * i], c.force[3 * i + 1], c.force[3 * i + 2], c.torsion[i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (!(c.force[3 * i] > 1e-9 * force[0])) continue;
      ++points;
      least = std::min(least, c.force[3 * i] / force[0]);
    }
    const Model& m = *sim.scene().model;
    const double mu = m.pair_friction[0], mu_r = m.pair_friction[2];
    used = Eigen::Vector3d(force[1] / mu, force[2] / mu, force[3] / mu_r).norm() / force[0];
  }

  /// True if the body rests on the feature, sliding or not, and stays so if it is moved a little.
  bool is(Feature feature, bool slides) const {
    constexpr int kLeast[] = {1, 2, 3, 1, 2, 3}, kMost[] = {1, 2, 4, 1, 2, 8};
    const int which = static_cast<int>(feature);
    const bool rests = points >= kLeast[which] && points <= kMost[which];
    const bool clear = least > 1e-6 || feature == Feature::kDisk;  // how its points share the load is not determined
    return rests && clear && (slides ? used > 1.0 - 1e-9 : used < 0.99);
  }
};

TEST_P(LinearizeFeature, TendsToTheDifferenceOfHardSteps) {
  const Feature feature = std::get<0>(GetParam());
  const bool slides = std::get<1>(GetParam());
  const double smoothing = slides ? 1e-9 : 2e-10;
  int compared = 0;
  for (int seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    Simulator sim(feature_scene(feature, slides, dice), {.device = "cpu", .threads = 1});
    const Derivatives d = derivatives_of(sim, smoothing);
    const SimulatorState start = sim.state();
    bool holds = d.status == status::kConverged;
    const Matrix A = extrapolated_differences(sim.scene(), as_vector(sim.qpos()), 4e-6, [&](const Vector& qpos) {
      sim.set_state(start);
      sim.set_qpos(as_values(qpos));
      const bool solved = sim.step()[0] == status::kConverged;
      holds = holds && solved && Ending(sim).is(feature, slides);
      return as_vector(sim.qpos());
    });
    if (!holds) continue;
    ++compared;
    EXPECT_LE(relative_difference(d.A, A), tolerance::kHardDerivative) << seed;
  }
  EXPECT_GT(compared, 180);
}

INSTANTIATE_TEST_SUITE_P(Patch, LinearizeFeature,
                         testing::Combine(testing::Values(Feature::kVertex, Feature::kEdge, Feature::kFace,
                                                          Feature::kRim, Feature::kLine, Feature::kDisk),
                                          testing::Bool()),
                         [](const auto& info) {
                           return std::string(kFeatureNames[static_cast<int>(std::get<0>(info.param))]) +
                                  (std::get<1>(info.param) ? "_slides" : "_sticks");
                         });

/// Boxes that are stacked and pushed, tilted a little, so that no edge lies along another and no two gaps are equal.
Scene several_boxes(Dynamics dynamics, ConeType cone, ContactLaw law) {
  Scene scene = pushed_boxes();
  scene.model = load_scene(write_temporary("several_boxes.xml", only_boxes())).model;
  scene.randomize.qpos_noise.clear();
  scene.physics.dynamics = dynamics;
  scene.physics.cone = cone;
  scene.physics.law = law;
  scene.physics.geometry = ContactGeometry::kEnd;
  scene.physics.contact = cone == ConeType::kQuadratic ? ContactModel::kPatch : ContactModel::kPoints;
  const Model& m = *scene.model;
  Vector by(m.nv);
  for (int k = 0; k < m.nv; ++k) by[k] = 0.02 * std::sin(1.0 + 2.0 * k);
  scene.qpos = as_values(reference::integrate(m, as_vector(scene.qpos), by, 1.0));
  for (std::size_t j = 0; j < static_cast<std::size_t>(m.njoint); ++j)
    if (static_cast<JointType>(m.joint_type[j]) == JointType::kFree)
      scene.qpos[static_cast<std::size_t>(m.joint_qpos_adr[j]) + 2] += 0.01;
  return scene;
}

class LinearizeSeveral : public testing::TestWithParam<std::tuple<Dynamics, ConeType, ContactLaw>> {};

TEST_P(LinearizeSeveral, IsTheDifferenceOfSmoothedSteps) {
  const auto [dynamics, cone, law] = GetParam();
  const Scene scene = several_boxes(dynamics, cone, law);
  Simulator sim(scene, {.device = "cpu"});
  const double u = 0.07, smoothing = 1e-3, delta = 3e-6;
  const Vector q = as_vector(sim.qpos());
  const auto end_of = [&](double command) {
    sim.set_ctrl(std::vector{command});
    return move(scene, q, derivatives_of(sim, smoothing).v);
  };
  const Vector at = end_of(u);
  const auto side = [&](double by) { return difference(*scene.model, end_of(u + by), at); };
  const auto column = [&](double by) { return Vector((side(by) - side(-by)) / (2 * by)); };
  const Vector B = (4 * column(delta / 2) - column(delta)) / 3;
  sim.set_ctrl(std::vector{u});
  const Derivatives d = derivatives_of(sim, smoothing);
  ASSERT_EQ(d.status, status::kConverged) << status_names(d.status);
  EXPECT_LE(relative_difference(d.A, smoothed_differences(sim, smoothing, delta)), tolerance::kDerivative);
  EXPECT_LE(relative_difference(d.B, B), tolerance::kDerivative);
  EXPECT_GT(relative_difference(d.A, Matrix::Identity(d.A.rows(), d.A.cols())), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Patch, LinearizeSeveral,
                         testing::Combine(testing::Values(Dynamics::kQuasidynamic, Dynamics::kDynamic),
                                          testing::Values(ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox),
                                          testing::Values(ContactLaw::kAnitescu, ContactLaw::kCoulomb)),
                         [](const auto& info) {
                           return dynamics_name({std::get<0>(info.param), 0}) + "_" +
                                  choice_name(cone_choice(), std::get<1>(info.param)) + "_" +
                                  choice_name(law_choice(), std::get<2>(info.param));
                         });

TEST(LinearizeEnd, DoesNotChangeTheStepsThatFollow) {
  Dice dice(7);
  const Scene scene = feature_scene(Feature::kDisk, true, dice);
  Simulator sim(scene, {.device = "cpu", .threads = 1}), same(scene, {.device = "cpu", .threads = 1});
  for (Simulator* s : {&sim, &same}) s->step(2);
  sim.linearize(1e-4);
  for (Simulator* s : {&sim, &same}) s->step(2);
  EXPECT_TRUE(same_bits(sim.qpos(), same.qpos()));
  EXPECT_TRUE(same_bits(sim.qvel(), same.qvel()));
}

TEST(LinearizeEnd, OfASinglePrecisionStateIsNear) {
  for (const Feature feature : {Feature::kVertex, Feature::kFace}) {
    Dice dice(3);
    const Scene scene = feature_scene(feature, true, dice);
    Simulator sim(scene, {.device = "cpu"}), single(scene, {.device = "cpu", .dtype = Dtype::kFloat32});
    const Derivatives d = derivatives_of(sim, 1e-3), near = derivatives_of(single, 1e-3);
    ASSERT_EQ(near.status, status::kConverged) << kFeatureNames[static_cast<int>(feature)];
    EXPECT_LE(relative_difference(near.A, d.A), tolerance::kDerivativeSingle);
  }
}

/// A box whose corner comes down on the edge of another: beside it the corner falls past.
TEST(LinearizeEnd, SaysWhereThereIsAKink) {
  const char* text = R"(
<mujoco><worldbody><geom type="box" size=".1 .1 .1" pos="-.1 0 -.1"/>
  <body><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>
</worldbody></mujoco>)";
  Dice dice(0);
  Scene scene = feature_scene(Feature::kVertex, false, dice);
  scene.model = load_scene(write_temporary("corner.xml", text)).model;
  scene.qvel = {0, 0, 0, 0, 0, 0};
  const auto status_at = [&](double x) {
    const Eigen::Quaterniond q = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d(1, 1, 1), Eigen::Vector3d::UnitZ());
    scene.qpos = {x, 0, 0.05 * std::sqrt(3.0) + 4e-4, q.w(), q.x(), q.y(), q.z()};
    Simulator sim(scene, {.device = "cpu"});
    const Derivatives d = derivatives_of(sim, 1e-9);
    EXPECT_EQ(d.A.array().isNaN().all(), d.status != status::kConverged);
    return d.status;
  };
  for (const double x : {-0.02, -1e-4, 1e-4}) EXPECT_EQ(status_at(x), status::kConverged) << x;
  EXPECT_EQ(status_at(1e-6), status::kEndOpen);
}

}  // namespace
}  // namespace stiction::test
