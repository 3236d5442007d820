#include "bench/gpu_check/largest_batch.hpp"

#include <algorithm>

#include "bench/gpu_check/gpu_facts.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/fitting.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction::gpu_check {
namespace {

constexpr double kUsed = 0.95;  // of the free memory of the GPU: the rest is for the driver and for fragmentation
constexpr int kSmallBatch = 9;
constexpr int kWhole = 256;  // a large batch is a multiple of this, so that its environments are those of a course

}  // namespace

LargestBatch find_largest_batch(const Scene& scene, Dtype dtype, const Options& options) {
  if (options.has_small_sizes()) return {kSmallBatch, "small sizes"};
  const GpuBytes bytes = gpu_bytes(scene, choose_capacity(scene), dtype == Dtype::kFloat32);
  const GpuFacts gpu = read_gpu_facts(options.gpu);
  int at_work = 0;  // of a multiprocessor, by the width that has the most
  for (const SolveWidth width : kEverySolveWidth) {
    const SolveBlocks blocks = solve_blocks(width, TaskKernel::kWarm);
    at_work = std::max(at_work, blocks.resident * blocks.environments);
  }
  const std::size_t once = static_cast<std::size_t>(gpu.processors) * static_cast<std::size_t>(at_work) * bytes.at_work;
  const auto free = static_cast<std::size_t>(kUsed * static_cast<double>(free_gpu_bytes(options.gpu)));
  const std::size_t fitting = std::min(count_fitting({bytes.each, once}, free), std::size_t{1} << 30);
  const auto most = static_cast<int>(fitting);
  return {most < kWhole ? most : most / kWhole * kWhole, "memory of the GPU"};
}

}  // namespace stiction::gpu_check
