#include "bench/gpu_check/speed_plan.hpp"

#include <span>

#include "kernels/launch/solve_width.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kSwept = 4096, kSmallSwept = 7;             // the batch of which most is asked
constexpr int kOtherBatches[] = {16384, 1024, 1, 65536};  // what takes long last
constexpr int kSmallBatches[] = {1};

/// Every width, the next wider one first, and place of the factor but those that a batch has by itself.
void add_sweep(const Scene& scene, int batch, std::vector<SpeedCase>& cases) {
  const SolveWidth own = choose_solve_width(scene.model->nv, 0);
  for (const bool wider : {true, false})
    for (const SolveWidth width : kEverySolveWidth)
      if (width != own && (width > own) == wider) cases.push_back({.batch = batch, .solve_threads = threads_of(width)});
  for (const FactorMemory memory : {FactorMemory::kGlobal, FactorMemory::kShared})
    cases.push_back({.batch = batch, .factor_memory = memory});
}

}  // namespace

std::vector<SpeedCase> plan_largest(const Scene& scene, const Options& options) {
  std::vector<SpeedCase> cases = {{.batch = kLargest}};
  add_sweep(scene, kLargest, cases);
  if (options.is_brief())
    cases.resize(2);  // one width and another
  else
    for (const Route& route : {kRoutes[1], kRoutes[2]}) cases.push_back({.batch = kLargest, .route = route});
  return cases;
}

std::vector<SpeedCase> plan_speed(const Scene& scene, const Options& options) {
  const std::span<const int> others = options.has_small_sizes() ? std::span<const int>(kSmallBatches) : kOtherBatches;
  const int swept = options.has_small_sizes() ? kSmallSwept : kSwept;
  std::vector<SpeedCase> cases = {{.batch = swept}};
  add_sweep(scene, swept, cases);
  for (const Route& route : {kRoutes[1], kRoutes[2]}) cases.push_back({.batch = swept, .route = route});
  for (const Route& route : kRoutes)
    for (const int batch : others) cases.push_back({.batch = batch, .route = route});
  return cases;
}

}  // namespace stiction::gpu_check
