// Claims: an environment with parameters of its own takes the steps of a model that was made with them, bit for bit;
// one that makes no sense stops that environment alone; ctrl follows the scene until it is written.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/api/simulator.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/every_dynamics.hpp"

namespace stiction {
namespace {

using test::same_bits;

constexpr int kSteps = 10;

Simulator on(const std::string& device, const Scene& scene, int batch) {
  return Simulator(scene, {.batch = batch, .device = device, .threads = 1});
}

/// The values of environment `env` in an array of the batch.
std::vector<double> row(const std::vector<double>& values, int env, int batch) {
  const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(values.size()) / batch;
  return {values.begin() + env * length, values.begin() + (env + 1) * length};
}

/// Turns quaternion i a little about its own z axis.
void turn(std::vector<double>& quats, std::size_t i) {
  const Quat<double> q = load_quat(quats.data() + 4 * i);
  store_quat(quats.data() + 4 * i, normalise(q * Quat<double>{std::cos(0.1), 0.0, 0.0, std::sin(0.1)}));
}

/// Parameters that differ from those of the pushed boxes in every kind; bodies and geoms as that model orders them.
Model changed(const Model& model) {
  Model own = model;
  own.gravity = {0.3, 0.0, -8.0};
  for (double& mu : own.geom_friction) mu *= 0.7;
  for (double& m : own.body_mass) m *= 1.3;
  for (double& i : own.body_inertia) i *= 1.3;
  for (double& kp : own.actuator_kp) kp *= 0.5;
  for (double& kd : own.actuator_kd) kd += 3.0;
  for (double& damping : own.dof_damping) damping += 0.2;
  for (double& armature : own.dof_armature) armature += 0.01;
  for (int g = 0; g < own.ngeom; ++g) {
    const auto at = static_cast<std::size_t>(g);
    if (own.geom_type[at] == static_cast<int>(GeomType::kPlane)) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      own.geom_size[3 * at + k] *= 0.9;
      own.geom_box_half[3 * at + k] *= 0.9;
    }
    own.geom_radius[at] *= 0.9;
    own.geom_pos[3 * at] += 0.01;
    turn(own.geom_quat, at);
  }
  for (int b = 1; b < own.nbody; ++b) {
    own.body_ipos[3 * static_cast<std::size_t>(b) + 2] -= 0.02;
    turn(own.body_iquat, static_cast<std::size_t>(b));
  }
  return own;
}

void write_parameters(Simulator& sim, int env, const Model& model) {
  const int ids[] = {env};
#define ST_PARAMETER(name, length) sim.write(EnvField::name, ids, model.name);
#define ST_INT_PARAMETER(name, length) \
  sim.write(EnvField::name, ids, std::vector<double>(model.name.begin(), model.name.end()));
#include "kernels/model/env_parameters.inc"
#undef ST_INT_PARAMETER
#undef ST_PARAMETER
}

Scene boxes_with(Dynamics dynamics, bool change) {
  Scene scene = test::pushed_boxes();
  scene.physics.dynamics = dynamics;
  scene.randomize.qpos_noise.clear();
  if (change) scene.model = std::make_shared<const Model>(changed(*scene.model));
  return scene;
}

class ParametersOf : public testing::TestWithParam<std::tuple<Dynamics, const char*>> {};

TEST_P(ParametersOf, AnEnvironmentAreThoseOfAModelOfItsOwn) {
  const auto [dynamics, device] = GetParam();
  Simulator both = on(device, boxes_with(dynamics, false), 2);
  write_parameters(both, 1, changed(*both.scene().model));
  Simulator plain = on(device, boxes_with(dynamics, false), 1), own = on(device, boxes_with(dynamics, true), 1);
  for (Simulator* sim : {&both, &plain, &own}) sim->step(kSteps);
  EXPECT_TRUE(same_bits(row(both.qpos(), 0, 2), plain.qpos()));
  EXPECT_TRUE(same_bits(row(both.qpos(), 1, 2), own.qpos()));
  EXPECT_FALSE(same_bits(plain.qpos(), own.qpos()));
}

INSTANTIATE_TEST_SUITE_P(Step, ParametersOf,
                         testing::Combine(testing::ValuesIn(test::kEveryDynamics), testing::Values("cpu", "reference")),
                         [](const auto& info) {
                           const Dynamics dynamics = std::get<0>(info.param);
                           return test::dynamics_name({dynamics, 0}) + "_" + std::get<1>(info.param);
                         });

struct Spoiled {
  const char* name;
  EnvField field;
  std::size_t index;
  double value;
};

void PrintTo(const Spoiled& shown, std::ostream* out) { *out << shown.name; }

class BadParameter : public testing::TestWithParam<Spoiled> {};

TEST_P(BadParameter, StopsItsEnvironmentAlone) {
  const Spoiled& spoiled = GetParam();
  for (const char* device : {"cpu", "reference"}) {
    const Scene scene = boxes_with(Dynamics::kQuasidynamic, false);
    Simulator sim = on(device, scene, 3), sound = on(device, scene, 3);
    std::vector<double> values = row(sim.read(spoiled.field), 1, 3);
    values[spoiled.index] = spoiled.value;
    const int ids[] = {1};
    sim.write(spoiled.field, ids, values);
    const auto status = sim.step(3);
    sound.step(3);
    EXPECT_EQ(status[1], status::kBadParameter) << device << ": " << status_names(status[1]);
    EXPECT_TRUE(same_bits(row(sim.qpos(), 1, 3), scene.qpos)) << device;
    for (const int env : {0, 2}) {
      EXPECT_EQ(status[static_cast<std::size_t>(env)], status::kConverged) << device;
      EXPECT_TRUE(same_bits(row(sim.qpos(), env, 3), row(sound.qpos(), env, 3))) << device;
    }
  }
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
INSTANTIATE_TEST_SUITE_P(Step, BadParameter,
                         testing::Values(Spoiled{"nan_friction", EnvField::geom_friction, 3, kNaN},
                                         Spoiled{"negative_friction", EnvField::geom_friction, 3, -0.1},
                                         Spoiled{"negative_mass", EnvField::body_mass, 1, -1.0},
                                         Spoiled{"infinite_inertia", EnvField::body_inertia, 4, INFINITY},
                                         Spoiled{"zero_size", EnvField::geom_size, 3, 0.0},
                                         Spoiled{"nan_size", EnvField::geom_size, 4, kNaN},
                                         Spoiled{"no_stiffness", EnvField::actuator_kp, 0, 0.0},
                                         Spoiled{"negative_damping", EnvField::actuator_kd, 0, -1.0},
                                         Spoiled{"negative_dof_damping", EnvField::dof_damping, 2, -0.1},
                                         Spoiled{"nan_armature", EnvField::dof_armature, 1, kNaN},
                                         Spoiled{"uneven_armature", EnvField::dof_armature, 4, 0.5},
                                         Spoiled{"nan_geom_position", EnvField::geom_pos, 3, kNaN},
                                         Spoiled{"long_geom_quaternion", EnvField::geom_quat, 4, 1.1},
                                         Spoiled{"infinite_centre_of_mass", EnvField::body_ipos, 4, INFINITY},
                                         Spoiled{"no_principal_axes", EnvField::body_iquat, 4, 0.0},
                                         Spoiled{"variant_without_a_reset", EnvField::variant, 0, 1.0},
                                         Spoiled{"nan_gravity", EnvField::gravity, 2, kNaN}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Ctrl, FollowsTheSceneUntilItIsWrittenAndAgainAfterAReset) {
  for (const char* device : {"cpu", "reference"}) {
    const Scene scene = boxes_with(Dynamics::kQuasistatic, false);
    Simulator sim = on(device, scene, 2);
    const auto ctrl = [&] { return sim.ctrl(); };
    sim.step(2);  // to 0.1 s
    EXPECT_EQ(ctrl(), (std::vector<double>{0.025, 0.025})) << device;
    static_cast<double*>(sim.memory(EnvField::ctrl).data)[1] = 0.01;
    sim.step(2);
    EXPECT_EQ(ctrl(), (std::vector<double>{0.05, 0.01})) << device;
    const int second[] = {1};
    sim.reset(second);
    sim.step(2);
    EXPECT_EQ(ctrl(), (std::vector<double>{0.075, 0.025})) << device;
    sim.set_ctrl(ctrl());
    sim.step(2);
    EXPECT_EQ(ctrl(), (std::vector<double>{0.075, 0.025})) << device;
  }
}

TEST(State, OfAnyStepContinuesWithTheSameBits) {
  for (const Dynamics dynamics : test::kEveryDynamics) {
    Scene scene = test::pushed_boxes();
    scene.physics.dynamics = dynamics;
    test::add_paddle_script(scene);
    Simulator first = on("cpu", scene, 3), second = on("cpu", scene, 3);
    first.step(4);
    const SimulatorState saved = first.state();
    second.set_state(saved);
    EXPECT_TRUE(same_bits(first.read(EnvField::body_pose), second.read(EnvField::body_pose)));
    for (Simulator* sim : {&first, &second}) sim->step(6);
    for (std::size_t f = 0; f < static_cast<std::size_t>(EnvField::contact_geom); ++f) {  // later ones: stale slots
      const auto field = static_cast<EnvField>(f);
      EXPECT_TRUE(same_bits(first.read(field), second.read(field))) << "field " << f;
    }
    EXPECT_TRUE(same_bits(first.contacts().force, second.contacts().force));
  }
}

TEST(State, OfAnotherBatchIsRefused) {
  Simulator two = on("cpu", test::pushed_boxes(), 2), three = on("cpu", test::pushed_boxes(), 3);
  EXPECT_THROW(three.set_state(two.state()), InputError);
}

TEST(State, OfOneEnvironmentIsTheStartOfOthers) {
  for (const char* device : {"cpu", "reference"}) {
    Simulator sim = on(device, test::pushed_boxes(), 3);
    const int first[] = {0}, others[] = {2, 1};
    sim.set_qvel(std::vector<double>(3 * sim.length(EnvField::qvel), 0.01));
    sim.step(4);
    const SimulatorState saved = sim.state(first);
    sim.step(3);
    const std::vector<double> kept = sim.state(first).values.front();
    sim.set_state(saved, others);
    EXPECT_EQ(sim.state(first).values.front(), kept) << device;
    sim.step(3);
    sim.set_state(saved, first);
    sim.step(3);
    const int all[] = {0, 1, 2};
    const std::vector<double> ended = sim.state(all).values.front();
    const auto of = [&](std::size_t env) {
      const std::size_t n = ended.size() / 3;
      return std::vector<double>(ended.begin() + static_cast<std::ptrdiff_t>(env * n),
                                 ended.begin() + static_cast<std::ptrdiff_t>((env + 1) * n));
    };
    EXPECT_EQ(of(1), of(2)) << device;
    EXPECT_NE(of(0), of(1)) << device;  // which have gone on since
    sim.set_state(saved, others);
    sim.step(3);
    const std::vector<double> again = sim.state(others).values.front();
    EXPECT_EQ(of(0), std::vector<double>(again.begin(), again.begin() + static_cast<std::ptrdiff_t>(again.size() / 2)))
        << device;
  }
}

TEST(Forward, FindsTheContactsOfTheNextStepAndMovesNothing) {
  for (const char* device : {"cpu", "reference"}) {
    Simulator sim = on(device, test::pushed_boxes(), 2);
    sim.step(3);
    const std::vector<double> qpos = sim.qpos(), time = sim.time(), pose = sim.read(EnvField::body_pose);
    sim.forward();
    EXPECT_TRUE(same_bits(sim.qpos(), qpos) && same_bits(sim.time(), time)) << device;
    EXPECT_TRUE(same_bits(sim.read(EnvField::body_pose), pose)) << device;
    const ContactArrays found = sim.contacts();
    for (const double force : found.force) EXPECT_TRUE(force == 0.0 || std::isnan(force)) << device;
    sim.step();
    const ContactArrays solved = sim.contacts();
    ASSERT_GT(found.count[0], 0);
    if (std::string(device) == "reference") continue;  // it looks as far as its step's answer needed
    EXPECT_EQ(found.count, solved.count);
    EXPECT_TRUE(same_bits(row(found.gap, 0, 2), row(solved.gap, 0, 2)));
  }
}

TEST(BodyPose, IsThatOfTheStateAfterStepAndReset) {
  Simulator sim = on("cpu", test::pushed_boxes(), 2), reference = on("reference", test::pushed_boxes(), 2);
  const auto free_body = [](const Simulator& s, int env) {
    const std::vector<double> pose = row(s.read(EnvField::body_pose), env, 2);
    return std::vector<double>(pose.begin() + 7, pose.begin() + 14);
  };
  for (const int steps : {0, 3}) {
    if (steps > 0) sim.step(steps);
    reference.set_qpos(sim.qpos());
    reference.forward();
    for (const int env : {0, 1}) {
      const std::vector<double> qpos = row(sim.qpos(), env, 2), pose = free_body(sim, env);
      EXPECT_TRUE(same_bits({qpos.begin(), qpos.begin() + 3}, {pose.begin(), pose.begin() + 3}));
      const std::vector<double> ours = row(sim.read(EnvField::body_pose), env, 2);
      const std::vector<double> theirs = row(reference.read(EnvField::body_pose), env, 2);
      for (std::size_t b = 0; b < ours.size() / 7; ++b) {
        double turned = 0.0;
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(ours[7 * b + k], theirs[7 * b + k], tolerance::kPrescribed);
        for (std::size_t k = 3; k < 7; ++k) turned += ours[7 * b + k] * theirs[7 * b + k];
        EXPECT_NEAR(std::fabs(turned), 1.0, tolerance::kPrescribed) << "body " << b;
      }
    }
  }
}

}  // namespace
}  // namespace stiction
