// Claims: an environment's bits depend on nothing but itself; a failed one harms no other and keeps its state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/api/simulator.hpp"
#include "host/backend/philox.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction {
namespace {

using test::pushed_boxes;
using test::same_bits;

SimulatorOptions cpu(int batch, int threads = 1) {
  SimulatorOptions options;
  options.batch = batch;
  options.threads = threads;
  options.device = "cpu";
  return options;
}

/// qpos of environment `env` after `steps`.
std::vector<double> qpos_of(const Simulator& sim, int env) {
  const std::vector<double> all = sim.qpos();
  const std::ptrdiff_t nq = sim.scene().model->nq;
  return {all.begin() + env * nq, all.begin() + (env + 1) * nq};
}

std::vector<double> run_alone(const Scene& scene, int id, int steps) {
  SimulatorOptions options = cpu(1);
  options.first_env_id = id;
  Simulator sim(scene, options);
  sim.step(steps);
  return qpos_of(sim, 0);
}

TEST(Batch, GivesTheSameBitsForEverySizePositionAndThreadCount) {
  const Scene scene = pushed_boxes();
  constexpr int kSteps = 20;
  Simulator small(scene, cpu(7, 1)), large(scene, cpu(256, 2));
  small.step(kSteps);
  for (int step = 0; step < kSteps; ++step) large.step();
  for (const int id : {0, 3, 6}) {
    const std::vector<double> alone = run_alone(scene, id, kSteps);
    EXPECT_TRUE(same_bits(qpos_of(small, id), alone)) << "environment " << id << " of 7";
    EXPECT_TRUE(same_bits(qpos_of(large, id), alone)) << "environment " << id << " of 256";
  }
  EXPECT_TRUE(same_bits(qpos_of(large, 255), run_alone(scene, 255, kSteps)));
}

TEST(Batch, EnvironmentsDifferAndConverge) {
  Simulator sim(pushed_boxes(), cpu(16));
  for (int step = 0; step < 20; ++step)
    for (const std::uint32_t bits : sim.step()) EXPECT_EQ(bits, status::kConverged) << status_names(bits);
  EXPECT_FALSE(same_bits(qpos_of(sim, 0), qpos_of(sim, 1)));
}

TEST(Batch, ResetRepeatsTheRun) {
  Simulator sim(pushed_boxes(), cpu(5));
  sim.step(10);
  const std::vector<double> first = sim.qpos();
  sim.reset();
  sim.step(10);
  EXPECT_TRUE(same_bits(sim.qpos(), first));
}

TEST(Batch, PartialResetLeavesTheOthersAlone) {
  Simulator sim(pushed_boxes(), cpu(3));
  sim.step(5);
  const int ids[] = {1};
  sim.reset(ids);
  sim.step(5);
  EXPECT_TRUE(same_bits(qpos_of(sim, 0), run_alone(sim.scene(), 0, 10)));
  EXPECT_TRUE(same_bits(qpos_of(sim, 1), run_alone(sim.scene(), 1, 5)));
}

TEST(Fault, ANanStateIsFlaggedKeptAndHarmsNoOther) {
  Simulator sim(pushed_boxes(), cpu(3));
  std::vector<double> qpos = sim.qpos();
  const std::size_t nq = static_cast<std::size_t>(sim.scene().model->nq);
  qpos[nq] = std::numeric_limits<double>::quiet_NaN();
  sim.set_qpos(qpos);
  sim.step(10);
  EXPECT_EQ(sim.status()[0], status::kConverged);
  EXPECT_EQ(sim.status()[1], status::kNotFinite);
  EXPECT_EQ(sim.status()[2], status::kConverged);
  EXPECT_TRUE(std::isnan(qpos_of(sim, 1)[0]));
  EXPECT_DOUBLE_EQ(qpos_of(sim, 1)[1], qpos[nq + 1]);
  EXPECT_TRUE(same_bits(qpos_of(sim, 2), run_alone(sim.scene(), 2, 10)));
}

TEST(Fault, ABodyWithoutSupportIsUnboundedAndStays) {
  const char* kFloating = R"(<mujoco><worldbody>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)";
  Scene scene = load_scene(test::write_temporary("floating.xml", kFloating));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  Simulator sim(scene, cpu(1));
  const std::vector<double> before = sim.qpos();
  EXPECT_EQ(sim.step()[0], status::kUnbounded) << status_names(sim.status()[0]);
  EXPECT_TRUE(same_bits(sim.qpos(), before));
}

TEST(Fault, ABodyAboveTheGroundLandsOnItInOneQuasistaticStep) {
  const char* kDropped = R"(<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)";
  Scene scene = load_scene(test::write_temporary("dropped.xml", kDropped));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  Simulator sim(scene, cpu(1));
  EXPECT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
  EXPECT_NEAR(sim.qpos()[2], 0.1, 1e-6);
}

TEST(Fault, SqueezedBodiesAreInfeasibleAndTheLeastOverlapIsReported) {
  const char* kSqueezed = R"(<mujoco><worldbody>
    <geom type="box" size=".1 .1 .1" pos="-.19 0 0"/><geom type="box" size=".1 .1 .1" pos=".19 0 0"/>
    <geom type="plane" size="1 1 .1" pos="0 0 -.1"/>
    <body pos="0 0 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)";
  Scene scene = load_scene(test::write_temporary("squeezed.xml", kSqueezed));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  Simulator sim(scene, cpu(1));
  EXPECT_TRUE(sim.step()[0] & status::kInfeasible) << status_names(sim.status()[0]);
  EXPECT_GT(sim.stats().violation[0], 0.0);
}

TEST(Fault, FullSlotsAreFlaggedAndTheDeepestStay) {
  Scene scene = pushed_boxes();
  scene.physics.dynamics = Dynamics::kQuasidynamic;  // five contacts do not hold three bodies
  scene.solver.max_contacts = 5;
  Simulator sim(scene, cpu(1));
  EXPECT_TRUE(sim.step()[0] & status::kContactsDropped);
  EXPECT_EQ(sim.contacts().count[0], 5);
  Scene few_pairs = pushed_boxes();
  few_pairs.solver.max_pairs = 1;
  Simulator other(few_pairs, cpu(1));
  EXPECT_TRUE(other.step()[0] & status::kPairsDropped);
}

TEST(Fault, EnvironmentsThatStartInsideEachOtherHarmNoOther) {
  const char* kChannel = R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <geom type="box" size=".1 1 .5" pos="-.175 0 -.5"/><geom type="box" size=".1 1 .5" pos=".175 0 -.5"/>
    <body><joint type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>)";
  Scene scene = load_scene(test::write_temporary("channel.xml", kChannel));
  scene.qpos = {0.0, 0.1};
  scene.randomize.qpos_noise = {{1, {0.4}}};  // below a height the ball overlaps both walls
  constexpr int kBatch = 32, kSteps = 3;
  Simulator sim(scene, cpu(kBatch, 2));
  sim.step(kSteps);
  const std::vector<std::uint32_t> bits(sim.status().begin(), sim.status().end());
  const auto failed = std::count_if(bits.begin(), bits.end(), [](auto b) { return b & status::kInfeasible; });
  EXPECT_GE(failed, 2);
  EXPECT_LE(failed, kBatch - 2);
  for (int id = 0; id < kBatch; ++id)
    EXPECT_TRUE(same_bits(qpos_of(sim, id), run_alone(scene, id, kSteps))) << "environment " << id;
}

TEST(Philox, HasTheKnownAnswersOfItsAuthors) {
  const PhiloxCounter zeros = philox4x32({0, 0, 0, 0}, {0, 0});
  EXPECT_EQ(zeros, (PhiloxCounter{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  const PhiloxCounter ones = philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u});
  EXPECT_EQ(ones, (PhiloxCounter{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
}

}  // namespace
}  // namespace stiction
