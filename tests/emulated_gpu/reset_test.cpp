// Claim: environments that are reset or written, among others and between steps that are enqueued, have the bits of
// those of a host, in every array.
#include <cuda_runtime_api.h>

#include <array>

#include "tests/emulated_gpu/host_bits.hpp"
#include "tests/step/different_objects.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 7;

/// Every start and parameter that a scene can draw, a script, and momentum.
Scene drawn_boxes() {
  Scene scene = test::pushed_boxes();
  test::add_paddle_script(scene);
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.step_size = 0.01;
  scene.randomize.friction = Range{0.3, 0.6};
  scene.randomize.mass_scale = Range{0.5, 2.0};
  return scene;
}

/// The same simulators on a host that solves as a GPU does, and on a GPU.
struct Both {
  explicit Both(const Scene& scene, Dtype dtype = Dtype::kFloat64, int batch = kBatch)
      : host(scene, {.batch = batch, .device = "cpu", .dtype = dtype, .solve_threads = 32, .first_env_id = 5}),
        gpu(scene, {.batch = batch, .device = "cuda", .dtype = dtype, .first_env_id = 5}) {}

  template <class F>
  void each(F f) {
    f(host);
    f(gpu);
  }
  void expect_same(const std::string& what) const { expect_same_bits(host, gpu, what); }

  Simulator host, gpu;
};

class OnReset : public ::testing::Test, NoFaults {};

TEST_F(OnReset, SomeAllNoneAndRepeatedEnvironmentsStartAsOnTheHost) {
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    Both both(drawn_boxes(), dtype);
    both.expect_same("start");
    const std::vector<std::vector<int>> lists = {
        {1}, {0, 2, 6}, {5, 3, 1}, {}, {4, 4}, {6, 0, 6, 2, 0, 6}, {0, 1, 2, 3, 4, 5, 6}};
    for (const std::vector<int>& ids : lists) {
      both.each([&](Simulator& sim) { sim.step(); });
      both.each([&](Simulator& sim) { sim.reset(ids); });
      both.expect_same("reset of " + std::to_string(ids.size()));
    }
    both.each([&](Simulator& sim) { sim.step(); });
    both.expect_same("step after the resets");
  }
}

TEST_F(OnReset, ASeedDrawsAnewAndTheScenesOwnReturns) {
  Both both(drawn_boxes());
  const std::vector<double> first = both.gpu.qpos(), masses = both.gpu.read(EnvField::body_mass);
  const int ids[] = {2, 3};
  both.each([&](Simulator& sim) { sim.reset(ids, 99); });
  both.expect_same("other seed");
  EXPECT_NE(both.gpu.qpos(), first);
  EXPECT_NE(both.gpu.read(EnvField::body_mass), masses);
  both.each([&](Simulator& sim) { sim.reset(ids); });
  both.expect_same("own seed");
  EXPECT_EQ(both.gpu.qpos(), first);
}

TEST_F(OnReset, NothingHasToBeWaitedForBetweenSteps) {
  Both both(drawn_boxes());
  both.each([&](Simulator& sim) {
    for (int i = 0; i < 4; ++i) {
      const int ids[] = {i, (3 * i + 1) % kBatch};
      sim.enqueue_step();
      sim.reset(ids, static_cast<std::uint64_t>(i));
      sim.enqueue_step(2);
      sim.set_ctrl(std::vector<double>(kBatch, 0.02 * i));
    }
  });
  both.expect_same("after all of it");
}

TEST_F(OnReset, WhatOthersWroteToSharedMemoryStays) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  {
    const Scene scene = drawn_boxes();
    Simulator host(scene, {.batch = kBatch, .device = "cpu", .solve_threads = 32});
    Simulator gpu(scene, {.batch = kBatch, .device = "cuda", .stream = reinterpret_cast<std::uintptr_t>(stream)});
    const FieldMemory qpos = gpu.memory(EnvField::qpos), status = gpu.memory(EnvField::status);
    std::vector<double> moved = host.qpos();
    for (double& q : moved) q += 1e-3;
    const int ids[] = {2, 4};
    host.enqueue_step();
    gpu.enqueue_step();
    host.overwrite(EnvField::qpos, moved.data());
    cudaMemcpyAsync(qpos.data, moved.data(), moved.size() * sizeof(double), cudaMemcpyHostToDevice, stream);
    host.reset(ids);
    gpu.reset(ids);
    std::array<std::uint32_t, kBatch> seen{};  // by who holds the memory, in the order of the stream
    cudaMemcpyAsync(seen.data(), status.data, sizeof seen, cudaMemcpyDeviceToHost, stream);
    host.enqueue_step();
    gpu.enqueue_step();
    expect_same_bits(host, gpu, "written, reset and stepped");
    EXPECT_EQ(seen[2], 0u);
    EXPECT_EQ(seen[3], status::kConverged);
  }
  cudaStreamDestroy(stream);
}

