// Claim: what a GPU allocates for a further environment is what `stiction info` says, and no scratch of a solve or of
// the narrow phase.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>

#include "host/api/simulator.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/scene/scene.hpp"

namespace stiction {
namespace {

/// Bytes that a batch allocates on the GPU.
std::size_t allocated_by(const Scene& scene, int batch, Dtype dtype) {
  std::size_t before = 0, after = 0, total = 0;
  cudaMemGetInfo(&before, &total);
  SimulatorOptions options;
  options.device = "cuda", options.batch = batch, options.dtype = dtype;
  const Simulator sim(scene, options);
  cudaMemGetInfo(&after, &total);
  return before - after;
}

class BatchMemory : public testing::TestWithParam<const char*> {};

TEST_P(BatchMemory, OfAnEnvironmentIsWhatInfoNames) {  // of more environments than the emulated GPU works on at once
  const Scene scene = load_scene(std::string(STICTION_SOURCE_DIR "/scenes/") + GetParam());
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    const std::size_t few = allocated_by(scene, 60, dtype), many = allocated_by(scene, 80, dtype);
    const GpuBytes bytes = gpu_bytes(scene, choose_capacity(scene), dtype == Dtype::kFloat32);
    EXPECT_NEAR(static_cast<double>(many - few) / 20.0, static_cast<double>(bytes.each), 64.0);
    EXPECT_GT(few, 60 * bytes.each + 8 * bytes.at_work);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, BatchMemory, testing::Values("gripper2d", "hand_cube", "iiwa_stack"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace stiction
