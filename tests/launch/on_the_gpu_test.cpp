// Claims about steps on a GPU, or on the emulated one (tests/emulated_gpu): they are those of a host that solves as a
// GPU does, and their bits depend on nothing but the scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/api/simulator.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/cuda_devices.hpp"
#include "host/backend/step_config.hpp"
#include "host/scene/families.hpp"
#include "kernels/launch/run_steps.hpp"
#include "kernels/launch/solve_width.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_dynamics.hpp"
#include "tests/support/shapes_and_rays.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction {
namespace {

SimulatorOptions on(const std::string& device, int batch = 4, Dtype dtype = Dtype::kFloat64) {
  SimulatorOptions options;
  options.device = device;
  options.batch = batch;
  options.dtype = dtype;
  return options;
}

/// A host that solves as a GPU does.
SimulatorOptions beside(int batch = 4, Dtype dtype = Dtype::kFloat64) {
  SimulatorOptions options = on("cpu", batch, dtype);
  options.solve_threads = threads_of(SolveWidth::kWarp);
  return options;
}

/// Largest difference of two arrays, relative to the largest entry; padding (NaN) must be at the same places.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return std::numeric_limits<double>::infinity();
    if (std::isnan(a[i])) continue;
    size = std::max(size, std::fabs(a[i]));
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  }
  return size > 0.0 ? largest / size : largest;
}

class OnTheGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevices devices = find_cuda_devices();
    if (devices.names.empty()) GTEST_SKIP() << "no usable GPU: " << devices.why_none;
  }
};

TEST_F(OnTheGpu, AStepGivesTheContactsAndTheMotionOfTheHost) {
  Simulator host(test::pushed_boxes(), beside()), gpu(test::pushed_boxes(), on("cuda"));
  host.step();
  gpu.step();
  EXPECT_EQ(host.stats().contacts, gpu.stats().contacts);
  EXPECT_TRUE(std::ranges::equal(host.status(), gpu.status()));
  EXPECT_LE(difference(host.qpos(), gpu.qpos()), tolerance::kHostAgainstCuda);
  EXPECT_LE(difference(host.contacts().gap, gpu.contacts().gap), tolerance::kHostAgainstCuda);
}

TEST_F(OnTheGpu, TrajectoriesStayTogetherInBothPrecisions) {
  for (const Dynamics dynamics : test::kEveryDynamics)
    for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
      Scene scene = test::pushed_boxes();
      scene.physics.dynamics = dynamics;
      test::add_paddle_script(scene);
      Simulator host(scene, beside(4, dtype)), gpu(scene, on("cuda", 4, dtype));
      host.step(20);
      gpu.step(20);
      EXPECT_TRUE(std::ranges::equal(host.status(), gpu.status()));
      const bool single = dtype == Dtype::kFloat32;
      EXPECT_LE(difference(host.qpos(), gpu.qpos()), single ? tolerance::kTrajectorySingle : tolerance::kTrajectory);
    }
}

TEST_F(OnTheGpu, AStepWhoseMotionOutranItsContactsIsRepeatedAsOnTheHost) {
  Simulator host(test::outrun_boxes(), beside()), gpu(test::outrun_boxes(), on("cuda"));
  host.step(6);
  gpu.step(6);
  EXPECT_TRUE(std::ranges::equal(host.status(), gpu.status()));
  EXPECT_LE(difference(host.qpos(), gpu.qpos()), tolerance::kTrajectory);
}

TEST_F(OnTheGpu, BitsDoNotDependOnTheBatch) {
  Simulator small(test::pushed_boxes(), on("cuda", 1)), large(test::pushed_boxes(), on("cuda", LARGE_BATCH));
  small.step(20);
  large.step(20);
  std::vector<double> first = large.qpos();
  first.resize(small.qpos().size());
  EXPECT_TRUE(test::same_bits(small.qpos(), first));
}

TEST_F(OnTheGpu, BitsDoNotDependOnTheThreadsOfASolve) {
  Simulator chosen(test::pushed_boxes(), on("cuda"));
  chosen.step(20);
  for (const SolveWidth width : kEverySolveWidth) {
    SimulatorOptions options = on("cuda");
    options.solve_threads = threads_of(width);
    Simulator sim(test::pushed_boxes(), options);
    sim.step(20);
    EXPECT_TRUE(test::same_bits(sim.qpos(), chosen.qpos())) << options.solve_threads;
    EXPECT_TRUE(test::same_bits(sim.stats().residual, chosen.stats().residual)) << options.solve_threads;
  }
}

TEST_F(OnTheGpu, BitsDoNotDependOnWhereTheFactorLies) {
  Simulator chosen(test::pushed_boxes(), on("cuda"));
  chosen.step(20);
  for (const FactorMemory memory : {FactorMemory::kShared, FactorMemory::kGlobal})
    for (const SolveWidth width : kEverySolveWidth) {
      SimulatorOptions options = on("cuda");
      options.solve_threads = threads_of(width);
      options.factor_memory = memory;
      Simulator sim(test::pushed_boxes(), options);
      sim.step(20);
      EXPECT_TRUE(test::same_bits(sim.qpos(), chosen.qpos())) << options.solve_threads;
      EXPECT_TRUE(test::same_bits(sim.stats().residual, chosen.stats().residual)) << options.solve_threads;
    }
}