TEST_F(OnReset, ParametersThatAreNotDrawnStayAsWritten) {
  Both both(test::pushed_boxes());
  const int third[] = {2}, all[] = {0, 1, 2, 3, 4, 5, 6};
  const double heavy[] = {0.0, 0.0, -20.0};
  both.each([&](Simulator& sim) {
    sim.write(EnvField::gravity, third, heavy);
    sim.reset(all);
    sim.step();
  });
  both.expect_same("after a reset");
  EXPECT_EQ(both.gpu.read(EnvField::gravity)[3 * 2 + 2], -20.0);
}

TEST_F(OnReset, EnvironmentsTakeOtherObjectsAndMoveOn) {
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    Both both(test::different_objects(), dtype);
    both.each([](Simulator& sim) { sim.step(12); });
    both.expect_same("objects by their ids");
    const int ids[] = {6, 1, 4};
    const double variants[] = {0, 2, 1};
    both.each([&](Simulator& sim) { sim.write(EnvField::variant, ids, variants); });
    both.each([](Simulator& sim) { sim.step(); });
    both.expect_same("asked for, without a reset");
    both.each([&](Simulator& sim) { sim.reset(ids); });
    both.expect_same("other objects");
    both.each([](Simulator& sim) { sim.step(12); });
    both.expect_same("other objects, pushed");
  }
}

class OnWrite : public ::testing::Test, NoFaults {};

TEST_F(OnWrite, OfAnEnvironmentThatIsNamedTwiceTheLastRowCounts) {
  Both both(test::pushed_boxes());
  const int ids[] = {3, 1, 3, 1};
  const double ctrl[] = {0.1, 0.2, 0.3, 0.4};
  both.each([&](Simulator& sim) { sim.write(EnvField::ctrl, ids, ctrl); });
  both.expect_same("written twice");
  EXPECT_EQ(both.gpu.ctrl()[3], 0.3);
  EXPECT_EQ(both.gpu.ctrl()[1], 0.4);
}

TEST_F(OnWrite, PosesFollowWhereQposIsWrittenAndNowhereElse) {
  Both both(test::pushed_boxes());
  std::vector<double> shifted = both.host.qpos();
  for (double& q : shifted) q += 0.01;
  const int ids[] = {6, 2};
  const std::vector<double> rows(shifted.begin(),
                                 shifted.begin() + static_cast<std::ptrdiff_t>(shifted.size() / kBatch * 2));
  both.host.overwrite(EnvField::qpos, shifted.data());
  const FieldMemory qpos = both.gpu.memory(EnvField::qpos);
  both.gpu.wait();
  cudaMemcpy(qpos.data, shifted.data(), shifted.size() * sizeof(double), cudaMemcpyHostToDevice);
  both.each([&](Simulator& sim) { sim.write(EnvField::qpos, ids, rows); });
  both.expect_same("poses");
}

TEST_F(OnWrite, WrenchesOnBodiesActAsOnTheHost) {
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    Both both(drawn_boxes(), dtype), still(drawn_boxes(), dtype);
    const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6};
    std::vector<double> pushes(all.size() * both.host.length(EnvField::applied_wrench));
    for (std::size_t i = 0; i < pushes.size(); ++i) pushes[i] = 0.125 * static_cast<double>(i % 11);
    both.each([&](Simulator& sim) { sim.write(EnvField::applied_wrench, all, pushes); });
    both.each([&](Simulator& sim) { sim.step(5); });
    still.host.step(5);
    both.expect_same("pushed");
    EXPECT_NE(both.gpu.qpos(), still.host.qpos());
  }
}

TEST_F(OnWrite, EveryArrayComesBackAsItWasWritten) {
  Both both(drawn_boxes());
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6};
  for (std::size_t f = 0; f < kEnvFields; ++f) {
    const auto field = static_cast<EnvField>(f);
    std::vector<double> values(all.size() * both.host.length(field));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 97);
    both.each([&](Simulator& sim) { sim.write(field, all, values); });
    EXPECT_EQ(both.gpu.read(field), values) << f;
  }
  both.expect_same("everything written");
}

TEST_F(OnWrite, AStateThatIsRestoredGoesOnWithTheSameBits) {
  Both both(drawn_boxes());
  both.each([](Simulator& sim) { sim.step(2); });
  const SimulatorState saved = both.host.state();
  both.each([](Simulator& sim) { sim.step(3); });
  both.each([&](Simulator& sim) { sim.set_state(saved); });
  both.each([](Simulator& sim) { sim.step(2); });
  both.expect_same("restored");
}

TEST_F(OnWrite, AStateOfSomeEnvironmentsGoesToOthers) {
  Both both(drawn_boxes());
  both.each([](Simulator& sim) { sim.step(2); });
  const std::vector<int> from = {2, 0, 2}, to = {1, 2, 0};
  const SimulatorState saved = both.host.state(from);
  both.each([&](Simulator& sim) { EXPECT_EQ(sim.state(from).values, saved.values); });
  both.each([](Simulator& sim) { sim.step(3); });
  both.each([&](Simulator& sim) { sim.set_state(saved, to); });
  both.each([](Simulator& sim) { sim.step(2); });
  both.expect_same("moved to others");
}

}  // namespace
}  // namespace stiction
