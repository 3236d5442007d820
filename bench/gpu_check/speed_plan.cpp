#include "bench/gpu_check/speed_plan.hpp"

#include <span>

#include "kernels/launch/solve_width.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kSwept = 4096;                              // the batch of which most is asked
constexpr int kOtherBatches[] = {16384, 1024, 1, 65536};  // after the largest and that; what takes long last
constexpr int kSmallBatches[] = {7, 1};

/// Every width and place of the factor but those that a batch has by itself.
void add_sweep(const Scene& scene, int batch, std::vector<SpeedCase>& cases) {
  const SolveWidth own = choose_solve_width(scene.model->nv, 0);
  for (const SolveWidth width : kEverySolveWidth)
    if (width != own) cases.push_back({.batch = batch, .solve_threads = threads_of(width)});
  for (const FactorMemory memory : {FactorMemory::kGlobal, FactorMemory::kShared})
    cases.push_back({.batch = batch, .factor_memory = memory});
}

}  // namespace

std::vector<SpeedCase> plan_speed(const Scene& scene, const Options& options) {
  std::vector<SpeedCase> cases = {{.batch = kLargest}};
  if (options.is_brief()) {
    const SolveWidth own = choose_solve_width(scene.model->nv, 0);
    const SolveWidth other = own == SolveWidth::kWarp ? SolveWidth::kBlock : SolveWidth::kWarp;
    cases.push_back({.batch = kLargest, .solve_threads = threads_of(other)});
    return cases;
  }
  const std::span<const int> others = options.has_small_sizes() ? std::span<const int>(kSmallBatches) : kOtherBatches;
  const int swept = options.has_small_sizes() ? others.front() : kSwept;
  cases.push_back({.batch = swept});
  add_sweep(scene, swept, cases);
  for (const Route& route : {kRoutes[1], kRoutes[2]}) cases.push_back({.batch = swept, .route = route});
  for (const int batch : others)
    if (batch != swept) cases.push_back({.batch = batch});
  add_sweep(scene, kLargest, cases);
  for (const Route& route : {kRoutes[1], kRoutes[2]}) {
    cases.push_back({.batch = kLargest, .route = route});
    for (const int batch : others)
      if (batch != swept) cases.push_back({.batch = batch, .route = route});
  }
  return cases;
}

}  // namespace stiction::gpu_check
