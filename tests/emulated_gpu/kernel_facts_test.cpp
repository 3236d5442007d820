// Claims about what a batch says of its kernels, and about the clock of its solves.
#include <gtest/gtest.h>

#include "bench/gpu_check/batch.hpp"
#include "kernels/launch/solve_width.hpp"
#include "kernels/step/stages.hpp"
#include "tests/emulated_gpu/host_bits.hpp"
#include "tests/step/patch_bodies.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 3;

/// The stages that steps of a scene have.
std::vector<std::string> stages_of(const Scene& scene) {
  std::vector<std::string> stages(std::begin(kStageNames), std::end(kStageNames));
  if (!seeks_end(scene.physics)) std::erase_if(stages, [](auto& s) { return s == "arrive" || s == "confirm"; });
  if (!merges_regions(scene)) std::erase(stages, "merge");
  if (scene.physics.order != StepOrder::kMoveFirst)
    std::erase_if(stages, [](auto& s) { return s == "gaps" || s == "go" || s == "stop"; });
  return stages;
}

class KernelFactsOf : public NoFaults, public testing::TestWithParam<const char*> {
 protected:
  static Scene read(const std::string& name) {
    return name == "patches" ? test::patch_bodies() : load_scene(STICTION_SOURCE_DIR "/scenes/" + name);
  }
  const Scene scene_ = read(GetParam());
};

TEST_P(KernelFactsOf, AStepNameEveryStageAsItIsLaunched) {
  for (const int threads : {8, 32, 64})
    for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
      const auto batch = gpu_check::make_batch(scene_, gpu_check::on("cuda:0", kBatch, dtype, threads));
      const std::vector<KernelFacts> kernels = batch->ask_about_kernels();
      std::vector<std::string> names;
      for (const KernelFacts& kernel : kernels) names.push_back(kernel.name);
      EXPECT_EQ(names, stages_of(scene_));
      const SolveWidth width = choose_solve_width(scene_.model->nv, threads);
      for (const KernelFacts& kernel : kernels) {
        if (kernel.name == "warm" || kernel.name == "solve") {
          const bool warm = kernel.name == "warm";
          const SolveBlocks blocks = solve_blocks(width, warm ? TaskKernel::kWarm : TaskKernel::kSolve);
          const int rows = std::min(blocks.environments, width == SolveWidth::kQuarter ? 4 : kBatch);
          EXPECT_EQ(kernel.environments, rows);
          EXPECT_EQ(kernel.threads, threads * rows);
          EXPECT_GE(kernel.blocks * kernel.environments, blocks.resident * blocks.environments)
              << "a factor in shared memory costs a resident environment";
        } else if (kernel.name == "explain") {
          EXPECT_EQ(kernel.environments, 1);
          EXPECT_EQ(kernel.threads, std::max(threads, 32));
        } else {
          constexpr const char* kNarrow[] = {"gaps", "stop", "collide", "meet", "arrive", "merge", "look"};
          const bool narrow = std::ranges::find(kNarrow, kernel.name) != std::end(kNarrow);
          EXPECT_EQ(kernel.threads, 128) << kernel.name;
          EXPECT_EQ(kernel.threads, (narrow ? 32 : stage_lanes(width, kBatch, 1)) * kernel.environments) << kernel.name;
          EXPECT_EQ(kernel.shared_bytes, 0u);
        }
      }
    }
}

TEST_P(KernelFactsOf, AFactorInSharedMemoryIsThatOfTheLaunch) {
  SimulatorOptions options = gpu_check::on("cuda:0", 3, Dtype::kFloat64);
  const auto shared_by = [&](FactorMemory memory) {
    options.factor_memory = memory;
    for (const KernelFacts& kernel : gpu_check::make_batch(scene_, options)->ask_about_kernels())
      if (kernel.name == "solve") return kernel.shared_bytes;
    return std::size_t{0};
  };
  EXPECT_EQ(shared_by(FactorMemory::kGlobal), 0u);
  EXPECT_GT(shared_by(FactorMemory::kShared), 0u);
}

TEST_P(KernelFactsOf, ATimedSolveChangesNoStepThatFollows) {
  const SimulatorOptions options = gpu_check::on("cuda:0", 2, Dtype::kFloat64);
  const auto timed = gpu_check::start_batch(scene_, options), plain = gpu_check::start_batch(scene_, options);
  double iterations = 0.0;
  for (int step = 0; step < 2; ++step) {
    const SolveSeconds seconds = timed->time_solves(3);
    EXPECT_EQ(seconds.cold.size(), 3u);
    EXPECT_EQ(seconds.again.size(), 3u);
    for (const double each : seconds.cold) EXPECT_GT(each, 0.0);
    iterations += seconds.iterations;  // a solve may find that nothing is left to do
    for (Backend* each : {timed.get(), plain.get()}) each->step(1);
    for (std::size_t f = 0; f < kEnvFields; ++f) {
      const auto field = static_cast<EnvField>(f);
      EXPECT_TRUE(test::same_bits(timed->read(field), plain->read(field))) << "field " << f;
    }
  }
  EXPECT_GT(iterations, 0.0);
}

TEST_P(KernelFactsOf, AHostDoNotExist) {
  const auto batch = gpu_check::start_batch(scene_, gpu_check::on("cpu", 2, Dtype::kFloat64));
  EXPECT_TRUE(batch->ask_about_kernels().empty());
  EXPECT_TRUE(batch->time_solves(3).cold.empty());
}

INSTANTIATE_TEST_SUITE_P(Scenes, KernelFactsOf, testing::Values("autograsp2d", "gripper2d", "hand_cube", "patches"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace stiction
