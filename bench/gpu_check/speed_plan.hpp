// What is timed of a scene, in the order of its worth: what does not fit into the time is at the end.
#pragma once

#include "bench/gpu_check/plan.hpp"

namespace stiction::gpu_check {

/// Precisions, and the residual that is asked for.
struct Route {
  Dtype dtype, factor;
  double tolerance;
};
constexpr Route kRoutes[] = {{Dtype::kFloat64, Dtype::kFloat64, 1e-6},
                             {Dtype::kFloat64, Dtype::kFloat32, 1e-6},
                             {Dtype::kFloat32, Dtype::kFloat32, 1e-4}};

constexpr int kLargest = 0;  // as a batch: as many environments as fit

struct SpeedCase {
  int batch;
  Route route = kRoutes[0];
  int solve_threads = 0;  // 0: by the model's size
  FactorMemory factor_memory =
      FactorMemory::kAuto;  // where it is not kAuto, or threads are given, only `middle` is timed
};

/// The cases of the largest batch.
std::vector<SpeedCase> plan_largest(const Scene& scene, const Options& options);
/// Those of all other batches.
std::vector<SpeedCase> plan_speed(const Scene& scene, const Options& options);

}  // namespace stiction::gpu_check
