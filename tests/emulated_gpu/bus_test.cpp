// Claims: what is reset or written crosses the bus by itself, without the rest of the batch and from pinned memory; a
// step moves nothing, and what is read moves alone.
#include "tests/emulated_gpu/bus.hpp"

#include "host/backend/backend.hpp"
#include "host/backend/cuda_backend.hpp"
#include "tests/emulated_gpu/host_bits.hpp"

namespace stiction {
namespace {

using emulated_gpu::Bus;
using emulated_gpu::take_bus;

constexpr std::size_t kFewRows =
    4096;                           // bytes; the arrays of 256 environments of pushed_boxes take a thousand times more
constexpr std::size_t kRound = 16;  // parts of an upload are rounded up: the lists of an upload of ids and rows

class OnTheBus : public ::testing::Test, NoFaults {
 protected:
  static Simulator on_the_gpu(const Scene& scene, int batch, Dtype dtype = Dtype::kFloat64) {
    return {scene, {.batch = batch, .device = "cuda", .dtype = dtype}};
  }

  /// What `f` moves on the bus.
  template <class F>
  static Bus moved_by(Simulator& sim, F f) {
    sim.wait();
    take_bus();
    f();
    sim.wait();
    return take_bus();
  }
};

TEST_F(OnTheBus, OneEnvironmentThatIsResetMovesAsMuchInAnyBatch) {
  const Scene scene = test::pushed_boxes();
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    Simulator few = on_the_gpu(scene, 2, dtype), many = on_the_gpu(scene, 256, dtype);
    const int ids[] = {1};
    const Bus of_few = moved_by(few, [&] { few.reset(ids); }), of_many = moved_by(many, [&] { many.reset(ids); });
    EXPECT_EQ(of_many.to_gpu, of_few.to_gpu);
    EXPECT_GT(of_many.to_gpu, 0u);
    EXPECT_LT(of_many.to_gpu, kFewRows);
    EXPECT_EQ(of_many.to_host, 0u);
    EXPECT_EQ(of_many.pageable, 0u);
  }
}

TEST_F(OnTheBus, AFurtherEnvironmentThatIsResetMovesWhatIsItsOwn) {
  Scene scene = test::pushed_boxes();
  Simulator sim = on_the_gpu(scene, 64);
  const std::size_t own = sizeof(double) * static_cast<std::size_t>(scene.model->nq) + 2 * sizeof(int);
  const int one[] = {5}, eleven[] = {5, 9, 11, 13, 20, 21, 22, 40, 41, 50, 63};
  const std::size_t less = moved_by(sim, [&] { sim.reset(one); }).to_gpu;
  const std::size_t more = moved_by(sim, [&] { sim.reset(eleven); }).to_gpu;
  EXPECT_NEAR(static_cast<double>(more - less), static_cast<double>(10 * own), kRound);
}

TEST_F(OnTheBus, NoEnvironmentMovesNothing) {
  Simulator sim = on_the_gpu(test::pushed_boxes(), 3);
  const Bus bus = moved_by(sim, [&] {
    sim.reset(std::span<const int>{});
    sim.write(EnvField::qpos, {}, {});
  });
  EXPECT_EQ(bus.to_gpu + bus.to_host, 0u);
}

TEST_F(OnTheBus, ANewBatchUploadsStartsAndItsFirstStepNothing) {
  const Scene scene = test::pushed_boxes();
  const auto made = [&](int batch) {
    take_bus();
    Simulator sim = on_the_gpu(scene, batch);
    sim.wait();
    const std::size_t uploaded = take_bus().to_gpu;
    const Bus step = moved_by(sim, [&] { sim.enqueue_step(); });
    EXPECT_EQ(step.to_gpu + step.to_host, 0u);
    return uploaded;
  };
  const std::size_t few = made(2), many = made(12);
  const std::size_t own = sizeof(double) * static_cast<std::size_t>(scene.model->nq) + 3 * sizeof(int);
  EXPECT_NEAR(static_cast<double>(many - few), static_cast<double>(10 * own), 2 * kRound);
}

TEST_F(OnTheBus, ControlOfTheHostMovesControl) {
  Simulator sim = on_the_gpu(test::pushed_boxes(), 100);
  const std::vector<double> ctrl(100, 0.1);
  sim.set_ctrl(ctrl);  // which says once that it stays
  const Bus bus = moved_by(sim, [&] { sim.set_ctrl(ctrl); });
  EXPECT_GE(bus.to_gpu, 100 * (sizeof(double) + sizeof(int)));
  EXPECT_LE(bus.to_gpu, 100 * (sizeof(double) + sizeof(int)) + 64);
  EXPECT_EQ(bus.to_host + bus.pageable, 0u);
}

TEST_F(OnTheBus, WhatIsReadMovesAloneInItsOwnType) {
  const Scene scene = test::pushed_boxes();
  for (const auto& [dtype, bytes] : {std::pair{Dtype::kFloat64, 8u}, std::pair{Dtype::kFloat32, 4u}}) {
    Simulator sim = on_the_gpu(scene, 20, dtype);
    sim.step();
    const Bus bus = moved_by(sim, [&] { EXPECT_EQ(sim.qpos().size(), 20u * static_cast<unsigned>(scene.model->nq)); });
    EXPECT_EQ(bus.to_host, 20u * static_cast<unsigned>(scene.model->nq) * bytes);
    EXPECT_EQ(bus.to_gpu + bus.pageable, 0u);
    EXPECT_EQ(moved_by(sim, [&] { sim.status(); }).to_host, 20u * 4u);
  }
}

// warm_lambda of all environments is longer than the staging memory, so that it is written and read in parts
TEST_F(OnTheBus, MoreThanFitsTheStagingMemoryPassesInParts) {
  constexpr int kEnvironments = 200;
  const Scene scene = load_scene(STICTION_SOURCE_DIR "/scenes/iiwa_stack");
  Simulator sim = on_the_gpu(scene, kEnvironments);
  const std::size_t length = sim.length(EnvField::warm_lambda);
  std::vector<double> values(kEnvironments * length);
  ASSERT_GT(values.size() * sizeof(double), std::size_t{9} << 19);  // 4.5 MiB
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  std::vector<int> ids(kEnvironments);
  for (int i = 0; i < kEnvironments; ++i) ids[static_cast<std::size_t>(i)] = i;
  const Bus bus = moved_by(sim, [&] { sim.write(EnvField::warm_lambda, ids, values); });
  EXPECT_GE(bus.to_gpu, values.size() * sizeof(double));
  EXPECT_EQ(bus.pageable, 0u);
  EXPECT_TRUE(test::same_bits(sim.read(EnvField::warm_lambda), values));
}

TEST_F(OnTheBus, UploadsThatWaitInTheStreamKeepTheirValues) {
  Simulator sim = on_the_gpu(test::pushed_boxes(), 4);
  const std::size_t length = sim.length(EnvField::warm_lambda);
  const int first[] = {0}, last[] = {3};
  std::vector<double> row(length);
  std::size_t written = 0;
  for (int i = 0; written < (std::size_t{9} << 20); ++i) {  // the staging memory, twice
    std::fill(row.begin(), row.end(), i);
    sim.write(EnvField::warm_lambda, i % 2 == 0 ? first : last, row);
    written += length * sizeof(double);
  }
  const std::vector<double> values = sim.read(EnvField::warm_lambda);
  const double before_last = std::min(row[0] - 1, values[0]), latest = row[0];
  EXPECT_EQ(std::max(values[0], values[3 * length]), latest);
  EXPECT_EQ(std::min(values[0], values[3 * length]), before_last);
  EXPECT_EQ(values[length], 0.0);
}

TEST_F(OnTheBus, AHostWithoutMemoryToPinSaysSo) {
  emulated_gpu::set_pinning(emulated_gpu::Pinning::kFails);
  try {
    const Simulator sim = on_the_gpu(test::pushed_boxes(), 3);
    ADD_FAILURE() << "a batch was made";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("page-locked"), std::string::npos) << error.what();
  }
  emulated_gpu::set_pinning(emulated_gpu::Pinning::kWorks);
  EXPECT_EQ(on_the_gpu(test::pushed_boxes(), 3).qpos().size() % 3, 0u);
}

}  // namespace
}  // namespace stiction
