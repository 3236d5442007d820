// A claim: host and device give the same steps but for the rounding of library functions. The host solves as a GPU
// does: the ways that only one lane goes end elsewhere within the tolerance.
//
//   difference(a, b) = max_i |a_i - b_i| / max_i |a_i|        over the environments that the host solved in every step
//
// A step that is not solved returns its best iterate, and of two that are nearly as good either side may keep another;
// such environments count, but only their status is compared. Limits: tests/support/tolerances.hpp.
#pragma once

#include "bench/gpu_check/plan.hpp"
#include "bench/gpu_check/report.hpp"

namespace stiction::gpu_check {

/// What one combination, or a group of them, showed.
struct Comparison {
  double share = 0.0;  // largest difference over its limit
  std::string worst;   // the quantity with that share
  int environments = 0, unsolved = 0, status_differs = 0;

  void add(const char* quantity, double difference, double limit);
  void join(const Comparison& other);
  bool has_failed() const { return share > 1.0 || status_differs > 0; }
};

/// Environments of a comparison.
int compared_batch(const Options& options);

/// One step, then the rest of `steps` >= 2, on the host and on the device.
Comparison compare(const Scene& scene, const Options& options, int steps, Dtype dtype);

/// The subject of a comparison of `scene` with these choices.
Subject comparison_subject(const char* part, const CheckedScene& scene, const Choices& choices, Dtype dtype,
                           const Options& options);

void report_comparison(const Subject& subject, const Comparison& seen, Report& report);

}  // namespace stiction::gpu_check