// the largest factor of as many boxes has no room in shared memory, that of a tower of them has
TEST_F(OnTheGpu, BitsOfATallTowerDoNotDependOnWhereItsFactorLies) {
  const Scene scene = *make_family_scene("stack:45");
  const ModelStorage<double> model(*scene.model);
  const NearBytes bytes = solver_near_bytes<double>(
      {scene.solver.name}, solver_capacity(model.view(), choose_capacity(scene), make_step_config<double>(scene)));
  ASSERT_GT(bytes.most, largest_free_share(solve_blocks(SolveWidth::kBlock, TaskKernel::kSolve), kHopperShared));
  ASSERT_LT(2 * bytes.least, largest_free_share(solve_blocks(SolveWidth::kBlock, TaskKernel::kSolve), kHopperShared));
  SimulatorOptions options = on("cuda", 2);
  Simulator chosen(scene, options);
  options.factor_memory = FactorMemory::kGlobal;
  Simulator global(scene, options);
  for (Simulator* sim : {&chosen, &global}) sim->step(2);
  EXPECT_TRUE(test::same_bits(chosen.qpos(), global.qpos()));
  EXPECT_TRUE(test::same_bits(chosen.stats().residual, global.stats().residual));
}

TEST_F(OnTheGpu, WhatIsWrittenBetweenStepsCounts) {
  Simulator host(test::pushed_boxes(), beside()), gpu(test::pushed_boxes(), on("cuda"));
  const int reset_ids[] = {1};
  for (Simulator* sim : {&host, &gpu}) {
    sim->step(3);
    sim->set_ctrl(std::vector<double>(4, 0.1));  // the knots no longer count
    sim->step(3);
    sim->reset(reset_ids);
    sim->step(3);
  }
  EXPECT_LE(difference(host.qpos(), gpu.qpos()), tolerance::kTrajectory);
  EXPECT_LE(difference(host.time(), gpu.time()), tolerance::kClosedForm);
}

TEST_F(OnTheGpu, WhoHoldsTheMemoryOfAFieldSeesWhatIsWritten) {
  Simulator gpu(test::pushed_boxes(), on("cuda"));
  const FieldMemory ctrl = gpu.memory(EnvField::ctrl);
  const std::vector<double> written = {0.1, 0.2, 0.3, 0.4};
  gpu.set_ctrl(written);
  EXPECT_EQ(values_of(ctrl, 4), written);
}

TEST_F(OnTheGpu, EnergyAndDerivativesAreThoseOfTheHost) {
  for (const Dynamics dynamics : test::kEveryDynamics) {
    Scene scene = test::pushed_boxes();
    scene.physics.dynamics = dynamics;
    Simulator host(scene, beside()), gpu(scene, on("cuda"));
    for (Simulator* sim : {&host, &gpu}) {
      sim->step(3);
      sim->measure_energy();
    }
    EXPECT_LE(difference(host.read(EnvField::energy), gpu.read(EnvField::energy)), tolerance::kTrajectory);
    const Linearization expected = host.linearize(1e-3), found = gpu.linearize(1e-3);
    EXPECT_LE(difference(values_of(expected.A, 4), values_of(found.A, 4)), tolerance::kTrajectory);
    EXPECT_LE(difference(values_of(expected.B, 4), values_of(found.B, 4)), tolerance::kTrajectory);
  }
}

TEST_F(OnTheGpu, SensorsAreThoseOfTheHost) {
  for (const Dynamics dynamics : test::kEveryDynamics)
    for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
      Scene scene = test::pushed_boxes();
      scene.physics.dynamics = dynamics;
      test::add_paddle_script(scene);
      Simulator host(scene, beside(4, dtype)), gpu(scene, on("cuda", 4, dtype));
      for (Simulator* sim : {&host, &gpu}) {
        sim->step(3);
        sim->measure_sensors();
      }
      const std::vector<double> found = gpu.read(EnvField::sensordata);
      EXPECT_EQ(found.size(), 4 * static_cast<std::size_t>(scene.model->nsensordata));
      const bool single = dtype == Dtype::kFloat32;
      EXPECT_LE(difference(host.read(EnvField::sensordata), found),
                single ? tolerance::kTrajectorySingle : tolerance::kTrajectory);
    }
}

TEST_F(OnTheGpu, RaysMeetWhatTheyMeetOnTheHost) {
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    const Simulator host(test::every_shape(), beside(4, dtype)), gpu(test::every_shape(), on("cuda", 4, dtype));
    const Rays rays = test::rays_in_all_directions(300);
    const RayHits expected = host.cast_rays(rays), found = gpu.cast_rays(rays);
    const double most = dtype == Dtype::kFloat32 ? tolerance::kTrajectorySingle : tolerance::kTrajectory;
    EXPECT_EQ(values_of(expected.geom, 4), values_of(found.geom, 4));
    EXPECT_LE(difference(values_of(expected.distance, 4), values_of(found.distance, 4)), most);
    EXPECT_LE(difference(values_of(expected.normal, 4), values_of(found.normal, 4)), most);
  }
}

TEST_F(OnTheGpu, BatchesThatStepInTurnDoNotMix) {
  Simulator alone(test::pushed_boxes(), on("cuda")), a(test::pushed_boxes(), on("cuda")),
      b(test::pushed_boxes(), on("cuda", 33));
  alone.step(10);
  for (int step = 0; step < 10; ++step) {
    a.step();
    b.step();
  }
  EXPECT_TRUE(test::same_bits(alone.qpos(), a.qpos()));
}

TEST_F(OnTheGpu, AnIndexBeyondTheLastIsRefused) {
  try {
    Simulator sim(test::pushed_boxes(), on("cuda:99"));
    FAIL() << "cuda:99 was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("does not exist"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stiction
